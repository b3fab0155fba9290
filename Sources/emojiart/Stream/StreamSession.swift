// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtTerminal
import ArtWorkspace
import Synchronization

/// Runs a stream from signal setup to its exit status.
struct StreamSession {
  /// The terminal whose modes are restored when the process ends or stops.
  var terminal: TerminalMode?
  var file: DocumentFile
  let settings: StreamSettings
  let expected: Int?

  init(_ file: DocumentFile, _ settings: StreamSettings, expecting revision: Int?) {
    self.file = file
    self.settings = settings
    expected = revision
  }

  /// Runs until everything is saved. Returns the error of the first line that failed. Throws errors that do not
  /// belong to a line; with `--atomic`, also the error of a line.
  func run<Form: StreamForm>(_ form: Form) throws(ArtError) -> ArtError? {
    let outbox = try Outbox { Form.lines(of: .document(.resync(version: $0))) }
    let signals = StreamSignals(outbox, terminal) { Form.lines(of: $0) }
    try signals.follow()
    try prepareThreads()
    var file = file
    file.notice = { Form.notice($0.message, by: outbox) }
    let session = try open(file)
    let (events, errors) = (session.listen(ownEdits: settings.reportsOwnChanges), FirstError())
    let listening = Outcome { [path = file.path] in
      for await event in events {
        errors.note(event)
        if case .warning(let warning) = event {
          Form.warn(warning, of: path, by: outbox)
        } else {
          Form.report(event, to: outbox)
        }
      }
    } done: {
      outbox.wakeup.wake()
    }
    // With `--atomic` only the final save includes what others did.
    if !settings.isAtomic {
      signals.save(session, listening: listening)
      Outcome { await session.begin() }.wait()
    }

    var stream = EditingStream(session, outbox, settings, errors, form)
    var failure: ArtError?
    do throws(ArtError) {
      try stream.run()
      leaveTerminal(session)
      stream.waitForBackgrounds()
    } catch {
      failure = error
    }
    failure = stream.broken ?? failure ?? (settings.isAtomic ? errors.first : nil)
    // A failed save takes precedence over the other errors.
    try stream.end(after: listening, saving: failure == nil || !settings.isAtomic)
    switch (failure, stream.broken) {
    // The reader has gone after everything was saved and answered.
    case (nil, nil), (nil, ArtError.brokenPipe?): return errors.first
    case (ArtError.brokenPipe?, _): throw signals.endOfPipe()
    case (let error?, _) where settings.isAtomic: throw .nothingSaved(file.path, error)
    // The last events could not be written, but everything is saved.
    case (nil, let error?): throw error
    case (let error?, _): throw error
    }
  }

  /// Restores the terminal's modes while a background is waited for, so that Ctrl-C cancels the wait.
  private func leaveTerminal(_ session: Session) {
    guard let terminal, Outcome({ await session.isFetchingBackground }).wait() else { return }
    terminal.restore()
    Output.printError("the background is still being fetched; Ctrl-C gives it up")
  }

  /// Opens the document. Throws `notPermitted` if it cannot be edited, `movedOn` if it is at another revision.
  private func open(_ file: DocumentFile) throws(ArtError) -> Session {
    // Without `--atomic` opening the document includes recovery.
    if settings.isAtomic { try Recovery.ofCommand.restoreFirst(file) }
    let author = try CurrentSettings.ofCommand[.author]?.text
    let client = try DocumentClient(author: author, session: settings.session)
    let (workspace, isAtomic, expected) = (settings.workspace, settings.isAtomic, expected)
    return try Outcome {
      await result { () async throws(ArtError) in
        if isAtomic {
          try await Session.openDraft(of: file, as: client, workspace, expecting: expected)
        } else {
          try await Session.open(file, as: client, workspace, isEdited: true, expecting: expected)
        }
      }
    }.wait().get()
  }
}

/// The error of the first line or requested background that failed. It may be set on any thread.
final class FirstError: Sendable {
  private let error = Mutex<ArtError?>(nil)

  var first: ArtError? { error.withLock { $0 } }

  func note(_ new: ArtError) { error.withLock { $0 = $0 ?? new } }

  /// Notes the failure of a requested background.
  func note(_ event: SessionEvent) {
    guard case .background(let background) = event, background.isRequested else { return }
    switch background.outcome {
    case .rejected(let refusal): note(.refused(refusal))
    case .failed(let error): note(error)
    case .set: break
    }
  }
}

/// The options of a stream.
struct StreamSettings: Sendable {
  var autosave = AutosavePolicy()
  /// Whether all lines are saved together at the end.
  var isAtomic = false
  /// The number of answered edits after which the program kills itself.
  var killAfter: Int?

  /// The session whose edits these are; nil for one of the stream itself.
  var session: SessionID?
  /// Whether the stream's own changes are reported, too.
  var reportsOwnChanges = false

  /// Which pending backgrounds are fetched.
  var fetch = PendingMode.changed
  /// Whether backgrounds may come from private addresses.
  var allowsPrivate = false
  /// How to warn about refused backgrounds; nil when the option was not given.
  var warning: WarningChoice?
  /// The proxies for URLs that the user requests.
  var proxies = ProxySettings()

  /// The settings for opening the document.
  var workspace: WorkspaceSettings {
    var workspace = WorkspaceSettings()
    workspace.autosave = autosave
    workspace.pending = fetch
    workspace.allowsPrivate = allowsPrivate
    workspace.warnings = warning
    // At a prompt there are no questions about warnings: the line belongs to the prompt.
    workspace.asksAboutWarnings = false
    return workspace
  }

  /// The maximum number of unsaved edits.
  static let mostAtOnce = 1_000_000

  /// Parses the arguments. Throws `badValue`, and `usage` for arguments that exclude each other.
  init(changes: String?, delay: String?, isAtomic: Bool, killAfter: String?) throws(ArtError) {
    if let changes { autosave.changes = try Self.count(changes, "changes") }
    if let delay { autosave.delay = try Self.seconds(delay) }
    self.killAfter = if let killAfter { try Self.count(killAfter, "answers") } else { nil }
    self.isAtomic = isAtomic
    guard isAtomic else { return }
    guard changes == nil, delay == nil else {
      throw ArtError(
        .usage, "--atomic saves once, at the end; leave out --autosave-changes and --autosave-delay")
    }
  }

  /// Parses a session. Throws `badValue`.
  static func session(_ typed: String) throws(ArtError) -> SessionID {
    guard let session = SessionID(typed) else {
      throw ArtError(
        .badValue, "\(shown(typed)) is no session; give 12 characters of 0123456789abcdefghjkmnpqrstvwxyz")
    }
    return session
  }

  /// Parses the options for backgrounds. Throws `usage`, `badValue`.
  mutating func apply(_ fetching: FetchOptions, _ warnings: WarningOptions) throws(ArtError) {
    guard !isAtomic || fetching.fetch == nil else {
      throw ArtError(.usage, "--atomic fetches nothing; leave out --fetch")
    }
    fetch = try fetching.mode()
    allowsPrivate = fetching.allowPrivate
    warning = try warnings.choice()
    proxies = .ofEnvironment
  }

  private static func count(_ typed: String, _ what: String) throws(ArtError) -> Int {
    guard let count = Int(typed), (1...mostAtOnce).contains(count) else {
      throw ArtError(.badValue, "\(shown(typed)) is no count of \(what); give a number from 1 to 1,000,000")
    }
    return count
  }

  private static func seconds(_ typed: String) throws(ArtError) -> Duration {
    guard let seconds = decimal(typed), (0...3_600).contains(seconds) else {
      throw ArtError(.badValue, "\(shown(typed)) is no delay; give seconds from 0 to 3,600, such as 0.25")
    }
    return .seconds(seconds)
  }
}

extension ArtError {
  static func savedAtTheEnd() -> ArtError {
    ArtError(.usage, "with --atomic everything is saved at the end; leave out save")
  }

  static func versionAtTheEnd() -> ArtError {
    ArtError(.usage, "with --atomic nothing is saved before the end; use `emojiart version` before or after")
  }

  static func tooManyAtOnce() -> ArtError {
    ArtError(.tooLarge, "--atomic keeps at most 1,000,000 edits until the end; split the input")
  }

  /// The error for a document that could not be closed: `count` edits are unsaved, and kept in the journal. With a count of 0 all edits were
  /// saved, but the file could not be read again.
  static func notSaved(_ count: Int, in name: String, _ cause: ArtError) -> ArtError {
    guard count > 0 else {
      return ArtError(
        cause.code,
        "\(cause.message); all edits were saved, but whether the document still has them is not known",
        about: cause.subject)
    }
    let (edits, them) = count == 1 ? ("1 edit is", "it") : ("\(count) edits are", "them")
    switch cause.code {
    case .noSuchDocument, .replaced:
      return ArtError(
        cause.code,
        "\(name) is no longer where it was; \(edits) kept in the journal: put it back and `emojiart restore` saves \(them), "
          + "or `emojiart restore \(name) --into NEWDOC` saves \(them) in a new document")
    default:
      return ArtError(
        cause.code,
        "\(cause.message); \(edits) kept in the journal, and `emojiart restore \(name)` saves \(them)")
    }
  }

  static func notInTime(_ name: String) -> ArtError {
    ArtError(.busy, "\(name) could not be saved in time")
  }

  /// The error with `--atomic`: nothing was saved.
  static func nothingSaved(_ name: String, _ cause: ArtError) -> ArtError {
    cause.withCause("\(name) is as it was, because of one line: \(cause.cause)")
  }
}
