// SPDX-License-Identifier: Apache-2.0

import ArtDocument
import ArtModel
import ArtSystem
import ArtWorkspace
import Glibc

extension EditingStream {
  /// Answers lines in their order.
  mutating func answer(_ lines: [StreamLine]) {
    var rest = lines[...]
    while let first = rest.first, !hasQuit, broken == nil {
      let run = run(of: rest)
      if run.isEmpty { answer(first) } else { edit(run) }
      rest = rest.dropFirst(max(1, run.count))
      flush()
    }
    if form.showsState, !settings.isAtomic { recent.keep() }
  }

  /// The lines that are answered by one call of the document. One that may be about much ends it, so that no more is kept
  /// for an answer than must be.
  private func run(of lines: ArraySlice<StreamLine>) -> ArraySlice<StreamLine> {
    var room = min(settings.killAfter.map { $0 - acknowledged } ?? .max, Self.mostInOneCall)
    var end = lines.startIndex
    while end < lines.endIndex, room > 0 {
      switch lines[end].request {
      case .edit: room -= lines[end].isAboutSeveral ? room : 1
      case .bad: break
      case .save, .show, .history, .background, .help, .quit: return lines[..<end]
      }
      end += 1
    }
    return lines[..<end]
  }

  /// With all of a read, a sixth more edits a second were answered, and a seventh more memory was needed.
  private static var mostInOneCall: Int { 512 }

  private mutating func edit(_ run: ArraySlice<StreamLine>) {
    var answers = perform(run).makeIterator()
    for line in run {
      switch line.request {
      case .bad(let error): say(error, to: line)
      case .edit(let request):
        switch answers.next() {
        case .success(let answer):
          recent.note(request)
          say { (form) throws(ArtError) in try form.done(answer, of: line) }
          acknowledge()
        case .failure(let error): say(error, to: line)
        case nil: break
        }
      case .save, .show, .history, .background, .help, .quit: break
      }
      // Without what happened meanwhile: not all of the run is answered.
      if form.size >= 1 << 18 { say { (form) throws(ArtError) in try form.write(with: []) } }
    }
  }

  private mutating func perform(_ run: ArraySlice<StreamLine>) -> [Result<DocumentAnswer, ArtError>] {
    let isClient = settings.session != nil
    let requests = run.compactMap { line -> ClientRequest? in
      guard case .edit(let request) = line.request else { return nil }
      return isClient
        ? ClientRequest(request, tag: line.tag?.requestTag, since: line.since) : ClientRequest(request)
    }
    guard !requests.isEmpty else { return [] }
    let (document, isAtomic) = (document, settings.isAtomic)
    while true {
      if let results = Outcome({ await document.performWithinCapacity(requests) }).wait() { return results }
      if isAtomic { return requests.map { _ in .failure(.tooManyAtOnce()) } }
      guard waitForCapacity() else { return [] }
    }
  }

  /// Waits until an edit may be made, as long as somebody reads; whether one does. Otherwise the stream is over, and what was
  /// answered is in the journal. With `--atomic` it is not waited for.
  mutating func waitForCapacity() -> Bool {
    guard !settings.isAtomic else { return true }
    let document = document
    let hasCapacity = Outcome {
      await document.waitForCapacity()
    } done: { [wakeup = outbox.wakeup] in
      wakeup.wake()
    }
    while hasCapacity.now == nil, broken == nil { waitForNews() }
    return broken == nil
  }

  mutating func acknowledge() {
    acknowledged += 1
    guard acknowledged == settings.killAfter else { return }
    say { (form) throws(ArtError) in try form.write(with: []) }
    kill(getpid(), SIGKILL)
  }

  private mutating func answer(_ line: StreamLine) {
    let document = document
    switch line.request {
    case .save: save(line)
    case .show, .history:
      let (snapshot, unsaved) = wait { (await document.snapshot, await document.unsavedChanges) }
      say { (form) throws(ArtError) in try form.show(snapshot, unsaved: unsaved, of: line) }
    case .background(let asked): answer(asked, to: line)
    case .help(let text): say { (form) throws(ArtError) in try form.help(text) }
    case .quit: hasQuit = true
    case .edit, .bad: break
    }
  }

  private mutating func save(_ line: StreamLine) {
    guard !settings.isAtomic else { return say(.savedAtTheEnd(), to: line) }
    let document = document
    let saved = wait {
      await result { () async throws(ArtError) in
        try await document.save()
        return (revision: await document.content.revision, unsaved: await document.unsavedChanges)
      }
    }
    switch saved {
    case .success(let (revision, unsaved)):
      say { (form) throws(ArtError) in try form.saved(revision: revision, unsaved: unsaved, of: line) }
    case .failure(let error): say(error, to: line)
    }
  }
}

extension Document {
  /// Does what is asked; nil while there is no room for it.
  fileprivate func performWithinCapacity(
    _ requests: [ClientRequest]
  ) -> [Result<DocumentAnswer, ArtError>]? {
    hasCapacity ? perform(requests) : nil
  }
}
