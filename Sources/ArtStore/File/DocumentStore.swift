// SPDX-License-Identifier: Apache-2.0

import ArtModel
import Synchronization

/// Where an open document is kept: a file, or memory.
public protocol DocumentStore: Sendable {
  /// What messages call the document.
  var path: String { get }
  /// The same store, where a document that another program holds is waited for that long at most.
  func waiting(atMost timeout: Duration) -> Self

  /// Why the document cannot be saved, or nil when it seems that it can. Throws what finding it throws.
  func readOnlyReason() throws(ArtError) -> String?
  /// Names the state of the store without reading the document. Take it before reading: it then never vouches for more than was read.
  func stamp() throws(ArtError) -> FileStamp
  /// The state that the document is in.
  func base() throws(ArtError) -> DocumentBase
  /// The whole document.
  func read() throws(ArtError) -> DocumentContent
  /// Saves what a program has edited in memory, on top of what others saved since its base: see `DocumentFile.save`.
  func save(_ edits: NetEdits, isJournalled: Bool) throws(ArtError) -> SaveOutcome
  /// Keeps a picture's bytes, in a save of their own that is no edit, and returns the digests of all that are kept.
  func keep(_ picture: CheckedPicture, in id: DocumentID, recent: [String]) throws(ArtError) -> Set<String>
  /// Forgets a journal of which nothing is left, durably.
  func forget(_ origin: Origin) throws(ArtError)

  /// Restores orphaned journals of the document that lie in the folder, gives notice of it, and returns what became of each.
  func restoreOrphans(in folder: JournalFolder, by restorer: Author) throws(ArtError) -> [RecoveryOutcome]
  /// The journal of a program that edits the document; nil where the store keeps none.
  func makeJournal(
    in folder: JournalFolder, on base: DocumentBase, origin: Origin, author: String?
  ) throws(ArtError) -> Journal?
}

extension DocumentFile: DocumentStore {
  /// The same file, where a document that another program holds is waited for that long at most.
  public func waiting(atMost timeout: Duration) -> DocumentFile {
    var file = self
    file.timeout = timeout
    return file
  }

  /// The journal of a program that edits the document. Throws what `Journal.init` throws.
  public func makeJournal(
    in folder: JournalFolder, on base: DocumentBase, origin: Origin, author: String?
  ) throws(ArtError) -> Journal? {
    try Journal(in: folder, of: self, on: base, origin: origin, author: author)
  }

  /// Restores orphaned journals of the document that lie in the folder, gives notice of it, and returns what became of each. Throws what
  /// `restoreOrphans` throws.
  public func restoreOrphans(
    in folder: JournalFolder, by restorer: Author
  ) throws(ArtError) -> [RecoveryOutcome] {
    var outcomes: [RecoveryOutcome] = []
    try restoreOrphans(in: folder, by: { () throws(ArtError) in restorer }) { outcome in
      outcomes.append(outcome)
      switch outcome {
      case .kept(let error): notice(error.message)
      case .restored(let report) where report.edits > 0:
        let edits = report.edits == 1 ? "1 edit" : "\(report.edits) edits"
        let lost =
          report.dropped.isEmpty
          ? "" : "; \(report.dropped.count) changes were left out, the history keeps them"
        notice("\(path): restored \(edits) of a program that ended without saving them\(lost)")
        if report.isBeyondLog { notice(report.beyondLog(of: path)) }
      case .restored: break
      }
    }
    return outcomes
  }
}

/// A document that is kept in memory only: for tests, and for programs that want a document without a file. Any number of
/// documents may be open on one store, as programs have one file open; each joins what the others saved. It keeps no journals.
public final class MemoryStore: DocumentStore {
  private struct State {
    var content: DocumentContent
    /// For each program with a journal, the number of its last edit that was saved.
    var origins: [Origin: Int] = [:]
    /// The digests of the pictures, newest first.
    var pictures: [String] = []
    var writes = 0
  }

  /// What messages call the document.
  public let path: String
  private let state: Mutex<State>

  /// A store that holds that document; messages call it `path`.
  public init(_ content: DocumentContent, path: String = "memory") {
    self.path = path
    state = Mutex(State(content: content, pictures: Array(content.pictures)))
  }

  /// A store that holds a new, empty document.
  public convenience init(
    canvas: Canvas = .standard, path: String = "memory", using generator: inout some RandomNumberGenerator
  ) {
    self.init(DocumentContent(id: DocumentID(using: &generator), canvas: canvas), path: path)
  }

  /// The store itself: no other program holds memory.
  public func waiting(atMost timeout: Duration) -> MemoryStore { self }

  /// Nil: memory can be written.
  public func readOnlyReason() -> String? { nil }

  /// A stamp that differs after each save.
  public func stamp() -> FileStamp { state.withLock { FileStamp(writes: $0.writes) } }

  /// The state that the document is in.
  public func base() -> DocumentBase { state.withLock { DocumentBase($0.content) } }

  /// The whole document.
  public func read() -> DocumentContent { state.withLock(\.content) }

  /// Saves edits on top of what others saved. Throws `replaced` when they are of another document.
  public func save(_ edits: NetEdits, isJournalled: Bool) throws(ArtError) -> SaveOutcome {
    try state.withLock { (state) throws(ArtError) in
      guard state.content.id == edits.base.id else { throw .replaced(path) }
      let origins = state.origins
      let rebased = try edits.save(to: &state.content) { (origin) throws(ArtError) in origins[origin] }
      if isJournalled, let last = edits.unsaved.last { state.origins[last.origin] = last.sequence }
      state.content.trimLog(entries: Format.logEdits, changes: .max)
      state.writes += 1
      return SaveOutcome(
        base: DocumentBase(state.content), rebased: rebased, pictures: Set(state.pictures))
    }
  }

  /// Keeps a picture, and of the others as many as a file does. Throws `replaced` when the document is another one.
  public func keep(
    _ picture: CheckedPicture, in id: DocumentID, recent: [String]
  ) throws(ArtError) -> Set<String> {
    try keep(picture.digest, in: id)
  }

  func keep(_ digest: String, in id: DocumentID) throws(ArtError) -> Set<String> {
    try state.withLock { (state) throws(ArtError) in
      guard state.content.id == id else { throw .replaced(path) }
      let present = state.content.background?.digest
      var kept = [digest]
      for other in state.pictures where other != digest {
        if other == present || kept.count < Format.pictures - (present == nil ? 0 : 1) { kept.append(other) }
      }
      state.pictures = kept
      state.content.setPictures(Set(kept))
      state.writes += 1
      return Set(kept)
    }
  }

  /// Forgets a program's journal.
  public func forget(_ origin: Origin) { state.withLock { $0.origins[origin] = nil } }

  /// Nothing: there are no journals.
  public func restoreOrphans(in folder: JournalFolder, by restorer: Author) -> [RecoveryOutcome] { [] }

  /// Nil: memory outlives no program.
  public func makeJournal(
    in folder: JournalFolder, on base: DocumentBase, origin: Origin, author: String?
  ) -> Journal? {
    nil
  }

  /// Replaces the document by another state of itself, as when a backup is put back.
  public func replace(_ content: DocumentContent) {
    state.withLock { state in
      state.content = content
      state.pictures = Array(content.pictures)
      state.writes += 1
    }
  }

  /// Brings in the edits of a program that was killed, as the restore of its journal does; what was saved is not brought twice.
  func restore(_ entries: [LoggedEdit], at time: Int) throws(ArtError) {
    try state.withLock { (state) throws(ArtError) in
      guard let origin = entries.last?.id.origin, let last = entries.last?.id.sequence else { return }
      let saved = max(state.origins[origin] ?? 0, state.content.log.restoredSequence(of: origin) ?? 0)
      let plan = try RestorePlan(entries.filter { $0.id.sequence > saved }, on: state.content)
      for part in plan.parts {
        let stamp = EditStamp(id: part.stamp.id, time: time)
        try state.content.apply(part, stamp.on(behalfOf: part.stamp, as: part.stamp.id.forRestore))
      }
      state.origins[origin] = last
      state.writes += 1
    }
  }
}
