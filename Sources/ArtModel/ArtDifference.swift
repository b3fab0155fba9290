// SPDX-License-Identifier: Apache-2.0

/// How the art of two documents, or of two states of one document, differs.
///
/// An emoji of the one is that of the other if both have the same id. Documents that were made separately have no common ids: of the rest, emoji
/// that look the same are taken for each other, and then those with the same text, from the bottom to the top.
public struct ArtDifference: Sendable, Equatable {
  /// An emoji that is in both, and not the same.
  public struct Changed: Sendable, Equatable {
    /// The emoji before.
    public let from: Emoji
    /// The emoji after.
    public let to: Emoji
    /// Whether it passed others in the z-order. Of two that changed places only one counts.
    public let isReordered: Bool

    /// What differs, without the z-order value.
    public var fields: [EmojiField] {
      EmojiField.allCases.filter { $0 != .order && from[$0] != to[$0] }
    }
  }

  /// The canvas before and after; nil if it is the same. As all of these.
  public let canvas: Pair<Canvas>?
  /// The colour of the canvas.
  public let fill: Pair<Color?>?
  /// The background.
  public let background: Pair<Background?>?
  /// The background that is still to be fetched.
  public let pending: Pair<PendingBackground?>?
  /// The emoji of the second only, bottom to top.
  public let added: [Emoji]
  /// The emoji of the first only, bottom to top.
  public let removed: [Emoji]
  /// The emoji that are in both and not the same, in the order of the second.
  public let changed: [Changed]

  /// Two values that differ.
  public struct Pair<Value: Sendable & Equatable>: Sendable, Equatable {
    /// The value before.
    public let from: Value
    /// The value after.
    public let to: Value

    fileprivate init?(_ from: Value, _ to: Value) {
      guard from != to else { return nil }
      (self.from, self.to) = (from, to)
    }
  }

  /// Compares two states. The time is that of sorting their emoji.
  public init(from old: DocumentContent, to new: DocumentContent) {
    canvas = Pair(old.canvas, new.canvas)
    fill = Pair(old.fill, new.fill)
    background = Pair(old.background, new.background)
    pending = Pair(old.pending, new.pending)
    let (before, after) = (old.emojisInOrder(), new.emojisInOrder())
    let places = Self.match(before, after)
    let steady = Self.increasing(places.compactMap(\.self))
    var changed: [Changed] = []
    var left = Array(repeating: true, count: before.count)
    for (emoji, place) in zip(after, places) {
      guard let place else { continue }
      left[place] = false
      let change = Changed(from: before[place], to: emoji, isReordered: !steady.contains(place))
      if change.isReordered || !change.fields.isEmpty { changed.append(change) }
    }
    added = zip(after, places).filter { $0.1 == nil }.map(\.0)
    removed = zip(before, left).filter(\.1).map(\.0)
    self.changed = changed
  }

  /// Whether the art is the same.
  public var isEmpty: Bool {
    canvas == nil && fill == nil && background == nil && pending == nil && added.isEmpty && removed.isEmpty
      && changed.isEmpty
  }

  /// For each emoji of the second its place in the first; nil where it is in the second only.
  private static func match(_ before: [Emoji], _ after: [Emoji]) -> [Int?] {
    var byID: [EmojiID: Int] = [:]
    for (place, emoji) in before.enumerated() { byID[emoji.id] = place }
    var places = after.map { byID.removeValue(forKey: $0.id) }
    var left = byID.values.sorted()
    matchEqual(&places, &left, before, after) { DrawingScene.Label($0) }
    matchEqual(&places, &left, before, after) { $0.text.comparisonKey }
    return places
  }

  /// Matches emoji without a place to those that are left, where both have the same key, from the bottom to the top.
  private static func matchEqual<Key: Hashable>(
    _ places: inout [Int?], _ left: inout [Int], _ before: [Emoji], _ after: [Emoji], by key: (Emoji) -> Key
  ) {
    guard !left.isEmpty else { return }
    var byKey: [Key: [Int]] = [:]
    for place in left.reversed() { byKey[key(before[place]), default: []].append(place) }
    var taken: Set<Int> = []
    for (index, emoji) in after.enumerated() where places[index] == nil {
      guard let place = byKey[key(emoji)]?.popLast() else { continue }
      places[index] = place
      taken.insert(place)
    }
    left.removeAll(where: taken.contains)
  }

  /// The largest set of numbers that ascend where they stand. Source: https://en.wikipedia.org/wiki/Longest_increasing_subsequence.
  private static func increasing(_ numbers: [Int]) -> Set<Int> {
    var (piles, before): ([Int], [Int?]) = ([], [])
    for (index, number) in numbers.enumerated() {
      var (low, high) = (0, piles.count)
      while low < high {
        let middle = (low + high) / 2
        if numbers[piles[middle]] < number { low = middle + 1 } else { high = middle }
      }
      before.append(low > 0 ? piles[low - 1] : nil)
      if low == piles.count { piles.append(index) } else { piles[low] = index }
    }
    var found: Set<Int> = []
    var next = piles.last
    while let index = next {
      found.insert(numbers[index])
      next = before[index]
    }
    return found
  }
}
