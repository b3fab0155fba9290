// SPDX-License-Identifier: Apache-2.0

/// A program's edits that no save holds yet. The newest ones are kept one by one, as the log will have them. Older
/// ones, which the log will not have, are merged into their net changes, so that memory is bounded by the fields that
/// they touch.
///
/// After a save with unknown outcome, the edits until then are either all saved or all unsaved. Edits before and
/// after such a save are never merged: see `seal`.
public struct UnsavedEdits: Sendable {
  /// The number of entries kept one by one, at least: as many as a log may have.
  public static let logged = LogBlock.kept + LogBlock.size
  /// How many more entries may accumulate before older ones are merged. Cutting an array has a cost.
  public static let slack = 200

  /// Merged edits that are saved together or not at all.
  struct Batch: Sendable {
    /// Their net changes.
    var net = NetChanges()
    var count = 0
    var last: EditID
  }

  /// The newest edits, in order.
  public private(set) var entries: [LoggedEdit] = []
  /// The merged edits before `entries`, in order.
  var older: [Batch] = []
  /// The last edits of saves with unknown outcome.
  private var seals: Set<EditID> = []

  /// Entries of one origin, in their order.
  public init(_ entries: some Sequence<LoggedEdit> = []) { for entry in entries { append(entry) } }

  /// The number of edits.
  public var count: Int { older.reduce(entries.count) { $0 + $1.count } }
  /// Whether there are none.
  public var isEmpty: Bool { entries.isEmpty }
  /// The newest edit.
  public var last: EditID? { entries.last?.id }
  /// All emoji that the edits touch.
  public var emojis: Set<EmojiID> {
    older.reduce(into: Set(entries.lazy.flatMap(\.edit.changes).compactMap(\.field.emoji))) {
      $0.formUnion($1.net.emojis)
    }
  }
  /// The digests of the pictures that the edits set as background, the last one first.
  public var pictures: [String] {
    let changes =
      entries.reversed().flatMap { $0.edit.changes.reversed() } + older.reversed().flatMap(\.net.changes)
    return changes.compactMap {
      if case .setBackground(let background?) = $0 { background.digest } else { nil }
    }
  }

  /// Appends an edit.
  public mutating func append(_ entry: LoggedEdit) {
    if entries.count >= Self.logged + Self.slack { compact(Self.slack) }
    entries.append(entry)
  }

  /// Appends later edits.
  public mutating func append(_ later: UnsavedEdits) {
    if !later.older.isEmpty { compact(entries.count) }
    for batch in later.older { compact(batch.net.changes, batch.count, last: batch.last) }
    seals.formUnion(later.seals)
    for entry in later.entries { append(entry) }
  }

  /// Ends a batch: a save of all these edits ended with unknown outcome.
  public mutating func seal() { if let last { seals.insert(last) } }

  /// Merges the oldest entries.
  private mutating func compact(_ count: Int) {
    for entry in entries.prefix(count) { compact(entry.edit.changes, 1, last: entry.id) }
    entries.removeFirst(count)
  }

  private mutating func compact(_ changes: [Change], _ count: Int, last: EditID) {
    if older.last.map({ seals.remove($0.last) != nil }) ?? true { older.append(Batch(last: last)) }
    let end = older.count - 1
    for change in changes { older[end].net.add(change) }
    older[end].count += count
    older[end].last = last
  }

  /// The edits that are not saved. The saved ones come first, but for one that was left out, since another program had performed its request.
  public func without(_ isSaved: (EditID) -> Bool) -> UnsavedEdits {
    var rest = self
    rest.older.removeFirst(older.prefix { isSaved($0.last) }.count)
    rest.entries.removeAll { isSaved($0.id) }
    if rest.entries.count < entries.count { rest.older = [] }
    return rest
  }
}

// MARK: - Net changes

/// The net result of changes, field by field.
struct NetChanges: Sendable {
  private var fields: [Field: Change] = [:]

  /// The net changes. Those of different emoji are in any order.
  var changes: [Change] { Array(fields.values) }
  var emojis: Set<EmojiID> { Set(fields.keys.lazy.compactMap(\.emoji)) }

  /// Adds a change.
  mutating func add(_ change: Change) {
    guard let id = change.field.emoji else {
      fields[change.field] = change
      return
    }
    let before = fields[.existence(id)]
    switch (before, change) {
    case (.add(let added)?, .remove):
      removeFields(of: added.id)
    case (.remove?, .add(let emoji)):
      // The emoji existed before: only its values are new.
      removeFields(of: id)
      for single in Change.add(emoji).fieldByField { fields[single.field] = single }
    case (.add(let added)?, .set(_, let value)):
      fields[.existence(id)] = .add(added.with(value))
    case (_, .add), (_, .remove):
      removeFields(of: id)
      fields[.existence(id)] = change
    default:
      fields[change.field] = change
    }
  }

  private mutating func removeFields(of id: EmojiID) {
    for field in Field.all(of: id) { fields[field] = nil }
  }
}

// MARK: - Requests that two programs performed

/// Edits whose requests another program has performed, too: for the same session and under the same tags. A client repeats a request by another
/// program if it gets no answer, and both may perform it before one knows what the other one has saved. The edit that is in the log counts.
///
/// An edit of several requests (a draft) is left out only if the log has all of them. The log may have a request in an edit of more requests,
/// as a restore makes one: an undo would take back too much of that edit, and so an undo of the edit that is left out is applied by its values.
package struct RepeatedEdits: Sendable {
  /// For each edit that does not count one that the log has of its last request.
  package private(set) var edits: [EditID: EditID] = [:]
  /// Those of them that are of the same requests as the one in the log.
  package private(set) var twins: [EditID: EditID] = [:]
  /// For the emoji that they add those that the edits in the log added.
  package private(set) var emojis: [EmojiID: EmojiID] = [:]

  private struct Key: Hashable {
    let session: SessionID
    let tags: [RequestTag]
  }

  /// Looks up edits that are not in the log.
  package init(_ entries: [LoggedEdit], in log: [LoggedEdit]) {
    let known = Set(log.lazy.map(\.id))
    let new = entries.filter { $0.session != nil && !$0.stamp.tags.isEmpty && !known.contains($0.id) }
    guard !new.isEmpty else { return }
    let logged = Self.grouped(log) { $0.map { [$0] } }
    for (key, mine) in Self.grouped(new, by: { [$0] }) {
      let found = key.tags.map { logged[Key(session: key.session, tags: [$0])] ?? [] }
      guard found.allSatisfy({ !$0.isEmpty }), let last = found.last?.last else { continue }
      let theirs = found.joined().filter { $0.stamp.tags == key.tags }
      let same = Self.unique(theirs)
      for (index, entry) in mine.enumerated() {
        let other = index < same.count ? same[index].id : (same.last ?? last).id
        edits[entry.id] = other
        if !same.isEmpty { twins[entry.id] = other }
      }
      let added = mine.flatMap(\.addedEmojis)
      emojis.merge(
        Self.pairs(added, Self.unique(same.isEmpty ? Array(found.joined()) : same).flatMap(\.addedEmojis))
      ) { $1 }
    }
  }

  private static func grouped(
    _ entries: [LoggedEdit], by keys: ([RequestTag]) -> [[RequestTag]]
  ) -> [Key: [LoggedEdit]] {
    var found: [Key: [LoggedEdit]] = [:]
    for entry in entries {
      guard let session = entry.session else { continue }
      for tags in keys(entry.stamp.tags) {
        found[Key(session: session, tags: tags), default: []].append(entry)
      }
    }
    return found
  }

  private static func unique(_ entries: [LoggedEdit]) -> [LoggedEdit] {
    var known: Set<EditID> = []
    return entries.filter { known.insert($0.id).inserted }
  }

  /// Which emoji of other edits stands for which own one: by their order if there are as many, else the one that looks the same, or the only
  /// one of that text.
  private static func pairs(_ own: [Emoji], _ others: [Emoji]) -> [EmojiID: EmojiID] {
    var found: [EmojiID: EmojiID] = [:]
    guard own.count != others.count else {
      for (old, new) in zip(own, others) { found[old.id] = new.id }
      return found
    }
    var rest = others
    for emoji in own {
      let alike = rest.indices.filter { rest[$0].text == emoji.text }
      guard
        let index = alike.first(where: { rest[$0].position == emoji.position && rest[$0].size == emoji.size })
          ?? (alike.count == 1 ? alike.first : nil)
      else { continue }
      found[emoji.id] = rest.remove(at: index).id
    }
    return found
  }

  /// The edits that count, with the ids that their emoji and the edits that they revert have in the log.
  package func rest(of entries: [LoggedEdit]) -> [LoggedEdit] {
    guard !edits.isEmpty else { return entries }
    return entries.filter { edits[$0.id] == nil }.map { entry in
      LoggedEdit(
        entry.stamp, revision: entry.revision, save: entry.save, kind: entry.kind.renamed(by: twins),
        edit: Edit(name: entry.edit.name, changes: entry.edit.changes.map { $0.renamed(by: emojis) }),
        inverse: entry.inverse.map { $0.renamed(by: emojis) },
        dropped: entry.dropped.map { $0.renamed(by: emojis) })
    }
  }
}

extension LoggedEdit {
  fileprivate var addedEmojis: [Emoji] {
    edit.changes.compactMap { if case .add(let emoji) = $0 { emoji } else { nil } }
  }
}

extension LoggedEdit.Kind {
  /// The kind with the other id of the entry that it reverts.
  fileprivate func renamed(by names: [EditID: EditID]) -> LoggedEdit.Kind {
    switch self {
    case .undo(let id): .undo(names[id] ?? id)
    case .redo(let id): .redo(names[id] ?? id)
    case .edit, .merge, .repair, .refuse: self
    }
  }
}

// MARK: - Rebasing

/// The result of rebasing edits on another state of the document.
public struct RebasedEdits: Sendable {
  /// The rebased edits: ids and times as before, new revisions and inverses.
  public fileprivate(set) var edits = UnsavedEdits()
  /// Changes that had an effect before and do not any more, by edit: their emoji was removed, another program has set
  /// a field that an undo or redo would set, a background's bytes are not stored any more, or a URL would be pending
  /// in place of a background although there is one.
  public fileprivate(set) var dropped: [(id: EditID, changes: [Change])] = []
  /// New ids of emoji whose old ids another program has used too, and those that another program gave them which performed the same request.
  public fileprivate(set) var renamed: [EmojiID: EmojiID] = [:]
  /// Edits that are left out, because the document has another program's of the same requests, or of more.
  public fileprivate(set) var repeated: [EditID: EditID] = [:]
  /// Those of them that are of the same requests as the other one.
  package fileprivate(set) var twins: [EditID: EditID] = [:]

  fileprivate init(renamed: [EmojiID: EmojiID]) { self.renamed = renamed }

  /// Edits that are in a document as they are.
  package init() {}
}

extension DocumentContent {
  /// Applies edits that were made on another state of this document, in their order, and appends them to the log.
  /// Fields are independent: only a later edit of the same field replaces a value. Changes that exceed a bound are
  /// dropped, and so are edits of requests that the log has. `save` is the save that the edits belong to;
  /// new ids are drawn from `generator`; `renamed` has the new ids of emoji that earlier edits added, and
  /// `twins` the edits that stand for earlier ones which were left out.
  public mutating func rebase(
    _ unsaved: UnsavedEdits, save: Int, renamed: [EmojiID: EmojiID] = [:], twins: [EditID: EditID] = [:],
    using generator: inout some RandomNumberGenerator
  ) -> RebasedEdits {
    var rebased = RebasedEdits(renamed: renamed)
    let found = RepeatedEdits(unsaved.entries, in: log)
    rebased.renamed.merge(found.emojis) { $1 }
    (rebased.repeated, rebased.twins) = (found.edits, found.twins)
    let twins = twins.merging(found.twins) { $1 }
    for batch in unsaved.older {
      let applied = reapply(
        batch.net.changes, of: .edit, as: batch.last, at: unsaved.entries.first?.time ?? 0, &rebased,
        &generator)
      skip(batch.count)
      var net = NetChanges()
      for change in applied.changes { net.add(change) }
      rebased.edits.older.append(UnsavedEdits.Batch(net: net, count: batch.count, last: batch.last))
    }
    for entry in unsaved.entries where found.edits[entry.id] == nil {
      let kind = entry.kind.renamed(by: twins)
      let applied = reapply(entry.edit.changes, of: kind, as: entry.id, at: entry.time, &rebased, &generator)
      let new = LoggedEdit(
        entry.stamp, revision: revision + 1, save: save, kind: kind,
        edit: Edit(name: entry.edit.name, changes: applied.changes),
        inverse: applied.inverse,
        dropped: entry.kind.isStep ? applied.dropped : Self.merged(entry.dropped, applied.dropped))
      append(new)
      rebased.edits.append(new)
    }
    return rebased
  }

  /// Applies the changes of one edit and records the result.
  private mutating func reapply(
    _ changes: [Change], of kind: LoggedEdit.Kind, as id: EditID, at time: Int,
    _ rebased: inout RebasedEdits, _ generator: inout some RandomNumberGenerator
  ) -> AppliedEdit {
    let wanted = changes.map { $0.renamed(by: rebased.renamed) }
    var applied = AppliedEdit()
    do throws(ArtError) {
      applied = try apply(wanted, of: kind, at: time, renaming: &rebased.renamed, using: &generator)
    } catch {
      applied.dropped = wanted
    }
    let fields = Set(wanted.lazy.map(\.field))
    let lost = applied.dropped.filter { fields.contains($0.field) }
    if !lost.isEmpty { rebased.dropped.append((id, lost)) }
    return applied
  }

  private mutating func apply(
    _ wanted: [Change], of kind: LoggedEdit.Kind, at time: Int, renaming names: inout [EmojiID: EmojiID],
    using generator: inout some RandomNumberGenerator
  ) throws(ArtError) -> AppliedEdit {
    guard kind.isStep else { return try apply(rename(wanted, in: &names, using: &generator), at: time) }
    guard let again = try UndoPlan.again(kind, in: self) else { return try apply(wanted, of: kind, at: time) }
    return try apply(again, at: time)
  }

  /// The dropped changes of an edit before and now, without duplicates.
  private static func merged(_ before: [Change], _ now: [Change]) -> [Change] {
    let known = Set(before)
    return before + now.filter { !known.contains($0) }
  }

  /// Draws new ids for additions whose ids are in use.
  private func rename(
    _ changes: [Change], in names: inout [EmojiID: EmojiID], using generator: inout some RandomNumberGenerator
  ) -> [Change] {
    for case .add(let added) in changes where emoji(added.id) != nil && !changes.contains(.remove(added.id)) {
      var id = EmojiID.random(using: &generator)
      while emoji(id) != nil || names.values.contains(id) { id = .random(using: &generator) }
      names[added.id] = id
    }
    return changes.map { $0.renamed(by: names) }
  }
}

extension Change {
  /// The change with the emoji's new id.
  fileprivate func renamed(by names: [EmojiID: EmojiID]) -> Change {
    guard let old = field.emoji, let id = names[old] else { return self }
    return switch self {
    case .add(let emoji): .add(emoji.with(id: id))
    case .remove: .remove(id)
    case .set(_, let value): .set(id, value)
    case .setCanvas, .setFill, .setBackground, .setPending: self
    }
  }
}
