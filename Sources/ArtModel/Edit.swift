// SPDX-License-Identifier: Apache-2.0

/// One user action: a name, and the fields that it sets.
///
/// Moving a hundred emoji is one edit with a hundred changes: one revision and one undo.
public struct Edit: Hashable, Sendable {
  /// The action for menus and the history, such as `move 🐝`.
  public var name: String
  /// The changes, in order.
  public var changes: [Change]
  /// Whether it clears the pending background because that was refused.
  let isRefusal: Bool

  /// An edit with these values.
  public init(name: String, changes: [Change]) { self.init(name: name, changes: changes, isRefusal: false) }

  init(name: String, changes: [Change], isRefusal: Bool) {
    self.name = name
    self.changes = changes
    self.isRefusal = isRefusal
  }

  /// The kind of its entry in the log.
  package var kind: LoggedEdit.Kind { isRefusal ? .refuse : .edit }
}

/// One field of a document set to a value, or an emoji added or removed.
public enum Change: Hashable, Sendable {
  case add(Emoji)
  case remove(EmojiID)
  case set(EmojiID, EmojiValue)
  case setCanvas(Canvas)
  /// The colour of the canvas; nil for none.
  case setFill(Color?)
  case setBackground(Background?)
  case setPending(PendingBackground?)
}

extension Change {
  /// Sets an emoji's position.
  public static func move(_ id: EmojiID, to point: Point) -> Change { .set(id, .position(point)) }
  /// Sets an emoji's font size.
  public static func resize(_ id: EmojiID, to size: FontSize) -> Change { .set(id, .size(size)) }
  /// Sets an emoji's text.
  public static func setText(_ id: EmojiID, to text: EmojiText) -> Change { .set(id, .text(text)) }
  /// Sets an emoji's z-order value.
  public static func order(_ id: EmojiID, to z: Int) -> Change { .set(id, .order(z)) }
  /// Sets an emoji's rotation.
  public static func rotate(_ id: EmojiID, to rotation: Rotation) -> Change { .set(id, .rotation(rotation)) }
  /// Sets whether an emoji is mirrored.
  public static func mirror(_ id: EmojiID, to isMirrored: Bool) -> Change { .set(id, .mirroring(isMirrored)) }
  /// Sets the colour of an emoji's letters.
  public static func color(_ id: EmojiID, to color: Color) -> Change { .set(id, .color(color)) }
}

/// A field of an emoji with its value.
public enum EmojiValue: Hashable, Sendable {
  case text(EmojiText)
  case position(Point)
  case size(FontSize)
  case order(Int)
  case rotation(Rotation)
  case mirroring(Bool)
  case color(Color)

  /// The field.
  public var field: EmojiField {
    switch self {
    case .text: .text
    case .position: .position
    case .size: .size
    case .order: .order
    case .rotation: .rotation
    case .mirroring: .mirroring
    case .color: .color
    }
  }
}

/// A field of an emoji that an edit can set by itself.
public enum EmojiField: Hashable, Sendable, CaseIterable {
  case text
  case position
  case size
  case order
  case rotation
  case mirroring
  case color
}

extension Emoji {
  /// The value of a field.
  public subscript(field: EmojiField) -> EmojiValue {
    switch field {
    case .text: .text(text)
    case .position: .position(position)
    case .size: .size(size)
    case .order: .order(z)
    case .rotation: .rotation(rotation)
    case .mirroring: .mirroring(isMirrored)
    case .color: .color(color)
    }
  }

  /// Sets the field to the value.
  package mutating func set(_ value: EmojiValue) {
    switch value {
    case .text(let text): self.text = text
    case .position(let position): self.position = position
    case .size(let size): self.size = size
    case .order(let z): self.z = z
    case .rotation(let rotation): self.rotation = rotation
    case .mirroring(let isMirrored): self.isMirrored = isMirrored
    case .color(let color): self.color = color
    }
  }

  /// The emoji with the field set to the value.
  func with(_ value: EmojiValue) -> Emoji {
    var emoji = self
    emoji.set(value)
    return emoji
  }
}

/// What a change sets. Changes of different fields are independent; of two changes of one field the later one wins.
public enum Field: Hashable, Sendable {
  case existence(EmojiID)
  case value(EmojiID, EmojiField)
  case canvas
  case fill
  case background
  case pending

  /// The emoji that the field belongs to; nil for a field of the document.
  public var emoji: EmojiID? {
    switch self {
    case .existence(let id), .value(let id, _): id
    case .canvas, .fill, .background, .pending: nil
    }
  }

  /// The fields of the document itself.
  static let ofDocument: [Field] = [.canvas, .fill, .background, .pending]

  /// All fields of an emoji.
  static func all(of id: EmojiID) -> [Field] {
    [.existence(id)] + EmojiField.allCases.map { .value(id, $0) }
  }
}

extension Change {
  /// The changes in a fixed order, that of their JSON, without duplicates.
  static func sorted(_ changes: [Change]) -> [Change] {
    guard changes.count > 1 else { return changes }
    let keyed = Set(changes).map { (key: $0.json, change: $0) }
    return keyed.sorted { $0.key.lexicographicallyPrecedes($1.key) }.map(\.change)
  }

  /// Throws `badValue` for a value out of bounds. Only z-order values are checked: the types of the other values have
  /// bounds of their own.
  func checkBounds() throws(ArtError) {
    switch self {
    case .add(let emoji): guard Limits.zOrder.contains(emoji.z) else { throw .badOrder(emoji.z) }
    case .set(_, .order(let z)): guard Limits.zOrder.contains(z) else { throw .badOrder(z) }
    default: break
    }
  }

  /// An addition as changes of its single fields; any other change as it is.
  public var fieldByField: [Change] {
    guard case .add(let emoji) = self else { return [self] }
    return EmojiField.allCases.map { .set(emoji.id, emoji[$0]) }
  }

  /// Whether the emoji already has the value that the change sets.
  public func matches(_ emoji: Emoji) -> Bool {
    switch self {
    case .add(let added): added == emoji
    case .set(let id, let value): id == emoji.id && value == emoji[value.field]
    case .remove, .setCanvas, .setFill, .setBackground, .setPending: false
    }
  }

  /// The field that the change sets.
  public var field: Field {
    switch self {
    case .add(let emoji): .existence(emoji.id)
    case .remove(let id): .existence(id)
    case .set(let id, let value): .value(id, value.field)
    case .setCanvas: .canvas
    case .setFill: .fill
    case .setBackground: .background
    case .setPending: .pending
    }
  }
}
