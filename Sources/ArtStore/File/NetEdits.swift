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
/// what all edits come to, not every step between.
public struct NetEdits: Sendable {
  /// The state that the edits were made on.
  public let base: DocumentBase
  /// The edits, of one origin.
  public let unsaved: UnsavedEdits
  private let emojis: [EmojiID: Emoji?]
  private let canvas: Canvas
  private let background: Background?
  private let pending: PendingBackground?

  /// The net of edits that are the last ones of the content.
  public init(_ unsaved: UnsavedEdits, of content: DocumentContent, since base: DocumentBase) {
    self.base = base
    self.unsaved = unsaved
    canvas = content.canvas
    background = content.background
    pending = content.pending
    var emojis: [EmojiID: Emoji?] = [:]
    for id in unsaved.emojis { emojis.updateValue(content.emoji(id), forKey: id) }
    self.emojis = emojis
  }

  /// How many of the entries the file holds already, when nothing else has come since the base; nil otherwise.
  func count(savedIn transaction: DocumentTransaction) -> Int? {
    if transaction.revision == base.revision, transaction.head == base.head { return 0 }
    return unsaved.entries.firstIndex {
      $0.revision == transaction.revision && $0.id == transaction.head
    }.map { $0 + 1 }
  }

  /// Whether the file has the picture of the background that the edits come to: others' pictures may have taken its room since.
  func hasPicture(in transaction: DocumentTransaction) throws(ArtError) -> Bool {
    guard let background, background.digest != transaction.background?.digest else { return true }
    return try transaction.holdsPicture(background.digest)
  }

  /// Writes what the edits come to, and the entries from that one on.
  func write(to transaction: DocumentTransaction, from saved: Int) throws(ArtError) {
    guard saved < unsaved.entries.count else { return try transaction.touch() }
    for (id, net) in emojis {
      switch (try transaction.emoji(id), net) {
      case (let old?, let new?) where old != new: try transaction.update(old, to: new)
      case (let old?, nil): try transaction.delete(old)
      case (nil, let new?): try transaction.insert(new)
      default: break
      }
    }
    transaction.setCanvas(canvas)
    transaction.setBackground(background)
    transaction.setPending(pending)
    let save = transaction.revision + 1
    for entry in unsaved.entries.dropFirst(saved).suffix(Format.logEdits) {
      try transaction.append(entry.marked(save: save))
    }
  }
}
