// SPDX-License-Identifier: Apache-2.0

import ArtDocument
import ArtModel
import ArtStore
import ArtSystem
import ArtTerminal
import ArtWorkspace

/// A stream from its first signal to its exit status.
struct StreamSession {
  /// Whose modes are put back when the process ends or stops.
  var terminal: TerminalMode?
  var file: DocumentFile
  let settings: StreamSettings
  let expected: Int?

  init(_ file: DocumentFile, _ settings: StreamSettings, expecting revision: Int?) {
    self.file = file
    self.settings = settings
    expected = revision
  }

  /// Returns when everything is saved: what the first line came to that came to nothing. Throws what could not be done
  /// beside lines; with `--atomic`, the error of a line, too.
  func run<Form: StreamForm>(_ form: Form) throws(ArtError) -> ArtError? {
    try checkThreads()
    let outbox = try Outbox { Form.news(of: .resync(version: $0)) }
    let signals = StreamSignals(outbox, terminal) { Form.news(of: $0) }
    try signals.follow()
    var file = file
    file.notice = { Form.notice($0.message, by: outbox) }
    let document = try open(file)
    let events = document.events(ownEdits: settings.tellsOwnChanges)
    let listening = Outcome {
      for await event in events { outbox.put(Form.news(of: event), version: event.version) }
    } done: {
      outbox.wakeup.wake()
    }
    // What is saved at the end only takes in then what others did.
    let watch = settings.isAtomic ? nil : follow(document) { outbox.put(Form.news(of: $0)) }
    if !settings.isAtomic { signals.save(document, listening: listening) }

    let backgrounds = StreamBackgrounds(document, file, settings, outbox, in: Form.self)
    if let fetching = backgrounds.fetching { Outcome { await fetching.begin() }.wait() }

    var stream = EditingStream(document, outbox, settings, backgrounds, form)
    var failure: ArtError?
    do throws(ArtError) {
      try stream.run()
      leaveTerminal(backgrounds)
      stream.waitForBackgrounds()
    } catch {
      failure = error
    }
    if let fetching = backgrounds.fetching { stream.wait { await fetching.close() } }
    failure = stream.broken ?? failure ?? (settings.isAtomic ? stream.firstError : nil)
    let ended = Outcome { await watch?.end() }
    defer { _ = ended.wait(atMost: .milliseconds(500)) }
    // What cannot be saved is graver than any of these.
    try stream.end(after: listening, saving: failure == nil || !settings.isAtomic)
    switch (failure, stream.broken) {
    // Who reads no longer when everything is saved has heard all that was asked for.
    case (nil, nil), (nil, ArtError.brokenPipe?): return stream.firstError
    case (ArtError.brokenPipe?, _): throw signals.endOfPipe()
    case (let error?, _) where settings.isAtomic: throw .nothingSaved(file.path, error)
    // The last news could not be written: everything is saved.
    case (nil, let error?): throw error
    case (let error?, _): throw error
    }
  }

  /// The keys of a terminal are its own again while a background is waited for: Ctrl-C gives it up.
  private func leaveTerminal(_ backgrounds: StreamBackgrounds) {
    guard let terminal, let fetching = backgrounds.fetching, Outcome({ await fetching.isFetching }).wait()
    else { return }
    terminal.restore()
    Output.complain("the background is still being fetched; Ctrl-C gives it up")
  }

  /// Has the document hear of what others do, and tells how well it does.
  private func follow(
    _ document: Document, tell: @escaping @Sendable (DocumentWatch.Event) -> Void
  ) -> DocumentWatch {
    let watch = DocumentWatch(document)
    let events = watch.events()
    Task.detached {
      await watch.begin()
      for await event in events { tell(event) }
    }
    return watch
  }

  private func open(_ file: DocumentFile) throws(ArtError) -> Document {
    // Opening does this where a journal is kept.
    if settings.isAtomic { try Recovery.ofCommand.restoreFirst(file) }
    let (autosave, session) = (settings.autosave, settings.session)
    let journal = settings.isAtomic ? JournalLocation.none : .standard
    let opened = Outcome {
      await result { () async throws(ArtError) in
        let document = try await Document.open(
          file, author: environment("EMOJIART_AUTHOR"), session: session, journal: journal,
          autosave: autosave, refreshInterval: nil)
        return (document, await document.state, await document.content.revision)
      }
    }
    let (document, state, revision) = try opened.wait().get()
    if case .editingDisabled(let reason) = state { throw .readOnlyDocument(file.path, reason) }
    if let expected, expected != revision { throw .movedOn(file.path, is: revision, not: expected) }
    return document
  }
}
