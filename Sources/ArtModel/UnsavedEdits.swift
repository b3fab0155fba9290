// SPDX-License-Identifier: Apache-2.0

/// A program's edits that no save holds yet: the newest one by one, as a log will have them; the older ones, which no log
/// will have, as what they come to. However many there are, they take the room of what they touch.
///
/// A save of which nobody knows whether it succeeded may have saved all until then, or nothing. So what came before and what
/// came after it never come to one: see `seal`.
public struct UnsavedEdits: Sendable {
  /// Entries that are kept one by one, at least; a file's log has as many.
  public static let logged = 1_000
  /// How many more are kept one by one at most: cutting a list has a price.
  public static let slack = 200

  /// Edits that are saved together or not at all.
  struct Lot: Sendable {
    /// What they come to.
    var net = NetChanges()
    var count = 0
    var last: EditID
  }

  /// The newest, in order.
  public private(set) var entries: [LoggedEdit] = []
  /// The edits before the entries, in order.
  var older: [Lot] = []
  /// Edits after which a save ended in the dark.
  private var seals: Set<EditID> = []

  /// These entries of one origin, in their order.
  public init(_ entries: some Sequence<LoggedEdit> = []) { for entry in entries { append(entry) } }

  /// How many edits.
  public var count: Int { older.reduce(entries.count) { $0 + $1.count } }
  /// Whether there are none.
  public var isEmpty: Bool { entries.isEmpty }
  /// The newest edit.
  public var last: EditID? { entries.last?.id }
  /// Every emoji that is touched.
  public var emojis: Set<EmojiID> {
    older.reduce(into: Set(entries.lazy.flatMap(\.edit.changes).compactMap(\.field.emoji))) {
      $0.formUnion($1.net.emojis)
    }
  }
  /// The digests of the pictures that they make the background, the last one first.
  public var pictures: [String] {
    let changes =
      entries.reversed().flatMap { $0.edit.changes.reversed() } + older.reversed().flatMap(\.net.changes)
    return changes.compactMap {
      if case .setBackground(let background?) = $0 { background.digest } else { nil }
    }
  }

  /// Takes one more edit.
  public mutating func append(_ entry: LoggedEdit) {
    if entries.count >= Self.logged + Self.slack { age(Self.slack) }
    entries.append(entry)
  }

  /// Takes the edits that came after these.
  public mutating func append(_ later: UnsavedEdits) {
    if !later.older.isEmpty { age(entries.count) }
    for lot in later.older { age(lot.net.changes, lot.count, last: lot.last) }
    seals.formUnion(later.seals)
    for entry in later.entries { append(entry) }
  }

  /// A save of all these ended, and nobody knows whether it succeeded.
  public mutating func seal() { if let last { seals.insert(last) } }

  /// Makes the oldest entries part of what is older.
  private mutating func age(_ count: Int) {
    for entry in entries.prefix(count) { age(entry.edit.changes, 1, last: entry.id) }
    entries.removeFirst(count)
  }

  private mutating func age(_ changes: [Change], _ count: Int, last: EditID) {
    if older.last.map({ seals.remove($0.last) != nil }) ?? true { older.append(Lot(last: last)) }
    let end = older.count - 1
    for change in changes { older[end].net.add(change) }
    older[end].count += count
    older[end].last = last
  }

  /// Without those that are saved, which are some from the beginning.
  public func without(_ isSaved: (EditID) -> Bool) -> UnsavedEdits {
    var rest = self
    rest.older.removeFirst(older.prefix { isSaved($0.last) }.count)
    let saved = entries.prefix { isSaved($0.id) }.count
    if saved > 0 { rest.older = [] }
    rest.entries.removeFirst(saved)
    return rest
  }
}

/// What changes come to, field by field.
struct NetChanges: Sendable {
  private var fields: [Field: Change] = [:]

  /// The changes, those of different emoji in any order.
  var changes: [Change] { Array(fields.values) }
  var emojis: Set<EmojiID> { Set(fields.keys.lazy.compactMap(\.emoji)) }

  /// Takes the next change in.
  mutating func add(_ change: Change) {
    guard let id = change.field.emoji else {
      fields[change.field] = change
      return
    }
    let before = fields[.existence(id)]
    switch (before, change) {
    case (.add(let added)?, .remove):
      forget(added.id)
    case (.remove?, .add(let emoji)):
      // It was there before: only its values are new.
      forget(id)
      for single in Change.add(emoji).fieldByField { fields[single.field] = single }
    case (.add(let added)?, _):
      fields[.existence(id)] = .add(added.with(change))
    case (_, .add), (_, .remove):
      forget(id)
      fields[.existence(id)] = change
    default:
      fields[change.field] = change
    }
  }

  private mutating func forget(_ id: EmojiID) {
    for field in [Field.existence(id), .position(id), .size(id), .text(id), .order(id)] {
      fields[field] = nil
    }
  }
}

extension Emoji {
  /// The emoji with the value that a change of it gives.
  func with(_ change: Change) -> Emoji {
    var emoji = self
    switch change {
    case .move(_, let place): emoji.position = place
    case .resize(_, let size): emoji.size = size
    case .setText(_, let text): emoji.text = text
    case .order(_, let z): emoji.z = z
    case .add, .remove, .setCanvas, .setBackground, .setPending: break
    }
    return emoji
  }
}

/// What became of edits that were made again on top of somebody else's.
public struct RejoinedEdits: Sendable {
  /// The edits as they are now: their ids and times as they were, their revisions and inverses anew.
  public fileprivate(set) var edits = UnsavedEdits()
  /// Changes that had taken effect before and do not any more, by edit: their emoji is gone, or, for an undo or redo,
  /// somebody has set the field since, or a background's bytes are not kept any more.
  public fileprivate(set) var dropped: [(id: EditID, changes: [Change])] = []
  /// New ids of emoji whose ids somebody else had drawn, too.
  public fileprivate(set) var renamed: [EmojiID: EmojiID] = [:]
}

extension DocumentContent {
  /// Makes edits again, in their order, that were made on another state of this document, and takes them into the log.
  /// Fields are separate: only a later edit of the same field takes a value's place. What has no room any more is
  /// dropped. `save` is the save that they come with; new ids are drawn from `generator`, and `renamed` are those of emoji
  /// that earlier edits added.
  public mutating func rejoin(
    _ unsaved: UnsavedEdits, save: Int, renamed: [EmojiID: EmojiID] = [:],
    using generator: inout some RandomNumberGenerator
  ) -> RejoinedEdits {
    var rejoined = RejoinedEdits(renamed: renamed)
    for lot in unsaved.older {
      let applied = make(
        lot.net.changes, of: .edit, as: lot.last, at: unsaved.entries.first?.time ?? 0, &rejoined, &generator)
      pass(lot.count)
      var net = NetChanges()
      for change in applied.changes { net.add(change) }
      rejoined.edits.older.append(UnsavedEdits.Lot(net: net, count: lot.count, last: lot.last))
    }
    for entry in unsaved.entries {
      let applied = make(
        entry.edit.changes, of: entry.kind, as: entry.id, at: entry.time, &rejoined, &generator)
      let new = LoggedEdit(
        entry.stamp, revision: revision + 1, save: save, kind: entry.kind,
        edit: Edit(name: entry.edit.name, changes: applied.changes),
        inverse: applied.inverse, dropped: Self.joined(entry.dropped, applied.dropped))
      append(new)
      rejoined.edits.append(new)
    }
    return rejoined
  }

  /// Makes an edit's changes again, and notes what came of them.
  private mutating func make(
    _ changes: [Change], of kind: LoggedEdit.Kind, as id: EditID, at time: Int,
    _ rejoined: inout RejoinedEdits, _ generator: inout some RandomNumberGenerator
  ) -> AppliedEdit {
    let wanted = changes.map { $0.renamed(by: rejoined.renamed) }
    var applied = AppliedEdit()
    do throws(ArtError) {
      applied = try apply(wanted, of: kind, at: time, renaming: &rejoined.renamed, using: &generator)
    } catch {
      applied.dropped = wanted
    }
    let fields = Set(wanted.lazy.map(\.field))
    let lost = applied.dropped.filter { fields.contains($0.field) }
    if !lost.isEmpty { rejoined.dropped.append((id, lost)) }
    return applied
  }

  private mutating func apply(
    _ wanted: [Change], of kind: LoggedEdit.Kind, at time: Int, renaming names: inout [EmojiID: EmojiID],
    using generator: inout some RandomNumberGenerator
  ) throws(ArtError) -> AppliedEdit {
    guard kind != .edit else { return try apply(rename(wanted, in: &names, using: &generator), at: time) }
    guard let again = try UndoPlan.again(kind, in: self) else { return try apply(wanted, of: kind, at: time) }
    var applied = try apply(again.changes, of: kind, at: time)
    applied.dropped = again.skipped + applied.dropped
    return applied
  }

  /// What an edit could not do, without saying it twice.
  private static func joined(_ before: [Change], _ now: [Change]) -> [Change] {
    let known = Set(before)
    return before + now.filter { !known.contains($0) }
  }

  /// Draws new ids for additions whose ids are taken.
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
  /// The same change of the emoji's new name.
  fileprivate func renamed(by names: [EmojiID: EmojiID]) -> Change {
    guard let old = field.emoji, let id = names[old] else { return self }
    return switch self {
    case .add(let emoji):
      .add(Emoji(id: id, text: emoji.text, position: emoji.position, size: emoji.size, z: emoji.z))
    case .remove: .remove(id)
    case .move(_, let place): .move(id, to: place)
    case .resize(_, let size): .resize(id, to: size)
    case .setText(_, let text): .setText(id, to: text)
    case .order(_, let z): .order(id, to: z)
    case .setCanvas, .setBackground, .setPending: self
    }
  }
}
