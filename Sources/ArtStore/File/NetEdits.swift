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

  /// Saves the edits to a document. Those that an earlier save wrote although it answered an error are found in it and made durable,
  /// not written again. When others have saved since the base, their edits are taken in, and these are made again on top of them: then
  /// that is returned.
  ///
  /// `savedSequence` tells the number of an origin's last edit that the document has, as far as it says. A background whose bytes the
  /// document does not hold any more is not saved: its edit is made again, too, and then has the picture fetched.
  func save(
    to art: inout some SavableArt, savedSequence: (Origin) throws(ArtError) -> Int?
  ) throws(ArtError) -> RebasedEdits? {
    if let saved = countSaved(in: art), try hasPicture(in: art) {
      try write(to: &art, from: saved)
      return nil
    }
    guard let origin = unsaved.last?.origin else { return nil }
    var content = try art.load()
    let found = DocumentBase(content)
    let others = ExternalChange(in: content, since: base, besides: origin)
    // Somebody may have restored the journal, although this program lives: what that brought is not made twice.
    let last = max(try savedSequence(origin) ?? 0, content.log.restoredSequence(of: origin) ?? 0)
    let known = Set(content.log.lazy.map(\.id))
    let rest = unsaved.without { $0.sequence <= last || known.contains($0) }
    var random = SystemRandomNumberGenerator()
    let own = content.rejoin(rest, save: found.revision + 1, using: &random)
    try NetEdits(own.edits, of: content, since: found).write(to: &art, from: 0)
    return RebasedEdits(content: content, own: own, others: others)
  }

  /// How many of the entries the document holds already, when nothing else has come since the base; nil otherwise.
  private func countSaved(in art: some SavableArt) -> Int? {
    if art.revision == base.revision, art.head == base.head { return 0 }
    return unsaved.entries.firstIndex { $0.revision == art.revision && $0.id == art.head }.map { $0 + 1 }
  }

  /// Whether the document has the picture of the background that the edits come to: others' pictures may have taken its room since.
  private func hasPicture(in art: some SavableArt) throws(ArtError) -> Bool {
    guard let background, background.digest != art.background?.digest else { return true }
    return try art.holdsPicture(background.digest)
  }

  /// Writes what the edits come to, and the entries from that one on.
  private func write(to art: inout some SavableArt, from saved: Int) throws(ArtError) {
    guard saved < unsaved.entries.count else { return try art.touch() }
    for (id, net) in emojis {
      switch (try art.emoji(id), net) {
      case (let old?, let new?) where old != new: try art.update(old, to: new)
      case (let old?, nil): try art.delete(old)
      case (nil, let new?): try art.insert(new)
      default: break
      }
    }
    try art.setCanvas(canvas)
    try art.setBackground(background)
    try art.setPending(pending)
    let save = art.revision + 1
    for entry in unsaved.entries.dropFirst(saved).suffix(Format.logEdits) {
      try art.append(entry.marked(save: save))
    }
  }
}

/// A document as a save finds it: the rows of a file inside a transaction, or a document in memory.
protocol SavableArt: EditableArt {
  /// The count of edits that the document has seen.
  var revision: Int { get }
  /// The last edit.
  var head: EditID? { get }
  /// The whole document, verified.
  func load() throws(ArtError) -> DocumentContent
  /// Writes an entry that has been applied into the log.
  mutating func append(_ entry: LoggedEdit) throws(ArtError)
  /// Makes what is there already durable once more: what can be read may be in memory only.
  mutating func touch() throws(ArtError)
}

extension DocumentTransaction: SavableArt {}

extension DocumentContent: SavableArt {
  func load() -> DocumentContent { self }
  func touch() {}
}
