// SPDX-License-Identifier: Apache-2.0

/// Two copies of a document, merged.
///
///     first  ──┐                   ┌── edits of the first ───┐
///              ├── common edits ───┤                         ├── in one order, made again ──▶ merged
///     second ──┘                   └── edits of the second ──┘
///
/// The result follows from the edits that both have together. So whoever merges whatever copies, in whatever order, gets the same document.
/// `docs/decisions/0053-merging.md` has the rules, and what breaks without each.
///
/// - **Order.** Edits are ordered by (`save`, origin, sequence). `save` is greater than each revision that the edit's author had seen. So no
///   edit comes before one that its author knew, and no clock is asked.
/// - **Common point.** The logs have common edits up to some point. Both copies are taken back to it by the inverses, and must be equal there.
/// - **What counts.** Of an edit, its changes; of an undo or a redo, only what it reverts. All else is computed anew.
/// - **Removals give way.** A removal does not remove an emoji that the other copy changed without knowing of the removal.
/// - **The mark.** A state that neither copy had gets one entry more, without an author, which names it.
public struct DocumentMerge: Sendable {
  /// Which copy is the result.
  public enum Source: Hashable, Sendable {
    /// The first copy has all edits of the second one.
    case first
    /// The second copy has all edits of the first one.
    case second
    /// Each has edits that the other one lacks.
    case both
  }

  /// The merged document. Its log has all edits that are known; `pictures` are those of both.
  public private(set) var content: DocumentContent
  /// Which copy it is.
  public let source: Source
  /// The copy, `first` or `second`, whose log the merged one has before the common point; `both` for a merge by value, which has none there.
  package let base: Source
  /// What each copy brings, and what they disagree on.
  public let report: MergeReport

  /// Merges two copies. `name` gives the origin of the mark: a hash over the merged document and its newest edits, at most `kept`, which is
  /// what all logs have. `preferred` is the copy whose log is kept before the common point; without it, the longer log.
  ///
  /// Throws `badValue` if they are different documents, `parted` if the logs do not reach back to a common point, and `tooLarge` if the
  /// merged document would have too many emoji. The time is proportional to the number of emoji and to the changes since the common point.
  package init(
    _ first: DocumentContent, _ second: DocumentContent, preferring preferred: Source? = nil,
    keeping kept: Int = LogBlock.kept,
    named name: (DocumentContent, ArraySlice<LoggedEdit>) -> Origin
  ) throws(ArtError) {
    guard first.id == second.id else { throw .differentDocuments() }
    var sides = Sides(first, second)
    try sides.findCommonPoint()
    let union = MergedEdits(sides.first, sides.second)
    base = preferred ?? sides.longer
    if let source = union.source ?? sides.sourceOfEquals {
      self.source = source
      content = source == .first ? first : second
      report = MergeReport(sides, in: content)
      return
    }
    source = .both
    content = try Self.merged(
      sides, union, on: base == .second ? sides.second.start : sides.first.start, keeping: kept, named: name)
    report = MergeReport(sides, in: content)
  }

  /// Merges two copies that have parted: by their values before both logs begin, and as always after that. `report` has what no log could
  /// decide.
  ///
  /// Throws `badValue` if they are different documents, and `tooLarge`.
  package init(
    byValueOf first: DocumentContent, _ second: DocumentContent, keeping kept: Int = LogBlock.kept,
    named name: (DocumentContent, ArraySlice<LoggedEdit>) -> Origin
  ) throws(ArtError) {
    guard first.id == second.id else { throw .differentDocuments() }
    var sides = Sides(first, second)
    let earlier = try sides.takeBackParted()
    let values = try ValueMerge(sides.first, sides.second, earlier)
    // Of an undo whose edit has left the log, the copies may know different changes: those of the longer history count.
    let union =
      values.prefersFirst ? MergedEdits(sides.first, sides.second) : MergedEdits(sides.second, sides.first)
    let merged = try Self.merged(
      sides, union, on: values.start, least: max(first.revision, second.revision), keeping: kept, named: name)
    base = .both
    let isFirst = sides.second.own.isEmpty && merged.hasSameArt(as: first)
    let isSecond = sides.first.own.isEmpty && merged.hasSameArt(as: second)
    source = isFirst && isSecond ? sides.choice : isFirst ? .first : isSecond ? .second : .both
    content = source == .first ? first : source == .second ? second : merged
    report = MergeReport(sides, in: content, doubts: source == .both ? values.doubts : nil)
  }

  /// Makes all edits again. The result has at least the revision `least`, without the mark.
  private static func merged(
    _ sides: Sides, _ union: MergedEdits, on start: DocumentContent, least: Int = 0, keeping kept: Int,
    named name: (DocumentContent, ArraySlice<LoggedEdit>) -> Origin
  ) throws(ArtError) -> DocumentContent {
    var merged = start
    var index = WriteIndex()
    for entry in union.entries { try merged.makeAgain(entry, &index) }
    guard merged.emojiCount <= Limits.emojiCount else { throw .tooManyEmoji() }
    if merged.revision < least { merged.cutLog(at: least, head: merged.head) }
    try merged.appendMark(keeping: kept, named: name)
    merged.setPictures(sides.first.whole.pictures.union(sides.second.whole.pictures))
    merged.checkInvariants()
    return merged
  }
}

extension DocumentMerge {
  /// The merge with other content: a copy that is the result stays as it is, where the merge has read its archive, too.
  package func replacingContent(_ content: DocumentContent) -> DocumentMerge {
    var merge = self
    merge.content = content
    return merge
  }
}

// MARK: - The common point

/// A copy of a document, as a merge sees it.
struct MergeSide {
  /// The copy as it is, and without a mark at its end.
  let whole: DocumentContent
  fileprivate(set) var start: DocumentContent
  /// The edits after the common point; the mark is none of them.
  fileprivate(set) var later: [LoggedEdit]
  /// Those of them that the other copy lacks.
  fileprivate(set) var own: [LoggedEdit] = []

  fileprivate init(_ copy: DocumentContent) {
    whole = copy
    start = copy
    start.removeMark()
    later = []
  }

  /// The oldest edit that the log may have; nil if the log has all.
  fileprivate var beginning: MergeKey? {
    guard let first = whole.log.first else {
      return whole.revision == 0 ? nil : MergeKey(save: whole.revision + 1)
    }
    return first.revision == 1 ? nil : MergeKey(first)
  }
}

/// Both copies of a merge.
struct Sides {
  fileprivate(set) var first: MergeSide
  fileprivate(set) var second: MergeSide

  fileprivate init(_ first: DocumentContent, _ second: DocumentContent) {
    self.first = MergeSide(first)
    self.second = MergeSide(second)
  }

  /// The copy with the longer log before the common point.
  fileprivate var longer: DocumentMerge.Source {
    first.start.log.count >= second.start.log.count ? .first : .second
  }

  /// The oldest edit that both logs may have; nil if both have all.
  private var floor: MergeKey? { [first.beginning, second.beginning].compactMap { $0 }.max() }

  /// The edits at the end of each log that come after the common ones. What is older than the floor may have left one of the logs.
  private var numbersOfLater: (first: Int, second: Int) {
    let floor = floor
    func isOld(_ entry: LoggedEdit) -> Bool { floor.map { MergeKey(entry) < $0 } ?? false }
    let (mine, theirs) = (first.start.log.drop(while: isOld), second.start.log.drop(while: isOld))
    let common = zip(mine, theirs).prefix { $0.isSameEdit(as: $1) }.count
    return (mine.count - common, theirs.count - common)
  }

  /// Takes both copies back to where their logs part, whatever their art is there. Returns what only one of the logs has from before both begin.
  fileprivate mutating func takeBackParted() throws(ArtError) -> EarlierWrites {
    let floor = floor
    let old = [first, second].map { side in
      side.start.log.prefix { entry in floor.map { MergeKey(entry) < $0 } ?? false }
    }
    try takeBack()
    return EarlierWrites(old[0].isEmpty ? old[1] : old[0], isOfFirst: !old[0].isEmpty)
  }

  private mutating func takeBack() throws(ArtError) {
    let later = numbersOfLater
    try first.takeBack(later.first)
    try second.takeBack(later.second)
    findOwn()
  }

  private mutating func findOwn() {
    let (firstIDs, secondIDs) = (Set(first.later.lazy.map(\.id)), Set(second.later.lazy.map(\.id)))
    first.own = first.later.filter { !secondIDs.contains($0.id) }
    second.own = second.later.filter { !firstIDs.contains($0.id) }
  }

  /// Takes both copies back to where they parted.
  fileprivate mutating func findCommonPoint() throws(ArtError) {
    try takeBack()
    guard first.start.revision == second.start.revision, first.start.hasSameArt(as: second.start),
      first.isInOrder, second.isInOrder
    else { throw .parted(first.whole, second.whole) }
  }

  /// Which of two copies with the same edits is the result: the choice is the same whoever merges them. Nil if the edits differ.
  fileprivate var sourceOfEquals: DocumentMerge.Source? {
    first.later.isEmpty && second.later.isEmpty ? choice : nil
  }

  /// Which of two copies counts that have the same: the choice is the same whoever merges them.
  fileprivate var choice: DocumentMerge.Source {
    let (mine, theirs) = (first.whole, second.whole)
    if mine.revision != theirs.revision { return mine.revision > theirs.revision ? .first : .second }
    guard let head = mine.head, let other = theirs.head, head != other else {
      return mine.log.count >= theirs.log.count ? .first : .second
    }
    return (head.origin.bits, head.sequence) > (other.origin.bits, other.sequence) ? .first : .second
  }
}

extension MergeSide {
  /// Takes back edits at the end of the log. Their number is at most that of the log.
  fileprivate mutating func takeBack(_ count: Int) throws(ArtError) {
    later = Array(start.log.suffix(count))
    for entry in later.reversed() { _ = try start.apply(entry.inverse) }
    guard let first = later.first else { return }
    start.cutLog(at: first.revision - 1, head: start.log.dropLast(count).last?.id)
  }

  /// Whether the edits are in the order of a merge. A log that no emojiart wrote may have others.
  fileprivate var isInOrder: Bool {
    zip(later, later.dropFirst()).allSatisfy { MergeKey($0) < MergeKey($1) }
  }
}

/// The place of an edit in the order of all edits of a document.
private struct MergeKey: Comparable {
  let save: Int
  let origin: UInt64
  let sequence: Int

  init(_ entry: LoggedEdit) {
    save = entry.save
    origin = entry.id.origin.bits
    sequence = entry.id.sequence
  }

  /// Before all edits of that save.
  init(save: Int) { (self.save, origin, sequence) = (save, 0, 0) }

  static func < (left: MergeKey, right: MergeKey) -> Bool {
    (left.save, left.origin, left.sequence) < (right.save, right.origin, right.sequence)
  }
}

// MARK: - The union

/// The edits of both copies after the common point.
private struct MergedEdits {
  /// In the order in which they are made again.
  let entries: [LoggedEdit]
  /// The copy that has all of them already, as they are.
  let source: DocumentMerge.Source?

  init(_ first: MergeSide, _ second: MergeSide) {
    var union: [EditID: LoggedEdit] = [:]
    for (side, other) in [(first, second), (second, first)] {
      let yielding = YieldingRemovals(of: side, to: other)
      for entry in side.later {
        if let known = union[entry.id] {
          union[entry.id] = known.newer(of: entry)
        } else {
          union[entry.id] = yielding.apply(to: entry)
        }
      }
    }
    let entries = union.values.sorted { MergeKey($0) < MergeKey($1) }
    func isWhole(_ side: MergeSide) -> Bool {
      entries.count == side.later.count && zip(entries, side.later).allSatisfy { $0.isSameEdit(as: $1) }
    }
    self.entries = entries
    source = entries.isEmpty ? nil : isWhole(first) ? .first : isWhole(second) ? .second : nil
  }
}

/// The removals of one copy that give way to changes of the other one.
private struct YieldingRemovals {
  private let own: Set<EditID>
  private let changed: Set<EmojiID>
  private let byID: [EditID: LoggedEdit]

  init(of side: MergeSide, to other: MergeSide) {
    changed = other.own.reduce(into: []) { $0.formUnion($1.changedEmojis) }
    own = changed.isEmpty ? [] : Set(side.own.lazy.map(\.id))
    guard side.own.contains(where: \.kind.isStep), !changed.isEmpty else {
      byID = [:]
      return
    }
    byID = Dictionary((side.start.log + side.later).lazy.map { ($0.id, $0) }) { $1 }
  }

  /// The edit without those of its removals that give way. They stay among its dropped changes for good.
  func apply(to entry: LoggedEdit) -> LoggedEdit {
    guard own.contains(entry.id) else { return entry }
    return entry.yielding(removals(of: entry).intersection(changed))
  }

  /// The emoji that an entry takes out, by what never changes: the changes of the edit that it is, reverts, or makes again.
  private func removals(of entry: LoggedEdit) -> Set<EmojiID> {
    var (root, isReverted) = (entry, false)
    // The names in a log from elsewhere may form a circle.
    for _ in 0...byID.count {
      guard let reverted = root.kind.revertedID else {
        return Set(
          (root.edit.changes + root.dropped.filter(\.isRemoval)).lazy.compactMap {
            isReverted ? $0.addedEmoji : $0.removedEmoji
          })
      }
      guard let next = byID[reverted] else { break }
      (root, isReverted) = (next, !isReverted)
    }
    return []
  }
}

extension Change {
  fileprivate var addedEmoji: EmojiID? { if case .add(let emoji) = self { emoji.id } else { nil } }

  fileprivate var removedEmoji: EmojiID? { if case .remove(let id) = self { id } else { nil } }

  fileprivate var isRemoval: Bool { removedEmoji != nil }
}

extension LoggedEdit {
  /// The emoji that somebody worked on: moved, resized, turned, mirrored, coloured, or given another text.
  fileprivate var changedEmojis: Set<EmojiID> {
    guard !kind.isStep else { return [] }
    return Set(
      edit.changes.lazy.compactMap { change in
        if case .set(let id, let value) = change, value.field != .order { id } else { nil }
      })
  }

  /// What an entry never does, however often it is made again: the removals that gave way, and backgrounds whose bytes were not stored.
  fileprivate var droppedForGood: Set<Change> {
    guard !dropped.isEmpty else { return [] }
    var changes = Set(
      dropped.lazy.filter { change in
        if case .setBackground = change { true } else { change.isRemoval }
      })
    // An edit may remove an emoji twice.
    for change in edit.changes where change.isRemoval { changes.remove(change) }
    return changes
  }

  /// The entry without the removals of these emoji.
  fileprivate func yielding(_ emojis: Set<EmojiID>) -> LoggedEdit {
    let before = droppedForGood
    let removals = emojis.map(Change.remove).filter { !before.contains($0) }
    guard !removals.isEmpty else { return self }
    return with(
      changes: edit.changes.filter { change in !(change.removedEmoji.map(emojis.contains) ?? false) },
      dropped: Change.sorted(dropped + removals))
  }

  /// Whether both are the same edit, as far as a merge believes a log. Revision and inverse are not compared.
  fileprivate func isSameEdit(as other: LoggedEdit) -> Bool {
    stamp == other.stamp && save == other.save && kind == other.kind && edit.name == other.edit.name
      && (kind.isStep || edit.changes == other.edit.changes)
      && (dropped.isEmpty && other.dropped.isEmpty || droppedForGood == other.droppedForGood)
  }

  /// Of two entries with one id, which programs before 0.2 could write, the one that all choose.
  fileprivate func newer(of other: LoggedEdit) -> LoggedEdit {
    guard !isSameEdit(as: other) else { return self }
    let isNewer = save != other.save ? save > other.save : !rank.lexicographicallyPrecedes(other.rank)
    let yielded = Set(droppedForGood.union(other.droppedForGood).lazy.compactMap(\.removedEmoji))
    return (isNewer ? self : other).yielding(yielded)
  }

  private var rank: [UInt8] {
    var writer = JSONWriter()
    writer.array { writer in
      writer.integer(time)
      writer.string("\(kind)")
      writer.string(edit.name)
      writer.string(author ?? "")
      writer.string(session?.description ?? "")
      if !kind.isStep { edit.changes.write(to: &writer) }
    }
    return writer.bytes
  }

  fileprivate func with(
    revision: Int? = nil, changes: [Change], inverse: [Change]? = nil, dropped: [Change]
  ) -> LoggedEdit {
    LoggedEdit(
      stamp, revision: revision ?? self.revision, save: save, kind: kind,
      edit: Edit(name: edit.name, changes: changes), inverse: inverse ?? self.inverse, dropped: dropped)
  }
}

// MARK: - Making edits again

extension DocumentContent {
  /// Makes an entry again, at its place in the order. `index` is of this log.
  fileprivate mutating func makeAgain(_ entry: LoggedEdit, _ index: inout WriteIndex) throws(ArtError) {
    var applied: AppliedEdit
    if !entry.kind.isStep {
      applied = try reapply(entry.edit.changes)
      applied.dropped = entry.dropped
    } else {
      let forGood = entry.droppedForGood
      let plan = index.again(entry.kind, in: log)
      // Without a plan the entry that it reverts has left the log.
      let wanted = (plan?.changes ?? entry.edit.changes).filter { !($0.isRemoval && forGood.contains($0)) }
      setPictures(Self.pictures(of: wanted).subtracting(Self.pictures(of: forGood)))
      applied = try apply(wanted, of: entry.kind, at: entry.time)
      let others = (applied.dropped + (plan?.skipped ?? [])).filter {
        $0.field != .background && !$0.isRemoval
      }
      applied.dropped = Change.sorted(forGood + others)
    }
    append(
      entry.with(
        revision: max(revision + 1, entry.save), changes: applied.changes, inverse: applied.inverse,
        dropped: applied.dropped))
  }

  private static func pictures(of changes: some Sequence<Change>) -> Set<String> {
    Set(
      changes.lazy.compactMap {
        if case .setBackground(let background?) = $0 { background.digest } else { nil }
      })
  }
}

// MARK: - The mark

extension LoggedEdit {
  /// Whether it is the entry that names a merged state.
  package var isMark: Bool {
    kind == .merge && (edit.changes.isEmpty || edit.changes == [.setPending(nil)])
  }
}

extension DocumentContent {
  /// Appends the mark. It removes a pending background that stands for one without stored bytes beside another background: each copy had
  /// one of the two, and the picture would replace the background when it has been fetched.
  fileprivate mutating func appendMark(
    keeping kept: Int, named name: (DocumentContent, ArraySlice<LoggedEdit>) -> Origin
  ) throws(ArtError) {
    let isNeedless = background != nil && pending?.reason == PendingBackground.undoReason
    let applied = try reapply(isNeedless ? [.setPending(nil)] : [])
    let newest = log.suffix(kept)
    let stamp = EditStamp(
      id: EditID(origin: name(self, newest), sequence: 1), time: newest.lazy.map(\.time).max() ?? 0)
    append(
      LoggedEdit(
        stamp, revision: revision + 1, save: revision + 1, kind: .merge,
        edit: Edit(name: "merge", changes: applied.changes), inverse: applied.inverse))
  }

  /// Removes a mark at the end of the log: nothing was made on top of the state that it names.
  fileprivate mutating func removeMark() {
    guard let mark = log.last, mark.isMark else { return }
    setPending(mark.pendingBefore ?? pending)
    cutLog(at: mark.revision - 1, head: log.dropLast().last?.id)
  }
}

extension LoggedEdit {
  fileprivate var pendingBefore: PendingBackground? {
    for case .setPending(let pending) in inverse { return pending }
    return nil
  }
}

// MARK: - Errors

extension ArtError {
  static func differentDocuments() -> ArtError {
    ArtError(.badValue, "they are different documents, not copies of one")
  }

  static func parted(_ first: DocumentContent, _ second: DocumentContent) -> ArtError {
    ArtError(
      .parted,
      "the copies have parted: one is at revision \(first.revision), the other one at revision \(second.revision), and their logs do not reach back to a common one"
    )
  }
}
