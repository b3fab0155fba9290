// SPDX-License-Identifier: Apache-2.0

/// What a person asks for, in the person's terms. On a document it becomes an `Edit`, in the document's.
public enum Action: Hashable, Sendable {
  /// New emoji on top, side by side about a place.
  case add([EmojiText], at: Coordinates, size: FontSize)
  case move(Selection, Displacement)
  case resize(Selection, Resizing)
  case remove(Selection)
  case order(Selection, Ordering)
  case setText(Reference, EmojiText)

  /// Where to.
  public enum Displacement: Hashable, Sendable {
    case to(Coordinates)
    case by(Coordinates)
  }

  /// To what size.
  public enum Resizing: Hashable, Sendable {
    case to(FontSize)
    /// Times a factor.
    case by(Double)
  }

  /// To which place in z-order. Several emoji keep their order among themselves.
  public enum Ordering: Hashable, Sendable {
    case front
    case back
    case above(Reference)
  }
}

/// An action in a document's terms.
public struct PlannedEdit: Sendable {
  /// What it does.
  public var edit: Edit
  /// The emoji that the action is about, as they are before it; those that it adds, as they will be.
  public var subjects: [Emoji]

  /// A plan of these values.
  package init(edit: Edit, subjects: [Emoji]) {
    self.edit = edit
    self.subjects = subjects
  }
}

extension Action {
  /// What the action is on this document. Ids of new emoji are drawn from the generator. Throws `badValue`,
  /// `noSuchEmoji`, `ambiguous`, and what reading throws.
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
      // From the top down, so that a document in memory takes each off the end of its order.
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
    _ verb: String, _ selection: Selection, in art: some ArtReading,
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
    var taken: Set<EmojiID> = []
    var emojis: [Emoji] = []
    for (text, width) in zip(texts, widths) {
      let id = try freshID(in: art, besides: &taken, using: &generator)
      z += Limits.zStep
      let x = texts.count == 1 ? center.x : rounded(left + width / 2)
      emojis.append(Emoji(id: id, text: text, position: try Point(x: x, y: center.y), size: size, z: z))
      left += width
    }
    return PlannedEdit(
      edit: Edit(name: name("add", emojis), changes: renumbering + emojis.map(Change.add)), subjects: emojis)
  }

  /// An id that is not taken; it is then.
  private static func freshID(
    in art: some ArtReading, besides taken: inout Set<EmojiID>,
    using generator: inout some RandomNumberGenerator
  ) throws(ArtError) -> EmojiID {
    while true {
      let id = EmojiID.random(using: &generator)
      if try art.emoji(id) == nil, taken.insert(id).inserted { return id }
    }
  }
}
