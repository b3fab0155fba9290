// SPDX-License-Identifier: Apache-2.0

import ArtModel

/// The name of a document's state, which a save is based on.
public struct DocumentBase: Sendable, Hashable {
  /// The document's id.
  public let id: DocumentID
  /// The number of edits the document has seen.
  public let revision: Int
  /// The id of the last edit.
  public let head: EditID?

  /// A state of these values.
  public init(id: DocumentID, revision: Int, head: EditID?) {
    self.id = id
    self.revision = revision
    self.head = head
  }

  /// A text that names the state: another state has another one. Named versions are no part of a state: see `FileState`.
  public var key: String { "\(id).\(revision).\(head?.description ?? "")" }

  /// The state of a content.
  public init(_ content: DocumentContent) {
    self.init(id: content.id, revision: content.revision, head: content.head)
  }
}

/// All that a document's file holds, by name: the state, and the digest over all rows, those of named versions, pictures and records of
/// journals included. What compares files compares these; a `DocumentBase` names the art and its edits only.
public struct FileState: Sendable, Hashable {
  /// The state of the document.
  public let base: DocumentBase
  /// The digest over all rows of the file.
  private let digest: Int

  init(_ art: ArtRow) {
    base = DocumentBase(id: art.id, revision: art.revision, head: art.head)
    digest = art.digest.value
  }

  /// A text that names all of it: a file that differs in any row has another one.
  public var key: String {
    let digits = String(UInt64(bitPattern: Int64(digest)), radix: 16)
    return "\(base.key).\(String(repeating: "0", count: 16 - digits.count))\(digits)"
  }
}

/// A program's edits in memory since the base: the new entries of the log and their net effect, without the
/// steps between.
public struct NetEdits: Sendable {
  /// The state that the edits were made on.
  public let base: DocumentBase
  /// The edits, all of one origin.
  public let unsaved: UnsavedEdits
  /// The last edit that their program had saved before. A document that lacks it is in a state that another program has put back.
  public private(set) var last: EditID?
  private let known: KnownEdits
  private let emojis: [EmojiID: Emoji?]
  private let canvas: Canvas
  private let fill: Color?
  private let background: Background?
  private let pending: PendingBackground?

  /// The net of the edits at the end of the content's log, which are saved only on top of `last`, if there is such an edit.
  public init(
    _ unsaved: UnsavedEdits, of content: DocumentContent, since base: DocumentBase, after last: EditID? = nil
  ) {
    self.base = base
    self.unsaved = unsaved
    self.last = last
    known = KnownEdits(content.log.dropLast(unsaved.entries.count))
    canvas = content.canvas
    fill = content.fill
    background = content.background
    pending = content.pending
    var emojis: [EmojiID: Emoji?] = [:]
    for id in unsaved.emojis { emojis.updateValue(content.emoji(id), forKey: id) }
    self.emojis = emojis
  }

  /// The same edits, saved on top of any state of the document.
  public var onAnyState: NetEdits {
    var edits = self
    edits.last = nil
    return edits
  }

  /// Saves the edits to a document.
  ///
  /// If an earlier save reported an error but wrote them, they are found in the document and made durable,
  /// not written twice. If others have saved since the base, the edits are rebased onto theirs, and the
  /// result is returned. Throws `movedOn` if the document is in another state that lacks `last`.
  ///
  /// `savedSequence` gives the sequence number of an origin's last edit that the document records, if any. If
  /// the document no longer has the picture of the background, that edit is rebased too, and makes the
  /// picture pending.
  func save(
    to art: inout some SavableArt, named name: String, savedSequence: (Origin) throws(ArtError) -> Int?
  ) throws(ArtError) -> RebasedSave? {
    if let saved = try countSaved(in: art), try hasPicture(in: art) {
      try write(to: &art, from: saved)
      return nil
    }
    guard let origin = unsaved.last?.origin else { return nil }
    var content = try art.load()
    let found = DocumentBase(content)
    let others = ExternalChange(in: content, since: base, knowing: known, besides: origin)
    let recorded = try savedSequence(origin)
    let isLost =
      last.map { (recorded ?? 0) < $0.sequence && !content.log.lazy.map(\.id).contains($0) } ?? false
    if let last, let others, !others.isComplete, isLost { throw .lacking(last, name) }
    // Another program may have restored the journal although this one is running. What it applied is not
    // applied twice.
    let restored = max(recorded ?? 0, content.log.restoredSequence(of: origin) ?? 0)
    let known = Set(content.log.lazy.map(\.id))
    let rest = unsaved.without { $0.sequence <= restored || known.contains($0) }
    var random = SystemRandomNumberGenerator()
    let own = content.rebase(rest, save: found.revision + 1, using: &random)
    try NetEdits(own.edits, of: content, since: found).write(to: &art, from: 0)
    return RebasedSave(content: content, own: own, others: others, savedBefore: recorded)
  }

  /// What others have done since the base in a stored content that has all of these edits; nil if it lacks one.
  func others(in content: DocumentContent) -> ExternalChange? {
    let there = Set(content.log.lazy.map(\.id))
    guard unsaved.entries.allSatisfy({ there.contains($0.id) }) else { return nil }
    return ExternalChange(in: content, since: base, knowing: known, besides: unsaved.last?.origin)
  }

  /// How many of the entries the document has already, if nothing else was saved since the base; else nil.
  private func countSaved(in art: some SavableArt) throws(ArtError) -> Int? {
    if art.revision == base.revision, art.head == base.head { return 0 }
    guard let last = unsaved.entries.firstIndex(where: { $0.revision == art.revision && $0.id == art.head }),
      let first = unsaved.entries.first
    else { return nil }
    // An edit of others, in whose place one of these was left out, leaves the revision of the last one as it was.
    guard try art.loggedID(at: first.revision).map({ $0 == first.id }) ?? true else { return nil }
    return last + 1
  }

  /// Whether the document has the picture of the new background. Pictures of others may have evicted it.
  private func hasPicture(in art: some SavableArt) throws(ArtError) -> Bool {
    guard let background, background.digest != art.background?.digest else { return true }
    return try art.holdsPicture(background.digest)
  }

  /// Writes the net effect, and the log entries after the first `saved`.
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
    try art.setFill(fill)
    try art.setBackground(background)
    try art.setPending(pending)
    let save = art.revision + 1
    let new = unsaved.entries.dropFirst(saved)
    // The oldest edits may be known by their net changes only.
    if new.first.map({ $0.revision != save }) ?? false { try art.forgetEdits() }
    for entry in new { try art.append(entry.marked(save: save)) }
  }
}

// MARK: - What a save writes to

/// A document that a save writes to: the rows of a file in a transaction, or a content in memory.
protocol SavableArt: EditableArt {
  /// The id of the last edit.
  var head: EditID? { get }
  /// The whole document, verified.
  func load() throws(ArtError) -> DocumentContent
  /// The edit of a revision; nil if the log has none of it any more.
  func loggedID(at revision: Int) throws(ArtError) -> EditID?
  /// Removes all edits of the log and of the archive: those that follow are not known one by one.
  mutating func forgetEdits() throws(ArtError)
  /// Adds an entry to the log whose changes have been applied.
  mutating func append(_ entry: LoggedEdit) throws(ArtError)
  /// Makes the stored content durable once more: what can be read may be in memory only.
  mutating func touch() throws(ArtError)
}

extension DocumentTransaction: SavableArt {}

extension DocumentContent: SavableArt {
  func load() -> DocumentContent { self }
  func loggedID(at revision: Int) -> EditID? { log.first { $0.revision == revision }?.id }
  func touch() {}
  mutating func forgetEdits() { clearLog() }
}
