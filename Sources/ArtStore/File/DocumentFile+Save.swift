// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtSystem
import Glibc

/// What other programs did to a document since it was in some state.
public struct ExternalChange: Sendable, Equatable {
  /// Their edits, oldest first.
  public let edits: [LoggedEdit]
  /// Whether these are all. Otherwise the document was replaced by another state of itself, a backup for one, or has
  /// moved on further than its log goes back: look at all of it.
  public let isComplete: Bool
  /// The document's revision now, without edits that are not saved.
  public let revision: Int

  /// Whether others did anything: not if it was a save of the program's own of which it did not know.
  public var isNews: Bool { !isComplete || !edits.isEmpty }

  /// What the log of the content as it is in the file tells since the base, by others than the origin, or by anybody; nil
  /// when it is still in that state.
  public init?(in content: DocumentContent, since base: DocumentBase, besides origin: Origin?) {
    let found = DocumentBase(content)
    guard found != base else { return nil }
    let later = content.log.drop { $0.revision <= base.revision }
    let isKnown =
      base.head == nil
      ? content.log.first?.revision == 1
      : content.log.contains { $0.revision == base.revision && $0.id == base.head }
    isComplete = isKnown && later.first?.revision == base.revision + 1
    edits = isComplete ? later.filter { $0.id.origin != origin } : []
    revision = found.revision
  }
}

/// What a save came to.
public struct SaveOutcome: Sendable {
  /// The state that the file is in.
  public let base: DocumentBase
  /// Set when others had saved before.
  public let joined: JoinedEdits?
  /// The digests of the pictures that the file holds.
  public let pictures: Set<String>
}

/// A program's edits on top of what others had saved before it.
public struct JoinedEdits: Sendable {
  /// The document as it is in the file now.
  public let content: DocumentContent
  /// The program's own edits in it.
  public let own: RejoinedEdits
  /// The edits of the others.
  public let others: ExternalChange?
}

extension DocumentFile {
  /// Saves what a program has edited in memory. Edits that an earlier save wrote although it answered an error are
  /// found in the file and made durable, not written again. When others have saved since the base, their edits are
  /// taken in, and the program's are made again on top of them. Edits that lie in a journal are noted to be in the file.
  ///
  /// A background whose bytes the file does not hold any more is not saved: its edit is made again, too, and then has the picture
  /// fetched.
  ///
  /// Throws `replaced` when another document stands at the path, and what `edit` throws; nothing is changed then.
  public func save(_ edits: NetEdits, isJournalled: Bool = false) throws(ArtError) -> SaveOutcome {
    try edit { (transaction) throws(ArtError) in
      guard transaction.id == edits.base.id else { throw .replaced(path) }
      var joined: JoinedEdits?
      if let saved = edits.count(savedIn: transaction), try edits.hasPicture(in: transaction) {
        try edits.write(to: transaction, from: saved)
      } else {
        joined = try transaction.join(edits)
      }
      if isJournalled, let last = edits.unsaved.last {
        try transaction.setSaved(last.origin, upTo: last.sequence)
      }
      let pictures = Set(try transaction.storedPictures().map(\.digest))
      return SaveOutcome(base: transaction.base, joined: joined, pictures: pictures)
    }
  }

  /// The state that the file is in, by the document's own row alone. Throws what `read` throws.
  public func base() throws(ArtError) -> DocumentBase {
    try read { (transaction) throws(ArtError) in transaction.base }
  }

  /// Why the file cannot be written, or nil when it seems that it can. Throws what finding it throws.
  public func readOnlyReason() throws(ArtError) -> String? {
    let file = try locate()
    guard access(file.path, W_OK) == 0 else { return "the file is read-only" }
    guard access(FilePath(file.path).folder, W_OK) == 0 else { return "its folder is read-only" }
    return nil
  }
}

extension DocumentTransaction {
  fileprivate var base: DocumentBase { DocumentBase(id: id, revision: revision, head: head) }

  /// Makes edits again on top of what stands in the file. Those that are in it already are not made twice.
  fileprivate func join(_ edits: NetEdits) throws(ArtError) -> JoinedEdits? {
    guard let origin = edits.unsaved.last?.origin else { return nil }
    var content = try load()
    let found = DocumentBase(content)
    let others = ExternalChange(in: content, since: edits.base, besides: origin)
    // Somebody may have restored the journal, although this program lives: what that brought is not made twice.
    let last = max(try savedSequence(of: origin) ?? 0, content.log.restoredSequence(of: origin) ?? 0)
    let known = Set(content.log.lazy.map(\.id))
    let unsaved = edits.unsaved.without { $0.sequence <= last || known.contains($0) }
    var random = SystemRandomNumberGenerator()
    let own = content.rejoin(unsaved, save: revision + 1, using: &random)
    try NetEdits(own.edits, of: content, since: found).write(to: self, from: 0)
    return JoinedEdits(content: content, own: own, others: others)
  }
}
