// SPDX-License-Identifier: Apache-2.0

/// The art of a document at an earlier revision, from its present art and its log.
///
///     present ──inverse of the newest entry──▶ one revision earlier ──inverse of the entry before──▶ … ──▶ wanted revision
///
/// - Only fields that entries set are kept, with the values of now and of then. A field that a thousand edits set is one difference.
/// - Each entry is compared with what was reached: its changes must be there before its inverse is applied. In a log that was merged, an
///   entry may have changes of an emoji that was gone, and additions of one that was there.
/// - The log reaches back to the revision before its oldest entry. It reaches less far
///   - where revisions are missing: the edits between are known by their net changes only, or were lost;
///   - where a repair is: it may have lost emoji that no entry names;
///   - where the changes of an entry are not there: another program wrote the log or the art.
///
/// The time is proportional to the changes in the log after the revision, and on the rows of a file each emoji is read once.
struct EarlierArt {
  /// The revision that was reached.
  private(set) var revision: Int
  /// The last edit of that revision; nil at revision 0, and where the log begins with the edit after it.
  private(set) var head: EditID?
  private(set) var canvas: Canvas
  private(set) var fill: Color?
  private(set) var background: Background?
  private(set) var pending: PendingBackground?
  /// The emoji that entries touch, as they are and as they were; nil where there is none. `places` has the place of each in both.
  private var now: [Emoji?] = []
  private var then: [Emoji?] = []
  private var places: [EmojiID: Int] = [:]

  /// Goes back to a revision. Throws `noSuchRevision`, and what reading throws.
  init(at wanted: Int, in art: some ArtReading) throws(ArtError) {
    try self.init(backTo: wanted, in: art)
    guard revision == wanted else {
      throw .noSuchRevision(wanted, within: revision...art.revision)
    }
  }

  /// The oldest revision that the log reaches. Throws what reading throws.
  static func oldestRevision(in art: some ArtReading) throws(ArtError) -> Int {
    try EarlierArt(backTo: nil, in: art).revision
  }

  /// Goes back as far as possible, at most to the wanted revision.
  private init(backTo wanted: Int?, in art: some ArtReading) throws(ArtError) {
    revision = art.revision
    canvas = art.canvas
    fill = art.fill
    background = art.background
    pending = art.pending
    try art.newestEdits { (entry) throws(ArtError) in
      guard entry.revision == revision, revision > 0 else { return false }
      let isThere = wanted.map { revision <= $0 } ?? false
      guard !isThere, !entry.isRepair, try goBack(before: entry, in: art) else {
        head = entry.id
        return false
      }
      revision -= 1
      return true
    }
  }

  /// Applies an entry's inverse. Returns false if the entry does not fit: then some of its changes may be reverted.
  private mutating func goBack(before entry: LoggedEdit, in art: some ArtReading) throws(ArtError) -> Bool {
    var inverse = entry.inverse[...]
    for change in entry.edit.changes.reversed() {
      if let old = inverse.first, old.field == change.field {
        guard try goBack(change, old, in: art) else { return false }
        inverse.removeFirst()
      } else if case .add(let emoji) = change, case .set(emoji.id, _)? = inverse.first {
        // In a merged log: the emoji was there, and got these values.
        for single in change.fieldByField.reversed() {
          guard let old = inverse.popFirst(), try goBack(single, old, in: art) else { return false }
        }
      } else {
        // In a merged log: the emoji was gone.
        guard let id = change.field.emoji, try then[place(of: id, in: art)] == nil else { return false }
      }
    }
    return inverse.isEmpty
  }

  private mutating func goBack(
    _ change: Change, _ inverse: Change, in art: some ArtReading
  ) throws(ArtError) -> Bool {
    switch (change, inverse) {
    case (.add(let emoji), .remove(let id)) where emoji.id == id:
      let place = try place(of: id, in: art)
      guard then[place] == emoji else { return false }
      then[place] = nil
    case (.remove(let id), .add(let emoji)) where emoji.id == id:
      let place = try place(of: id, in: art)
      guard then[place] == nil else { return false }
      then[place] = emoji
    case (.set(let id, let new), .set(let other, let old)) where id == other && new.field == old.field:
      let place = try place(of: id, in: art)
      guard then[place]?[new.field] == new else { return false }
      then[place]?.set(old)
    case (.setCanvas(let new), .setCanvas(let old)): return Self.revert(&canvas, from: new, to: old)
    case (.setFill(let new), .setFill(let old)): return Self.revert(&fill, from: new, to: old)
    case (.setBackground(let new), .setBackground(let old)):
      return Self.revert(&background, from: new, to: old)
    case (.setPending(let new), .setPending(let old)): return Self.revert(&pending, from: new, to: old)
    default: return false
    }
    return true
  }

  /// The place of an emoji in `now` and `then`.
  private mutating func place(of id: EmojiID, in art: some ArtReading) throws(ArtError) -> Int {
    if let place = places[id] { return place }
    let emoji = try art.emoji(id)
    places[id] = now.count
    now.append(emoji)
    then.append(emoji)
    return now.count - 1
  }

  private static func revert<Value: Equatable>(_ value: inout Value, from new: Value, to old: Value) -> Bool {
    guard value == new else { return false }
    value = old
    return true
  }

  /// The emoji that may differ, as they were; nil for those that there were not.
  var emojis: some Sequence<(id: EmojiID, then: Emoji?)> { places.lazy.map { ($0.key, then[$0.value]) } }

  /// What leads from the present art to the earlier one.
  func effect(on art: some ArtReading) -> ContentEffect {
    var (added, removed): ([Emoji], [EmojiID]) = ([], [])
    var updated: [ContentEffect.Update] = []
    for (now, then) in zip(now, then) {
      switch (now, then) {
      case (nil, let then?): added.append(then)
      case (let now?, nil): removed.append(now.id)
      case (let now?, let then?):
        if let update = ContentEffect.Update(from: now, to: then) { updated.append(update) }
      case (nil, nil): break
      }
    }
    return ContentEffect(
      added: added, updated: updated, removed: removed, canvas: canvas == art.canvas ? nil : canvas,
      fill: fill == art.fill ? nil : .some(fill),
      background: background == art.background ? nil : .some(background),
      pending: pending == art.pending ? nil : .some(pending))
  }
}

// MARK: - The content of an earlier revision

extension DocumentContent {
  /// The revisions of which the content can be computed: from the oldest one that the log reaches to the present one. The time is that of
  /// `content(at:)` for the oldest one.
  public var reachableRevisions: ClosedRange<Int> {
    get throws(ArtError) { try EarlierArt.oldestRevision(in: self)...revision }
  }

  /// The content at an earlier revision, with its revision, its head and the log until then. Throws `noSuchRevision` for a revision that
  /// the log does not reach, or that the document has not had.
  ///
  /// The head is nil where the log begins with the edit after it. The bytes of the background may be gone from the file:
  /// `holdsPicture` says so. `pictures` are the present ones.
  ///
  /// It depends on the value alone, so that a slider may ask again and again without a file or an open document. The time is
  /// proportional to the number of emoji and to the changes in the log after the revision; `docs/BENCHMARKS.md` has figures.
  public func content(at revision: Int) throws(ArtError) -> DocumentContent {
    let earlier = try EarlierArt(at: revision, in: self)
    var content = self
    content.replace(earlier.emojis)
    content.setCanvas(earlier.canvas)
    content.setFill(earlier.fill)
    content.setBackground(earlier.background)
    content.setPending(earlier.pending)
    content.cutLog(at: revision, head: earlier.head)
    content.checkInvariants()
    return content
  }
}

// MARK: - Going back

/// One edit after which the art is what it was at an earlier revision or in a named version. The log grows by that edit, and one undo takes it
/// back.
///
/// As with an undo, a background whose bytes are not stored any more becomes pending, which applying the edit reports, and a pending background
/// that is back is fetched like any that becomes pending.
public struct RevertPlan: Sendable, Equatable {
  /// The name of the edit.
  private let name: String
  /// The revision.
  public let revision: Int
  /// The difference from the present art to that of the revision.
  public let effect: ContentEffect

  /// A plan with these values.
  init(name: String, revision: Int, effect: ContentEffect) {
    (self.name, self.revision, self.effect) = (name, revision, effect)
  }

  /// Plans the edit, on a file's rows or in memory. `head` is the edit of that revision as the caller knows it: an unsaved edit gets another
  /// number when it is rebased. Throws `noSuchRevision`, `movedOn` if the revision has another edit by now or the log does not tell, and
  /// what reading throws.
  public init(to revision: Int, head: EditID? = nil, in art: some ArtReading) throws(ArtError) {
    let earlier = try EarlierArt(at: revision, in: art)
    if let head, head != earlier.head { throw .otherEdit(at: revision) }
    self.init(name: Self.name(revision), revision: revision, effect: earlier.effect(on: art))
  }

  /// The edit; nil if the art is the same already.
  public var edit: Edit? {
    effect.isEmpty ? nil : Edit(name: name, changes: effect.changes)
  }

  /// The name of the edit: `back to revision 12`.
  public static func name(_ revision: Int) -> String { "back to revision \(revision)" }
}
