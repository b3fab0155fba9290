// SPDX-License-Identifier: Apache-2.0

import ArtModel

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
