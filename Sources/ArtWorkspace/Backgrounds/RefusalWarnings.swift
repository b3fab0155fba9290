// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtStore

/// Decides which refused backgrounds of a document the user is warned of: once for each document by default. A flag that stops
/// the warnings is kept on this machine for all front ends.
///
///     refusal ──warning(of:)──▶ nil                                     no warning
///                           └─▶ RefusalWarning ──question──▶ keep | stop
public struct RefusalWarnings: Sendable {
  private let document: DocumentFile
  /// Nil if the record cannot be stored: then every warning is the first one.
  private let store: WarningStore?

  /// The warnings of the document in a file.
  public init(of document: DocumentFile) {
    // If the document cannot be read, every warning is the first one.
    self.init(of: document, store: try? WarningStore(for: document))
  }

  init(of document: DocumentFile, store: WarningStore?) {
    (self.document, self.store) = (document, store)
  }

  /// Decides by the rules of `WarningDecision.decide`, and records the decision at once, so that only one of several programs
  /// warns; nil for no warning. `asked` is what the user's own command requested, possibly an invalid URL; nil if the user
  /// requested nothing. `canAsk` is whether the front end can ask a question: then its answer is recorded instead.
  public func warning(
    of refusal: Refusal, _ choice: WarningChoice?, asked: String? = nil, canAsk: Bool
  ) -> RefusalWarning? {
    let digest = asked.flatMap { store?.digest(of: $0) }
    var warning = WarningDecision.decide(choice, WarningRecord(), isAskedAgain: false)
    // If the record cannot be written, every warning is the first one.
    _ = try? store?.update { record in
      let isAskedAgain = digest != nil && record.lastRefused == digest
      warning = WarningDecision.decide(choice, record, isAskedAgain: isAskedAgain)
      if let digest { record.lastRefused = digest }
      switch warning {
      case .silent: break
      // A user who answers "keep" wants the next warning, too.
      case .shown(let asks): record.wasShown = !(asks && canAsk)
      }
    }
    guard case .shown(let asks) = warning else { return nil }
    return RefusalWarning(refusal: refusal, question: asks && canAsk ? WarningQuestion(self) : nil)
  }

  /// Records that the user's own request succeeded: the next refusal is not a repetition.
  public func forget() {
    do throws(ArtError) {
      guard let store, try store.record().lastRefused != nil else { return }
      try store.update { $0.lastRefused = nil }
    } catch {
      // The next refusal of that URL causes a needless warning.
    }
  }

  /// Whether the user is warned of the next refusal, and why.
  public enum State: Sendable, Equatable {
    /// Yes.
    case active
    /// No, unless the same refusal is repeated: one warning was shown.
    case shown
    /// No, until the warning is kept again.
    case stopped
  }

  /// The state and its record on this machine. Throws what reading the document throws.
  public func state() throws(ArtError) -> (state: State, record: WarningRecord) {
    let record = try found().record()
    return (record.isStopped ? .stopped : record.wasShown ? .shown : .active, record)
  }

  /// Warns of the next refusal. Throws what writing the record throws.
  public func keep() throws(ArtError) { try found().update { $0 = WarningRecord() } }

  /// Stops all warnings. Throws what writing the record throws, also if it cannot be stored.
  public func stop() throws(ArtError) {
    let store = try found()
    _ = try StateFolder.create()
    try store.update { $0.isStopped = true }
  }

  /// The store. Throws why the document has none.
  private func found() throws(ArtError) -> WarningStore {
    if let store { return store }
    return try WarningStore(for: document)
  }
}

/// A refusal to show, and the question that goes with it.
public struct RefusalWarning: Sendable {
  /// The refusal.
  public let refusal: Refusal
  /// Whether the picture is the user's own file.
  public var isOfFile = false
  /// Whether the user requested the picture with a request that has an answer.
  public var isAnswered = false
  /// The question for the user; nil for none.
  public let question: WarningQuestion?
}

/// "Show this warning in the future?"
public struct WarningQuestion: Sendable {
  /// The two answers.
  public enum Answer: Sendable, CaseIterable {
    /// Keep warning: the next refusal is shown, too. The default without an answer.
    case keepWarning
    /// Stop warning: no refusal of this document is shown on this machine until the warning is kept again.
    case stopWarning
  }

  private let warnings: RefusalWarnings

  fileprivate init(_ warnings: RefusalWarnings) { self.warnings = warnings }

  /// Applies the answer. Throws what writing the record throws.
  public func answer(_ answer: Answer) throws(ArtError) {
    if answer == .stopWarning { try warnings.stop() }
  }
}
