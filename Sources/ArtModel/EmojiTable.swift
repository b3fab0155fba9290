// SPDX-License-Identifier: Apache-2.0

/// Emoji, found by their ids in constant time.
///
/// They lie in one array, and a hash table has their places in it. A hash table of the emoji themselves has more than twice the size, for which a
/// large document would be opened more slowly.
///
/// Invariant: `places` has the id of each emoji in `rows`, with its index.
struct EmojiTable: Sendable {
  private var rows: [Emoji] = []
  private var places: [EmojiID: Int] = [:]

  /// An empty table.
  init() {}

  /// A table of these emoji; nil if two have the same id.
  init?(_ emojis: [Emoji]) {
    rows = emojis
    // Growing a dictionary hashes all keys again.
    places = Dictionary(minimumCapacity: emojis.count)
    for (place, emoji) in emojis.enumerated() { places[emoji.id] = place }
    guard places.count == rows.count else { return nil }
  }

  /// The number of emoji.
  var count: Int { rows.count }

  /// The emoji in any order.
  var values: [Emoji] { rows }

  /// The emoji with that id; nil without one. Setting nil removes it, setting an emoji of that id adds or replaces it.
  subscript(id: EmojiID) -> Emoji? {
    get { places[id].map { rows[$0] } }
    set {
      switch (places[id], newValue) {
      case (let place?, let emoji?): rows[place] = emoji
      case (nil, let emoji?):
        places[id] = rows.count
        rows.append(emoji)
      case (let place?, nil):
        places[id] = nil
        let last = rows.removeLast()
        if place < rows.count {
          rows[place] = last
          places[last.id] = place
        }
      case (nil, nil): break
      }
    }
  }
}

extension EmojiTable: Equatable {
  /// Whether both have the same emoji, in any order.
  static func == (left: EmojiTable, right: EmojiTable) -> Bool {
    left.count == right.count && left.rows.allSatisfy { right[$0.id] == $0 }
  }
}
