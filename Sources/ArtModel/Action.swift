// SPDX-License-Identifier: Apache-2.0

/// An action in the user's terms. `plan` turns it into an `Edit` of one document.
///
/// It is indirect, because the largest case would make each request of a stream as large as itself.
public indirect enum Action: Hashable, Sendable {
  /// Adds emoji on top, side by side and centred on a point.
  case add([EmojiText], at: Target, size: Length)
  /// Adds emoji on top, one in the middle of each cell of a region; the texts take turns. Without a size they fit into the cells.
  case addGrid([EmojiText], Grid, in: Region, size: Length?)
  /// Adds a caption on top, whose text was measured.
  case caption(EmojiText, at: Target, size: Length, color: Color?)
  case move(EmojiSelection, Displacement)
  case resize(EmojiSelection, Resizing)
  case rotate(EmojiSelection, Turning)
  case mirror(EmojiSelection, Bool)
  /// Sets the colour of captions; nil for black.
  case color(EmojiSelection, Color?)
  case setText(EmojiSelection, EmojiText)
  case order(EmojiSelection, Ordering)
  case remove(EmojiSelection)
  /// Adds a copy of each on top, at that distance.
  case duplicate(EmojiSelection, by: Coordinates)
  case align(EmojiSelection, Alignment)
  /// Moves emoji so that the gaps between neighbours are equal. The outermost two stay.
  case distribute(EmojiSelection, Axis)
  /// Lays emoji out in rows of cells, each as large as the largest of them. `gap` is between two cells. Without a place the centre of all of
  /// them stays.
  case grid(EmojiSelection, columns: Int, gap: Length, at: Target?)
  case canvas(CanvasAction)

  /// Where a move goes.
  public enum Displacement: Hashable, Sendable {
    case to(Target)
    case by(Coordinates)
  }

  /// The new size of a resize.
  public enum Resizing: Hashable, Sendable {
    case to(Length)
    /// The old size times a factor.
    case by(Double)
  }

  /// The new rotation.
  public enum Turning: Hashable, Sendable {
    case to(Rotation)
    /// The old rotation and this one.
    case by(Rotation)
  }

  /// Where emoji go in z-order. Several emoji keep their relative order.
  public enum Ordering: Hashable, Sendable {
    case front
    case back
    case above(Reference)
  }
}

/// A caption whose text is not measured yet. Measuring takes fonts, which only the worker has.
public indirect enum CaptionAction: Hashable, Sendable {
  /// Adds a caption on top.
  case add(Words, at: Target, size: Length, color: Color?)
  /// Makes captions with these words of emoji and of other captions.
  case set(EmojiSelection, Words)

  /// The words that are to be measured.
  public var words: Words {
    switch self {
    case .add(let words, at: _, size: _, color: _), .set(_, let words): words
    }
  }

  /// The action, given the size of the words.
  public func action(measured box: TextBox) -> Action {
    switch self {
    case .add(let words, let target, let size, let color):
      .caption(EmojiText(words, box: box), at: target, size: size, color: color)
    case .set(let selection, let words): .setText(selection, EmojiText(words, box: box))
    }
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
    case .add(let texts, let target, let size):
      return try Self.add(texts, at: target, size: FontSize(size, on: art.canvas), to: art, using: &generator)
    case .addGrid(let texts, let grid, let region, let size):
      return try Self.add(texts, grid, in: region, size: size, to: art, using: &generator)
    case .caption(let text, let target, let size, let color):
      return try Self.add(
        text, color: color, at: target, size: FontSize(size, on: art.canvas), to: art, using: &generator)
    case .move(let selection, let displacement):
      return try Self.change("move", selection, in: art) { (emoji) throws(ArtError) in
        switch displacement {
        case .to(let target):
          .position(try target.point(on: art.canvas, extent: EmojiBox(emoji).extent))
        case .by(let distance): .position(try distance.point(from: emoji.position, on: art.canvas))
        }
      }
    case .resize(let selection, let resizing):
      return try Self.change("resize", selection, in: art) { (emoji) throws(ArtError) in
        switch resizing {
        case .to(let size): .size(try FontSize(size, on: art.canvas))
        case .by(let factor): .size(try emoji.size.times(factor))
        }
      }
    case .rotate(let selection, let turning):
      return try Self.change("rotate", selection, in: art) { emoji in
        switch turning {
        case .to(let rotation): .rotation(rotation)
        case .by(let rotation): .rotation(emoji.rotation.turned(by: rotation))
        }
      }
    case .mirror(let selection, let isMirrored):
      return try Self.change("mirror", selection, in: art) { _ in .mirroring(isMirrored) }
    case .color(let selection, let color):
      return try Self.change("color", selection, in: art) { (emoji) throws(ArtError) in
        guard emoji.text.isCaption else { throw .noWords(emoji.text.label) }
        return .color(color ?? .black)
      }
    case .setText(let selection, let text):
      return try Self.change("change", selection, in: art) { _ in .text(text) }
    case .order(let selection, let ordering):
      return try Self.order(selection, ordering, in: art)
    case .remove(let selection):
      let emojis = try selection.resolve(in: art)
      // Removes from the top down, so that a document in memory removes each one from the end of its order.
      let changes = emojis.reversed().map { Change.remove($0.id) }
      return PlannedEdit(edit: Edit(name: Self.name("remove", emojis), changes: changes), subjects: emojis)
    case .duplicate(let selection, let distance):
      return try Self.duplicate(selection, by: distance, in: art, using: &generator)
    case .align(let selection, let alignment):
      return try Self.arrange("align", selection, in: art) { (boxes) throws(ArtError) in
        alignment.centers(of: boxes, on: art.canvas)
      }
    case .distribute(let selection, let axis):
      return try Self.arrange("distribute", selection, in: art) { boxes in axis.distributed(boxes) }
    case .grid(let selection, let columns, let gap, let target):
      return try Self.arrange("arrange", selection, in: art) { (boxes) throws(ArtError) in
        try Grid.centers(of: boxes, columns: columns, gap: gap, at: target, on: art.canvas)
      }
    case .canvas(let action):
      return try action.plan(on: art)
    }
  }

  private static func change(
    _ verb: String, _ selection: EmojiSelection, in art: some ArtReading,
    _ value: (Emoji) throws(ArtError) -> EmojiValue
  ) throws(ArtError) -> PlannedEdit {
    let emojis = try selection.resolve(in: art)
    var changes: [Change] = []
    changes.reserveCapacity(emojis.count)
    for emoji in emojis { changes.append(.set(emoji.id, try value(emoji))) }
    return PlannedEdit(edit: Edit(name: name(verb, emojis), changes: changes), subjects: emojis)
  }

  /// `move 🐝`, `move 🐝 🌸 🐝`, `move 12 emoji`.
  static func name(_ verb: String, _ emojis: [Emoji]) -> String {
    emojis.count <= 3
      ? "\(verb) \(emojis.map(\.text.label).joined(separator: " "))" : "\(verb) \(emojis.count) emoji"
  }
}

// MARK: - Adding

extension Action {
  private static func add(
    _ texts: [EmojiText], at target: Target, size: FontSize, to art: some ArtReading,
    using generator: inout some RandomNumberGenerator
  ) throws(ArtError) -> PlannedEdit {
    let widths = texts.map { $0.ems.width * size.pixels }
    let width = widths.reduce(0, +)
    let height = (texts.map { $0.ems.height }.max() ?? 0) * size.pixels
    let center = try target.point(on: art.canvas, extent: (width / 2, height / 2))
    var left = center.x - width / 2
    var places: [Point] = []
    for width in widths {
      let x = texts.count == 1 ? center.x : rounded(left + width / 2)
      places.append(try Point(x: x, y: center.y))
      left += width
    }
    return try add("add", texts.count, to: art, using: &generator) { (id, index, z) in
      Emoji(id: id, text: texts[index], position: places[index], size: size, z: z)
    }
  }

  private static func add(
    _ texts: [EmojiText], _ grid: Grid, in region: Region, size: Length?, to art: some ArtReading,
    using generator: inout some RandomNumberGenerator
  ) throws(ArtError) -> PlannedEdit {
    let rect = try region.rect(on: art.canvas)
    let size = if let size { try FontSize(size, on: art.canvas) } else { try grid.size(for: texts, in: rect) }
    let places = try grid.centers(in: rect)
    return try add("add", texts.isEmpty ? 0 : places.count, to: art, using: &generator) { (id, index, z) in
      Emoji(id: id, text: texts[index % texts.count], position: places[index], size: size, z: z)
    }
  }

  private static func add(
    _ text: EmojiText, color: Color?, at target: Target, size: FontSize, to art: some ArtReading,
    using generator: inout some RandomNumberGenerator
  ) throws(ArtError) -> PlannedEdit {
    let (width, height) = text.ems
    let place = try target.point(on: art.canvas, extent: (width * size.pixels / 2, height * size.pixels / 2))
    return try add("add", 1, to: art, using: &generator) { (id, _, z) in
      Emoji(id: id, text: text, position: place, size: size, z: z, color: color ?? .black)
    }
  }

  private static func duplicate(
    _ selection: EmojiSelection, by distance: Coordinates, in art: some ArtReading,
    using generator: inout some RandomNumberGenerator
  ) throws(ArtError) -> PlannedEdit {
    let originals = try selection.resolve(in: art).sorted { ($0.z, $0.id) < ($1.z, $1.id) }
    var places: [Point] = []
    for emoji in originals { places.append(try distance.point(from: emoji.position, on: art.canvas)) }
    return try add("duplicate", originals.count, to: art, using: &generator) { (id, index, z) in
      var copy = originals[index].with(id: id)
      (copy.position, copy.z) = (places[index], z)
      return copy
    }
  }

  /// An edit that adds emoji on top, lowest first. `make` gets a new id, the emoji's number from 0, and its place in z-order.
  private static func add(
    _ verb: String, _ count: Int, to art: some ArtReading,
    using generator: inout some RandomNumberGenerator, _ make: (EmojiID, Int, Int) -> Emoji
  ) throws(ArtError) -> PlannedEdit {
    guard count <= Limits.emojiCount else { throw .tooManyEmoji() }
    var z = try art.top()?.z ?? 0
    var renumbering: [Change] = []
    if z > Limits.zOrder.upperBound - count * Limits.zStep {
      let order = try art.emojisInOrder()
      renumbering = order.enumerated().map { .order($1.id, to: ($0 + 1) * Limits.zStep) }
      z = order.count * Limits.zStep
    }
    var used: Set<EmojiID> = []
    var emojis: [Emoji] = []
    for index in 0..<count {
      z += Limits.zStep
      emojis.append(make(try freshID(in: art, excluding: &used, using: &generator), index, z))
    }
    return PlannedEdit(
      edit: Edit(name: name(verb, emojis), changes: renumbering + emojis.map(Change.add)), subjects: emojis)
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
