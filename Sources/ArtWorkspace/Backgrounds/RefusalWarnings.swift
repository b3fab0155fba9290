// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtStore

/// The warnings about refused backgrounds of one document: who is told of a refusal, once for a document unless the user said
/// otherwise, and the one flag that stops them, which is kept on this machine for every front end.
///
///     refusal ──warning(of:)──▶ nil                                     nothing is said
///                           └─▶ RefusalWarning ──question──▶ keep | stop
public struct RefusalWarnings: Sendable {
  private let document: DocumentFile
  /// Nil where there is no place for it: then every warning is the first one.
  private let store: WarningStore?

  /// Of the document in a file.
  public init(of document: DocumentFile) {
    // Where the document cannot be read every warning is the first one.
    self.init(of: document, store: try? WarningStore(for: document))
  }

  init(of document: DocumentFile, store: WarningStore?) {
    (self.document, self.store) = (document, store)
  }

  /// Decides by the rules of `WarningDecision.decide`, and notes at once what was said, so that of several programs one says it; nil where
  /// nothing is said. `asked` is what the user's own command asked for, which need not be a URL that can be read, and nil where
  /// nobody did. `canAsk` is whether the front end can put a question: what is asked counts by its answer.
  public func warning(
    of refusal: Refusal, _ choice: WarningChoice?, asked: String? = nil, canAsk: Bool
  ) -> RefusalWarning? {
    let digest = asked.flatMap { store?.digest(of: $0) }
    var warning = WarningDecision.decide(choice, WarningRecord(), isAskedAgain: false)
    // Where it cannot be noted, every warning is the first one.
    _ = try? store?.update { record in
      let isAskedAgain = digest != nil && record.lastRefused == digest
      warning = WarningDecision.decide(choice, record, isAskedAgain: isAskedAgain)
      if let digest { record.lastRefused = digest }
      switch warning {
      case .silent: break
      // Who is asked and keeps the warning wants the next one, too.
      case .shown(let asks): record.wasShown = !(asks && canAsk)
      }
    }
    guard case .shown(let asks) = warning else { return nil }
    return RefusalWarning(refusal: refusal, question: asks && canAsk ? WarningQuestion(self) : nil)
  }

  /// Notes that what the user's own command asked for was taken: the next refusal is not one of the same URL again.
  public func forget() {
    guard let store, store.record().lastRefused != nil else { return }
    // Where it cannot be noted, the next refusal of that URL is told although it need not be.
    _ = try? store.update { $0.lastRefused = nil }
  }

  /// Whether the next refusal is told, and why.
  public enum State: Sendable, Equatable {
    /// It is.
    case kept
    /// One was told: the next is not, unless it is the same again.
    case told
    /// None is, until the warning is kept again.
    case stopped
  }

  /// What is kept on this machine. Throws what reading the document throws.
  public func state() throws(ArtError) -> (state: State, record: WarningRecord) {
    let record = try found().record()
    return (record.isStopped ? .stopped : record.wasShown ? .told : .kept, record)
  }

  /// The next refusal is told. Throws what keeping that throws.
  public func keep() throws(ArtError) { try found().update { $0 = WarningRecord() } }

  /// No refusal is told any more. Throws what keeping that throws, also where there is no place for it.
  public func stop() throws(ArtError) {
    let store = try found()
    _ = try StateFolder.create()
    try store.update { $0.isStopped = true }
  }

  /// Throws why the document has no place for it.
  private func found() throws(ArtError) -> WarningStore {
    if let store { return store }
    return try WarningStore(for: document)
  }
}

/// A refusal that is to be said, and the question that goes with it.
public struct RefusalWarning: Sendable {
  /// What happened.
  public let refusal: Refusal
  /// What the user should be asked; nil where nobody is to be asked.
  public let question: WarningQuestion?
}

/// "Show this warning in the future?"
public struct WarningQuestion: Sendable {
  /// The two answers.
  public enum Answer: Sendable, CaseIterable {
    /// Keep warning: the next refusal is told, too. It is so where nobody answers.
    case keepWarning
    /// Stop warning: no refusal of this document is told on this machine, until the warning is kept again.
    case stopWarning
  }

  private let warnings: RefusalWarnings

  fileprivate init(_ warnings: RefusalWarnings) { self.warnings = warnings }

  /// Takes the answer in. Throws what keeping it throws.
  public func answer(_ answer: Answer) throws(ArtError) {
    if answer == .stopWarning { try warnings.stop() }
  }
}
