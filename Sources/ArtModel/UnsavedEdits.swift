// SPDX-License-Identifier: Apache-2.0

/// A program's edits that no save holds yet: the newest one by one, as a log will have them; the older ones, which no log
/// will have, as what they come to. However many there are, they take the room of what they touch.
public struct UnsavedEdits: Sendable {
  /// Entries that are kept one by one, at least; a file's log has as many.
  public static let logged = 1_000
  /// How many more are kept one by one at most: cutting a list has a price.
  public static let slack = 200

  /// The edits before the entries.
  struct Older: Sendable {
    /// What they come to.
    var net = NetChanges()
    var count = 0
    var last: EditID
  }

  /// The newest, in order.
  public private(set) var entries: [LoggedEdit] = []
  var older: Older?

  /// These entries of one origin, in their order.
  public init(_ entries: some Sequence<LoggedEdit> = []) { for entry in entries { append(entry) } }

  /// How many edits.
  public var count: Int { (older?.count ?? 0) + entries.count }
  /// Whether there are none.
  public var isEmpty: Bool { entries.isEmpty }
  /// The newest edit.
  public var last: EditID? { entries.last?.id }
  /// Every emoji that is touched.
  public var emojis: Set<EmojiID> {
    Set(entries.lazy.flatMap(\.edit.changes).compactMap(\.field.emoji)).union(older?.net.emojis ?? [])
  }

  /// Takes one more edit.
  public mutating func append(_ entry: LoggedEdit) {
    if entries.count >= Self.logged + Self.slack { age(Self.slack) }
    entries.append(entry)
  }

  /// Takes the edits that came after these.
  public mutating func append(_ later: UnsavedEdits) {
    if let older = later.older {
      age(entries.count)
      for change in older.net.changes { self.older?.net.add(change) }
      self.older = Older(
        net: self.older?.net ?? older.net, count: (self.older?.count ?? 0) + older.count, last: older.last)
    }
    for entry in later.entries { append(entry) }
  }

  /// Makes the oldest entries part of what is older.
  private mutating func age(_ count: Int) {
    for entry in entries.prefix(count) {
      var older = self.older ?? Older(last: entry.id)
      self.older = nil
      for change in entry.edit.changes { older.net.add(change) }
      older.count += 1
      older.last = entry.id
      self.older = older
    }
    entries.removeFirst(count)
  }

  /// Without those from the beginning that are saved. Where some of the older ones are, all of them are kept: they give
  /// the same values once more.
  public func without(_ isSaved: (EditID) -> Bool) -> UnsavedEdits {
    var rest = self
    if let older, isSaved(older.last) { rest.older = nil }
    let saved = entries.prefix { isSaved($0.id) }.count
    if saved > 0 { rest.older = nil }
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
  fileprivate func with(_ change: Change) -> Emoji {
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
