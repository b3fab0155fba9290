// SPDX-License-Identifier: Apache-2.0

/// An action in the user's terms. `plan` turns it into an `Edit` of one document.
public enum Action: Hashable, Sendable {
  /// Adds emoji on top, side by side and centred on a point.
  case add([EmojiText], at: Coordinates, size: FontSize)
  case move(EmojiSelection, Displacement)
  case resize(EmojiSelection, Resizing)
  case remove(EmojiSelection)
  case order(EmojiSelection, Ordering)
  case setText(Reference, EmojiText)

  /// Where a move goes.
  public enum Displacement: Hashable, Sendable {
    case to(Coordinates)
    case by(Coordinates)
  }

  /// The new size of a resize.
  public enum Resizing: Hashable, Sendable {
    case to(FontSize)
    /// The old size times a factor.
    case by(Double)
  }

  /// Where emoji go in z-order. Several emoji keep their relative order.
  public enum Ordering: Hashable, Sendable {
    case front
    case back
    case above(Reference)
  }
}

/// An action as an edit of one document.
public struct PlannedEdit: Sendable {
  /// The edit.
  public var edit: Edit
  /// The emoji that the action names, as they are before it; for an addition, the new emoji.
  public var subjects: [Emoji]

  /// A plan with these values.
  package init(edit: Edit, subjects: [Emoji]) {
    self.edit = edit
    self.subjects = subjects
  }
}

// MARK: - Planning

extension Action {
  /// Plans the action on this document. The ids of new emoji are drawn from the generator. Throws `badValue`,
  /// `noSuchEmoji`, `ambiguous`, and what the document's read methods throw.
  public func plan(
    on art: some ArtReading, using generator: inout some RandomNumberGenerator
  ) throws(ArtError) -> PlannedEdit {
    switch self {
    case .add(let texts, let place, let size):
      return try Self.add(texts, at: place, size: size, to: art, using: &generator)
    case .move(let selection, let displacement):
      return try Self.change("move", selection, in: art) { (emoji) throws(ArtError) in
        switch displacement {
        case .to(let place): .move(emoji.id, to: try place.point(on: art.canvas))
        case .by(let distance): .move(emoji.id, to: try distance.point(from: emoji.position, on: art.canvas))
        }
      }
    case .resize(let selection, let resizing):
      return try Self.change("resize", selection, in: art) { (emoji) throws(ArtError) in
        switch resizing {
        case .to(let size): .resize(emoji.id, to: size)
        case .by(let factor): .resize(emoji.id, to: try emoji.size.times(factor))
        }
      }
    case .remove(let selection):
      let emojis = try selection.resolve(in: art)
      // Removes from the top down, so that a document in memory removes each one from the end of its order.
      let changes = emojis.reversed().map { Change.remove($0.id) }
      return PlannedEdit(edit: Edit(name: Self.name("remove", emojis), changes: changes), subjects: emojis)
    case .setText(let reference, let text):
      return try Self.change("change", .references([reference]), in: art) { (emoji) throws(ArtError) in
        .setText(emoji.id, to: text)
      }
    case .order(let selection, let ordering):
      return try Self.order(selection, ordering, in: art)
    }
  }

  private static func change(
    _ verb: String, _ selection: EmojiSelection, in art: some ArtReading,
    _ change: (Emoji) throws(ArtError) -> Change
  ) throws(ArtError) -> PlannedEdit {
    let emojis = try selection.resolve(in: art)
    var changes: [Change] = []
    changes.reserveCapacity(emojis.count)
    for emoji in emojis { changes.append(try change(emoji)) }
    return PlannedEdit(edit: Edit(name: name(verb, emojis), changes: changes), subjects: emojis)
  }

  /// `move 🐝`, `move 🐝 🌸 🐝`, `move 12 emoji`.
  static func name(_ verb: String, _ emojis: [Emoji]) -> String {
    emojis.count <= 3
      ? "\(verb) \(emojis.map(\.text.string).joined(separator: " "))" : "\(verb) \(emojis.count) emoji"
  }
}

// MARK: - Adding

extension Action {
  /// Width of a glyph in font sizes: Noto Color Emoji's advance.
  private static let advance = 1.245

  private static func add(
    _ texts: [EmojiText], at place: Coordinates, size: FontSize, to art: some ArtReading,
    using generator: inout some RandomNumberGenerator
  ) throws(ArtError) -> PlannedEdit {
    let center = try place.point(on: art.canvas)
    let widths = texts.map { Double($0.string.count) * advance * size.pixels }
    var left = center.x - widths.reduce(0, +) / 2
    var z = try art.top()?.z ?? 0
    var renumbering: [Change] = []
    if z > Limits.zOrder.upperBound - texts.count * Limits.zStep {
      let order = try art.emojisInOrder()
      renumbering = order.enumerated().map { .order($1.id, to: ($0 + 1) * Limits.zStep) }
      z = order.count * Limits.zStep
    }
    var used: Set<EmojiID> = []
    var emojis: [Emoji] = []
    for (text, width) in zip(texts, widths) {
      let id = try freshID(in: art, excluding: &used, using: &generator)
      z += Limits.zStep
      let x = texts.count == 1 ? center.x : rounded(left + width / 2)
      emojis.append(Emoji(id: id, text: text, position: try Point(x: x, y: center.y), size: size, z: z))
      left += width
    }
    return PlannedEdit(
      edit: Edit(name: name("add", emojis), changes: renumbering + emojis.map(Change.add)), subjects: emojis)
  }

  /// Draws an unused id and adds it to `used`.
  private static func freshID(
    in art: some ArtReading, excluding used: inout Set<EmojiID>,
    using generator: inout some RandomNumberGenerator
  ) throws(ArtError) -> EmojiID {
    while true {
      let id = EmojiID.random(using: &generator)
      if try art.emoji(id) == nil, used.insert(id).inserted { return id }
    }
  }
}

// MARK: - Ordering

// z-order values are integers with gaps. Moving emoji to the front or the back uses values beyond the ends; moving
// them above another emoji uses values from the gap above it. When a gap or the range is used up, the same edit gives
// all emoji new values, one step apart, so that an undo restores the old values.

extension Action {
  static func order(
    _ selection: EmojiSelection, _ ordering: Ordering, in art: some ArtReading
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

  /// Whether emoji, given in z-order, are neighbours with no other emoji between them.
  private static func areNeighbours(_ emojis: [Emoji], in art: some ArtReading) throws(ArtError) -> Bool {
    for (lower, upper) in zip(emojis, emojis.dropFirst()) {
      guard try art.next(above: lower)?.id == upper.id else { return false }
    }
    return true
  }

  /// Values one step apart; nil when they would leave the range.
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

  /// New values for all emoji, one step apart.
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
