// SPDX-License-Identifier: Apache-2.0

import ArtModel
import Synchronization

/// Where an open document is stored: a file, or memory.
public protocol DocumentStore: Sendable {
  /// The document's name in messages.
  var path: String { get }
  /// The same store with another timeout for a document that another program has locked.
  func waiting(atMost timeout: Duration) -> Self

  /// Why the document cannot be saved; nil if it seems that it can. Throws what finding the document throws.
  func readOnlyReason() throws(ArtError) -> String?
  /// A stamp of the store's state, made without reading the document. Take it before reading, so that it
  /// never stands for more than was read.
  func stamp() throws(ArtError) -> FileStamp
  /// The document's state.
  func base() throws(ArtError) -> DocumentBase
  /// The whole document.
  func read() throws(ArtError) -> DocumentContent
  /// The same for a program of that origin, which holds `former`.
  func find(by origin: Origin, holding former: HeldFile?) throws(ArtError) -> FoundState
  /// Saves edits that were made in memory, rebased onto what others saved since their base; see
  /// `DocumentFile.save`.
  func save(_ edits: NetEdits, isJournalled: Bool, holding former: HeldFile?) throws(ArtError) -> SaveOutcome
  /// The document's file, held open so that `merge` can read it when another file has taken its place. `former` is given back if it holds that
  /// file already. Nil for a store without a file, and for a file that cannot be opened.
  func hold(_ former: HeldFile?) -> HeldFile?
  /// Merges into the document what was saved in a file that another program's file has replaced, and returns the document's file. Throws
  /// `replaced` if another document is at the path, `parted`, and what else merging throws; then nothing is changed.
  func merge(_ replaced: ReplacedState) throws(ArtError) -> HeldFile?
  /// Keeps such a state apart, where people find it. Returns the paths of files; none where it cannot be kept, and the reason is a notice.
  func setAside(_ replaced: ReplacedState) -> [String]
  /// Stores a picture in a save that is no edit, and returns the digests of all stored pictures.
  func keep(
    _ picture: CheckedPicture, in id: DocumentID, recent: [String], holding former: HeldFile?
  ) throws(ArtError) -> Set<String>
  /// Removes the record of a journal that no longer exists, durably.
  func forget(_ origin: Origin) throws(ArtError)

  /// Restores the document's orphaned journals in the folder, and returns an outcome for each.
  func restoreOrphans(in folder: JournalFolder, by restorer: Author) throws(ArtError) -> [RecoveryOutcome]
  /// A journal for a program that edits the document; nil if the store has none.
  func makeJournal(
    in folder: JournalFolder, on base: DocumentBase, origin: Origin, author: String?
  ) throws(ArtError) -> Journal?
}

/// A document as it is read by a program that may have saved edits in it.
public struct FoundState: Sendable {
  /// The whole document.
  public let content: DocumentContent
  /// The sequence number of the program's last edit that the document records as saved; nil without a record.
  public let savedSequence: Int?
  /// The document's file, held open. Nil if another one has taken its place while it was read, and for a store without a file.
  public let file: HeldFile?
}

/// What a program had saved in a file that another one has replaced.
public final class ReplacedState: Sendable {
  /// The document as it was saved; nil if the program does not know each of its edits any more.
  public let content: DocumentContent?
  /// The file, which has the pictures, too, and the edits that have left the log; nil if it is not held.
  public let file: HeldFile?

  /// Nil if nothing is known of the state.
  public init?(_ content: DocumentContent?, in file: HeldFile?) {
    guard content != nil || file != nil else { return nil }
    (self.content, self.file) = (content, file)
  }
}

// MARK: - A file as a store

extension DocumentFile: DocumentStore {
  /// The same file with another timeout.
  public func waiting(atMost timeout: Duration) -> DocumentFile {
    var file = self
    file.timeout = timeout
    return file
  }

  /// A journal for a program that edits the document. Throws what `Journal.init` throws.
  public func makeJournal(
    in folder: JournalFolder, on base: DocumentBase, origin: Origin, author: String?
  ) throws(ArtError) -> Journal? {
    try Journal(in: folder, of: self, on: base, origin: origin, author: author)
  }

  /// Restores the document's orphaned journals in the folder, reports each as a notice, and returns the
  /// outcomes. Throws what the other `restoreOrphans` throws.
  public func restoreOrphans(
    in folder: JournalFolder, by restorer: Author
  ) throws(ArtError) -> [RecoveryOutcome] {
    var outcomes: [RecoveryOutcome] = []
    try restoreOrphans(in: folder, by: { () throws(ArtError) in restorer }) { outcome in
      outcomes.append(outcome)
      switch outcome {
      case .kept(let error): notice(.kept(error))
      case .restored(let report) where report.edits > 0:
        let edits = report.edits == 1 ? "1 edit" : "\(report.edits) edits"
        let lost =
          report.dropped.isEmpty
          ? "" : "; \(report.dropped.count) changes were left out, the history keeps them"
        notice(.line("\(path): restored \(edits) of a program that ended without saving them\(lost)"))
        if report.isBeyondLog { notice(.line(report.beyondLog(of: path))) }
      case .restored: break
      }
    }
    return outcomes
  }
}

// MARK: - A store in memory

/// A document in memory, for tests and for programs that need no file. Any number of `Document`s may be open
/// on one store, as several programs open one file; each save rebases onto the saves before. It has no
/// journals.
public final class MemoryStore: DocumentStore {
  private struct State {
    var content: DocumentContent
    /// For each program with a journal, the sequence number of its last saved edit.
    var origins: [Origin: Int] = [:]
    /// The digests of the pictures, newest first.
    var pictures: [String] = []
    var writes = 0
  }

  /// The document's name in messages.
  public let path: String
  private let state: Mutex<State>

  /// A store with that document; messages name it `path`.
  public init(_ content: DocumentContent, path: String = "memory") {
    self.path = path
    state = Mutex(State(content: content, pictures: Array(content.pictures)))
  }

  /// A store with a new, empty document.
  public convenience init(
    canvas: Canvas = .standard, path: String = "memory", using generator: inout some RandomNumberGenerator
  ) {
    self.init(DocumentContent(id: DocumentID(using: &generator), canvas: canvas), path: path)
  }

  /// The store itself, because no other program locks memory.
  public func waiting(atMost timeout: Duration) -> MemoryStore { self }

  /// Nil, because memory can always be written.
  public func readOnlyReason() -> String? { nil }

  /// A stamp that changes with each write.
  public func stamp() -> FileStamp { state.withLock { FileStamp(writes: $0.writes) } }

  /// The document's state.
  public func base() -> DocumentBase { state.withLock { DocumentBase($0.content) } }

  /// The whole document.
  public func read() -> DocumentContent { state.withLock(\.content) }

  /// The same, with what is recorded of the program's edits.
  public func find(by origin: Origin, holding former: HeldFile?) -> FoundState {
    state.withLock { FoundState(content: $0.content, savedSequence: $0.origins[origin], file: nil) }
  }

  /// Saves edits, rebased onto what others saved. Throws `replaced` for those of another document, and `movedOn` if it
  /// lacks `edits.last`.
  public func save(
    _ edits: NetEdits, isJournalled: Bool, holding former: HeldFile? = nil
  ) throws(ArtError) -> SaveOutcome {
    try state.withLock { (state) throws(ArtError) in
      guard state.content.id == edits.base.id else { throw .replaced(path) }
      let origins = state.origins
      let rebased = try edits.save(to: &state.content, named: path) { (origin) throws(ArtError) in
        origins[origin]
      }
      if isJournalled, let last = edits.unsaved.last { state.origins[last.origin] = last.sequence }
      state.content.trimLog()
      state.writes += 1
      return SaveOutcome(
        base: DocumentBase(state.content), rebased: rebased, pictures: Set(state.pictures), file: nil)
    }
  }

  /// Nil: a memory store has no file.
  public func hold(_ former: HeldFile?) -> HeldFile? { nil }

  /// Merges a copy of the document into it. Throws as `DocumentMerge` does.
  public func merge(_ replaced: ReplacedState) throws(ArtError) -> HeldFile? {
    guard let content = replaced.content else { return nil }
    try state.withLock { (state) throws(ArtError) in
      let merge = try DocumentMerge(state.content, content, named: DocumentCopy.markOrigin)
      guard merge.source != .first else { return }
      state.content = merge.content
      state.content.trimLog()
      state.content.setPictures(Set(state.pictures))
      state.writes += 1
    }
    return nil
  }

  /// None: memory has no place for copies.
  public func setAside(_ replaced: ReplacedState) -> [String] { [] }

  /// Stores a picture, and keeps as many others as a file does. Throws `replaced` if the document is another
  /// one.
  public func keep(
    _ picture: CheckedPicture, in id: DocumentID, recent: [String], holding former: HeldFile? = nil
  ) throws(ArtError) -> Set<String> {
    try keep(picture.digest, in: id)
  }

  func keep(_ digest: String, in id: DocumentID) throws(ArtError) -> Set<String> {
    try state.withLock { (state) throws(ArtError) in
      guard state.content.id == id else { throw .replaced(path) }
      let present = state.content.background?.digest
      var stored = [digest]
      for other in state.pictures where other != digest {
        if other == present || stored.count < Format.pictures - (present == nil ? 0 : 1) {
          stored.append(other)
        }
      }
      state.pictures = stored
      state.content.setPictures(Set(stored))
      state.writes += 1
      return Set(stored)
    }
  }

  /// Removes the record of a journal.
  public func forget(_ origin: Origin) { state.withLock { $0.origins[origin] = nil } }

  /// Does nothing, because there are no journals.
  public func restoreOrphans(in folder: JournalFolder, by restorer: Author) -> [RecoveryOutcome] { [] }

  /// Nil, because memory does not outlive its program.
  public func makeJournal(
    in folder: JournalFolder, on base: DocumentBase, origin: Origin, author: String?
  ) -> Journal? {
    nil
  }

  /// Replaces the document by another state of itself, as restoring a backup does. The records of journals are those of that time.
  public func replace(_ content: DocumentContent) {
    state.withLock { state in
      state.content = content
      for origin in state.origins.keys {
        state.origins[origin] = content.log.last { $0.id.origin == origin }?.id.sequence
      }
      state.pictures = Array(content.pictures)
      state.writes += 1
    }
  }

  /// Applies the edits of a killed program as restoring its journal does. Edits that were saved are not
  /// applied twice.
  func restore(_ entries: [LoggedEdit], at time: Int) throws(ArtError) {
    try state.withLock { (state) throws(ArtError) in
      guard let origin = entries.last?.id.origin, let last = entries.last?.id.sequence else { return }
      let saved = max(state.origins[origin] ?? 0, state.content.log.restoredSequence(of: origin) ?? 0)
      let new = entries.filter { $0.id.sequence > saved }
      let rest = RepeatedEdits(new, in: state.content.log).rest(of: new)
      let plan = try RestorePlan(rest, on: state.content)
      for part in plan.parts {
        let stamp = EditStamp(id: part.stamp.id, time: time)
        try state.content.apply(part, stamp.on(behalfOf: part.stamp, as: part.stamp.id.forRestore))
      }
      state.origins[origin] = last
      state.writes += 1
    }
  }
}
