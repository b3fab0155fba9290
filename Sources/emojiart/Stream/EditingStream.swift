// SPDX-License-Identifier: Apache-2.0

import ArtDocument
import ArtModel
import Glibc

/// A document that is edited line by line. One thread reads, asks the document, and writes:
///
///     stdin ──StreamForm──▶ lines of one read ──▶ Document, one call for a run of edits ──▶ StreamForm ──▶ stdout
///                                                 Document ──events──▶ Outbox ──behind the answers──┘
///
/// Nothing grows without bound: while stdout takes nothing, nothing is read. What happened is written only when every
/// edit that was asked for is answered, so that an edit is answered before it is told to be saved.
struct EditingStream<Form: StreamForm> {
  let document: Document
  let outbox: Outbox
  let settings: StreamSettings
  private var form: Form
  /// Edits that no save holds, by the last answer.
  private var unsaved = 0
  /// Edits that were answered with ok.
  private var acknowledged = 0
  private var hasQuit = false
  /// Whether stdout takes nothing any more.
  private var isMute = false
  /// What the first line came to that came to nothing.
  private(set) var firstError: ArtError?

  init(_ document: Document, _ outbox: Outbox, _ settings: StreamSettings, _ form: Form) {
    self.document = document
    self.outbox = outbox
    self.settings = settings
    self.form = form
  }

  /// Reads and answers to the end. Throws when stdin cannot be read, and when stdout cannot be written to;
  /// `brokenPipe` when nobody reads it any more.
  mutating func run() throws(ArtError) {
    try flush()
    while !hasQuit {
      let isOpen = outbox.isOpen
      if isOpen, form.hasLines {
        try answer(form.take() ?? [])
        continue
      }
      var ready = [
        pollfd(fd: outbox.bell.ear, events: Int16(POLLIN), revents: 0),
        pollfd(fd: isOpen && form.mayRead ? 0 : -1, events: Int16(POLLIN), revents: 0),
      ]
      let count = poll(&ready, 2, form.patience)
      guard count >= 0 || errno == EINTR else { throw .streamInput() }
      if count == 0 { form.wake() }
      if ready[0].revents != 0 { outbox.bell.hush() }
      if count == 0 || ready[0].revents != 0 { try flush() }
      if ready[1].revents != 0, outbox.isOpen {
        guard let lines = try form.take() else { return }
        try answer(lines)
      }
    }
  }

  private mutating func answer(_ lines: [StreamLine]) throws(ArtError) {
    var rest = lines[...]
    while let first = rest.first, !hasQuit {
      let run = run(of: rest)
      if run.isEmpty { try answer(first) } else { try edit(run) }
      rest = rest.dropFirst(max(1, run.count))
      try flush()
    }
  }

  /// Writes the answers, and what happened meanwhile behind them.
  private mutating func flush() throws(ArtError) {
    let taken = outbox.take()
    defer { for waiter in taken.waiters { waiter.signal() } }
    try write(taken.lines)
    guard form.showsState, !isMute else { return }
    let document = document
    let (state, unsaved) = Outcome { (await document.state, await document.unsavedChanges) }.wait()
    form.update(document, state, unsaved: unsaved, isTerminalNew: taken.isTerminalNew)
  }

  private mutating func write(_ news: [UInt8] = []) throws(ArtError) {
    guard !isMute else { return }
    do throws(ArtError) {
      try form.write(with: news)
    } catch {
      isMute = true
      throw error
    }
  }

  private mutating func failed(_ error: ArtError, _ line: StreamLine) throws(ArtError) {
    firstError = firstError ?? error
    try form.failed(error, line)
  }

  /// Waits for what may take long, and writes what happens meanwhile.
  private mutating func wait<Value: Sendable>(
    _ work: @escaping @Sendable () async -> Value
  ) throws(ArtError) -> Value {
    let bell = outbox.bell
    return try wait(for: Outcome(work) { bell.ring() })
  }

  /// The same for work that rings the bell in the end.
  private mutating func wait<Value>(for outcome: Outcome<Value>) throws(ArtError) -> Value {
    while true {
      if let value = outcome.now { return value }
      var ready = pollfd(fd: outbox.bell.ear, events: Int16(POLLIN), revents: 0)
      poll(&ready, 1, -1)
      outbox.bell.hush()
      try flush()
    }
  }
}

extension EditingStream {
  /// The lines that are answered by one call of the document. One that may be about many emoji ends it, so that no more
  /// is kept for an answer than must be.
  private func run(of lines: ArraySlice<StreamLine>) -> ArraySlice<StreamLine> {
    var room = settings.killAfter.map { $0 - acknowledged } ?? lines.count
    var end = lines.startIndex
    while end < lines.endIndex, room > 0 {
      switch lines[end].request {
      case .edit: room -= lines[end].isAboutSeveral ? room : 1
      case .bad: break
      case .save, .show, .history, .help, .quit: return lines[..<end]
      }
      end += 1
    }
    return lines[..<end]
  }

  private mutating func edit(_ run: ArraySlice<StreamLine>) throws(ArtError) {
    var answers = try perform(run).makeIterator()
    for line in run {
      switch line.request {
      case .bad(let error): try failed(error, line)
      case .edit:
        switch answers.next() {
        case .success(let answer):
          unsaved = answer.unsaved
          try form.done(answer, of: line)
          try acknowledge()
        case .failure(let error): try failed(error, line)
        case nil: break
        }
      case .save, .show, .history, .help, .quit: break
      }
      // Without what happened meanwhile: not all of the run is answered.
      if form.size >= 1 << 18 { try write() }
    }
  }

  private mutating func perform(
    _ run: ArraySlice<StreamLine>
  ) throws(ArtError) -> [Result<DocumentAnswer, ArtError>] {
    let requests = run.compactMap { line -> DocumentRequest? in
      if case .edit(let request) = line.request { request } else { nil }
    }
    guard !requests.isEmpty else { return [] }
    let document = document
    if settings.isAtomic {
      guard unsaved + requests.count <= StreamSettings.mostAtOnce else {
        return requests.map { _ in .failure(.tooManyAtOnce()) }
      }
    } else if unsaved >= StreamSettings.mostAtOnce / 2 {
      try wait { await document.waitForRoom() }
    }
    return Outcome { await document.perform(requests) }.wait()
  }

  private mutating func acknowledge() throws(ArtError) {
    acknowledged += 1
    guard acknowledged == settings.killAfter else { return }
    try write()
    kill(getpid(), SIGKILL)
  }

  private mutating func answer(_ line: StreamLine) throws(ArtError) {
    let document = document
    switch line.request {
    case .save: try save(line)
    case .show, .history:
      let (content, unsaved) = try wait { (await document.content, await document.unsavedChanges) }
      try form.show(content, unsaved: unsaved, of: line)
    case .help(let word): try form.help(word)
    case .quit: hasQuit = true
    case .edit, .bad: break
    }
  }

  private mutating func save(_ line: StreamLine) throws(ArtError) {
    guard !settings.isAtomic else { return try failed(.savedAtTheEnd(), line) }
    let document = document
    let saved = try wait {
      await result { () async throws(ArtError) in
        try await document.save()
        return (revision: await document.content.revision, unsaved: await document.unsavedChanges)
      }
    }
    switch saved {
    case .success(let (revision, unsaved)): try form.saved(revision: revision, unsaved: unsaved, of: line)
    case .failure(let error): try failed(error, line)
    }
  }
}

extension EditingStream {
  /// Saves and closes the document, and writes the last of what happened. `listening` is over when the document's events
  /// are. Throws when something could not be saved.
  mutating func end(after listening: Outcome<Void>, saving: Bool) throws(ArtError) {
    let document = document
    let closed = try wait {
      await result { () async throws(ArtError) in
        if saving { try await document.close() } else { await document.closeDiscardingChanges() }
      }
    }
    if case .failure(let error) = closed {
      let count = try wait {
        let count = await document.unsavedChanges
        await document.abandon()
        return count
      }
      try wait(for: listening)
      try flush()
      throw .notSaved(count, document.file.path, error)
    }
    try wait(for: listening)
    try flush()
  }
}
