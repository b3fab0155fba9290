// SPDX-License-Identifier: Apache-2.0

import ArtModel

/// A document's state by name: what a save is made onto.
public struct DocumentBase: Sendable, Hashable {
  /// The document's own name for itself.
  public let id: DocumentID
  /// The count of edits.
  public let revision: Int
  /// The last edit.
  public let head: EditID?

  /// The state of that name.
  public init(id: DocumentID, revision: Int, head: EditID?) {
    self.id = id
    self.revision = revision
    self.head = head
  }

  /// The state that the content is in.
  public init(_ content: DocumentContent) {
    self.init(id: content.id, revision: content.revision, head: content.head)
  }
}

/// What a program has edited in memory since the document was in the base's state: the new entries of the log, and
/// what they come to, not every step between.
public struct NetEdits: Sendable {
  /// The state that the edits were made on.
  public let base: DocumentBase
  /// The entries, in order; all of one origin.
  public let entries: [LoggedEdit]
  let emojis: [EmojiID: Emoji?]
  let canvas: Canvas
  let background: Background?
  let pending: PendingBackground?

  /// The net of entries that are the end of the content's log.
  public init(_ entries: [LoggedEdit], of content: DocumentContent, since base: DocumentBase) {
    self.base = base
    self.entries = entries
    canvas = content.canvas
    background = content.background
    pending = content.pending
    var emojis: [EmojiID: Emoji?] = [:]
    for id in entries.lazy.flatMap(\.edit.changes).compactMap(\.field.emoji) {
      emojis.updateValue(content.emoji(id), forKey: id)
    }
    self.emojis = emojis
  }

  /// How many of the entries the file holds already, when nothing else has come since the base; nil otherwise.
  func count(savedIn transaction: DocumentTransaction) -> Int? {
    if transaction.revision == base.revision, transaction.head == base.head { return 0 }
    return entries.firstIndex { $0.revision == transaction.revision && $0.id == transaction.head }.map {
      $0 + 1
    }
  }
}

extension DocumentTransaction {
  /// Writes what the edits come to, and the entries from that one on.
  func write(_ edits: NetEdits, from saved: Int) throws(ArtError) {
    guard saved < edits.entries.count else { return try touch() }
    for (id, net) in edits.emojis {
      switch (try emoji(id), net) {
      case (let old?, let new?) where old != new: try update(old, to: new)
      case (let old?, nil): try delete(old)
      case (nil, let new?): try insert(new)
      default: break
      }
    }
    setCanvas(edits.canvas)
    setBackground(edits.background)
    setPending(edits.pending)
    let save = revision + 1
    for entry in edits.entries.dropFirst(saved).suffix(Format.logEdits) {
      try append(entry.marked(save: save))
    }
  }
}
