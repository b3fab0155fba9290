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
