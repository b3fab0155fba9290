// SPDX-License-Identifier: Apache-2.0

// z-order values are integers with gaps. Moving emoji to the front or the back takes values beyond the ends;
// putting them above another one takes values from the gap above it. When a gap or the range is used up, all
// emoji get new values in steps, in the same edit, so that undoing it gives back the values there were.

extension Action {
  static func order(
    _ selection: Selection, _ ordering: Ordering, in art: some ArtReading
  ) throws(ArtError) -> PlannedEdit {
    let named = try selection.resolve(in: art)
    let moving = named.sorted { ($0.z, $0.id) < ($1.z, $1.id) }
    let changes: [Change]
    switch ordering {
    case .front:
      changes = try toFront(moving, of: art)
    case .back:
      changes = try toBack(moving, of: art)
    case .above(let reference):
      let anchor = try reference.resolve(in: art)
      guard !moving.contains(where: { $0.id == anchor.id }) else {
        throw .aboveItself(reference.description)
      }
      changes = try put(moving, above: anchor, of: art)
    }
    return PlannedEdit(edit: Edit(name: name("reorder", named), changes: changes), subjects: named)
  }

  private static func toFront(_ moving: [Emoji], of art: some ArtReading) throws(ArtError) -> [Change] {
    guard moving.count < art.emojiCount, let top = try art.top() else { return [] }
    if top.id == moving.last?.id, try areNeighbours(moving, in: art) { return [] }
    if let changes = steps(moving, from: top.z + Limits.zStep) { return changes }
    return try spread(moving, above: .top, of: art)
  }

  private static func toBack(_ moving: [Emoji], of art: some ArtReading) throws(ArtError) -> [Change] {
    guard moving.count < art.emojiCount, let bottom = try art.bottom() else { return [] }
    if bottom.id == moving.first?.id, try areNeighbours(moving, in: art) { return [] }
    if let changes = steps(moving, from: bottom.z - moving.count * Limits.zStep) { return changes }
    return try spread(moving, above: .nothing, of: art)
  }

  private static func put(
    _ moving: [Emoji], above anchor: Emoji, of art: some ArtReading
  ) throws(ArtError) -> [Change] {
    var ceiling = try art.next(above: anchor)
    if ceiling?.id == moving.first?.id, try areNeighbours(moving, in: art) { return [] }
    let ids = Set(moving.map(\.id))
    while let above = ceiling, ids.contains(above.id) { ceiling = try art.next(above: above) }
    guard let ceiling else { return try toFront(moving, of: art) }
    let step = (ceiling.z - anchor.z) / (moving.count + 1)
    guard step < 1 else {
      return moving.enumerated().map { .order($1.id, to: anchor.z + ($0 + 1) * step) }
    }
    return try spread(moving, above: .emoji(anchor.id), of: art)
  }

  /// Whether emoji in z-order follow each other with no other one between them.
  private static func areNeighbours(_ emojis: [Emoji], in art: some ArtReading) throws(ArtError) -> Bool {
    for (lower, upper) in zip(emojis, emojis.dropFirst()) {
      guard try art.next(above: lower)?.id == upper.id else { return false }
    }
    return true
  }

  /// Values a step apart; nil when they would leave the range.
  private static func steps(_ moving: [Emoji], from first: Int) -> [Change]? {
    guard Limits.zOrder.contains(first), Limits.zOrder.contains(first + moving.count * Limits.zStep) else {
      return nil
    }
    return moving.enumerated().map { .order($1.id, to: first + $0 * Limits.zStep) }
  }

  private enum Floor {
    case nothing
    case emoji(EmojiID)
    case top
  }

  /// New values for all emoji, a step apart.
  private static func spread(
    _ moving: [Emoji], above floor: Floor, of art: some ArtReading
  ) throws(ArtError) -> [Change] {
    let ids = Set(moving.map(\.id))
    var order = try art.emojisInOrder().filter { !ids.contains($0.id) }
    switch floor {
    case .nothing: order.insert(contentsOf: moving, at: 0)
    case .emoji(let id): order.insert(contentsOf: moving, at: (order.firstIndex { $0.id == id } ?? -1) + 1)
    case .top: order += moving
    }
    return order.enumerated().map { .order($1.id, to: ($0 + 1) * Limits.zStep) }
  }
}
