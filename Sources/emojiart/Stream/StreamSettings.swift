// SPDX-License-Identifier: Apache-2.0

import ArtDocument
import ArtModel
import ArtWorkspace

/// What a person says of a stream before it begins.
struct StreamSettings: Sendable {
  var autosave = AutosavePolicy()
  /// Whether all lines are saved at the end, or none.
  var isAtomic = false
  /// The program kills itself when that many edits are answered.
  var killAfter: Int?

  /// The client whose edits these are; nil for the stream itself.
  var session: SessionID?
  /// Whether the changes that the stream makes are told, too.
  var tellsOwnChanges = false

  /// Which pending backgrounds are fetched.
  var fetch = PendingMode.changed
  /// Whether backgrounds may come from any address.
  var allowsPrivate = false
  /// How a person wants to hear of a background that was refused; nil where nothing was said.
  var warning: WarningChoice?
  /// For what a person asks for.
  var proxies = ProxySettings()

  /// Edits that wait for a save, at most.
  static let mostAtOnce = 1_000_000

  /// Reads what was typed. Throws `badValue`, and `usage` for what does not go together.
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
    autosave = AutosavePolicy(changes: .max, delay: .seconds(365 * 86_400))
  }

  /// Reads a session. Throws `badValue`.
  static func session(_ typed: String) throws(ArtError) -> SessionID {
    guard let session = SessionID(typed) else {
      throw ArtError(
        .badValue, "\(shown(typed)) is no session; give 12 characters of 0123456789abcdefghjkmnpqrstvwxyz")
    }
    return session
  }

  /// Reads what was typed about backgrounds. Throws `usage`, `badValue`.
  mutating func take(_ fetching: FetchOptions, _ warnings: WarningOptions) throws(ArtError) {
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

  static func tooManyAtOnce() -> ArtError {
    ArtError(.tooLarge, "--atomic keeps at most 1,000,000 edits until the end; split the input")
  }

  /// Edits that could not be saved, and where they are.
  static func notSaved(_ count: Int, in name: String, _ cause: ArtError) -> ArtError {
    let (edits, them) = count == 1 ? ("1 edit is", "it") : ("\(count) edits are", "them")
    switch cause.code {
    case .noSuchDocument, .replaced:
      return ArtError(
        cause.code,
        "\(name) is no longer where it was; \(edits) kept in the journal: put it back and `emojiart restore` saves \(them), "
          + "or `emojiart restore \(name) --into NEWDOC` saves \(them) apart")
    default:
      return ArtError(
        cause.code,
        "\(cause.message); \(edits) kept in the journal, and `emojiart restore \(name)` saves \(them)")
    }
  }

  static func notInTime(_ name: String) -> ArtError {
    ArtError(.busy, "\(name) could not be saved in time")
  }

  /// All or none: none.
  static func nothingSaved(_ name: String, _ cause: ArtError) -> ArtError {
    cause.withCause("\(name) is as it was, because of one line: \(cause.cause)")
  }
}
