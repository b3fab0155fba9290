// SPDX-License-Identifier: Apache-2.0

// z-order values are integers with gaps. Moving emoji to the front or the back takes values beyond the ends;
// putting them above another one takes values from the gap above it. When a gap is used up, all emoji get new
// values in steps, in the same edit, so that undoing it gives back the values there were.

extension Action {
  static func order(
    _ selection: Selection, _ ordering: Ordering, in art: some ArtReading
  ) throws(ArtError) -> PlannedEdit {
    let named = try selection.resolve(in: art)
    let moving = named.sorted { ($0.z, $0.id) < ($1.z, $1.id) }
    let ids = Set(moving.map(\.id))
    let changes: [Change]
    switch ordering {
    case .front:
      changes = try toFront(moving, of: art)
    case .back:
      changes = try toBack(moving, of: art)
    case .above(let reference):
      let anchor = try reference.resolve(in: art)
      guard !ids.contains(anchor.id) else { throw .aboveItself(reference.description) }
      changes = try put(moving, ids, above: anchor, of: art)
    }
    return PlannedEdit(edit: Edit(name: name("reorder", named), changes: changes), subjects: named)
  }

  private static func toFront(
    _ moving: [Emoji], of art: some ArtReading
  ) throws(ArtError) -> [Change] {
    guard moving.count < art.emojiCount, let top = try art.top() else { return [] }
    if moving.count == 1, top.id == moving[0].id { return [] }
    return try steps(moving, first: top.z + Limits.zStep)
  }

  private static func toBack(
    _ moving: [Emoji], of art: some ArtReading
  ) throws(ArtError) -> [Change] {
    guard moving.count < art.emojiCount, let bottom = try art.bottom() else { return [] }
    if moving.count == 1, bottom.id == moving[0].id { return [] }
    return try steps(moving, first: bottom.z - moving.count * Limits.zStep)
  }

  private static func steps(_ moving: [Emoji], first: Int) throws(ArtError) -> [Change] {
    guard Limits.zOrder.contains(first), Limits.zOrder.contains(first + moving.count * Limits.zStep) else {
      throw .noRoomInOrder()
    }
    return moving.enumerated().map { .order($1.id, to: first + $0 * Limits.zStep) }
  }

  private static func put(
    _ moving: [Emoji], _ ids: Set<EmojiID>, above anchor: Emoji, of art: some ArtReading
  ) throws(ArtError) -> [Change] {
    var ceiling = try art.next(above: anchor)
    while let above = ceiling, ids.contains(above.id) { ceiling = try art.next(above: above) }
    guard let ceiling else { return try toFront(moving, of: art) }
    let step = (ceiling.z - anchor.z) / (moving.count + 1)
    guard step < 1 else {
      return moving.enumerated().map { .order($1.id, to: anchor.z + ($0 + 1) * step) }
    }
    return try spread(art.emojisInOrder().filter { !ids.contains($0.id) }, with: moving, above: anchor)
  }

  /// New values for all emoji, a step apart.
  private static func spread(
    _ others: [Emoji], with moving: [Emoji], above anchor: Emoji
  ) throws(ArtError) -> [Change] {
    var changes: [Change] = []
    var z = 0
    for emoji in others {
      z += Limits.zStep
      changes.append(.order(emoji.id, to: z))
      guard emoji.id == anchor.id else { continue }
      for emoji in moving {
        z += Limits.zStep
        changes.append(.order(emoji.id, to: z))
      }
    }
    return changes
  }
}
