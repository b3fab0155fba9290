// SPDX-License-Identifier: Apache-2.0

/// One user action: a name, and the fields that it sets.
///
/// Moving a hundred emoji is one edit with a hundred changes: one revision and one undo.
public struct Edit: Hashable, Sendable {
  /// The action for menus and the history, such as `move 🐝`.
  public var name: String
  /// The changes, in order.
  public var changes: [Change]

  /// An edit with these values.
  public init(name: String, changes: [Change]) {
    self.name = name
    self.changes = changes
  }

  /// The name of the edit that a repair appends to the log. It has no changes and cannot be undone; it gives the
  /// document a new head.
  public static let repairName = "repair"
}

/// One field of a document set to a value.
public enum Change: Hashable, Sendable {
  case add(Emoji)
  case remove(EmojiID)
  case move(EmojiID, to: Point)
  case resize(EmojiID, to: FontSize)
  case setText(EmojiID, to: EmojiText)
  case order(EmojiID, to: Int)
  case setCanvas(Canvas)
  case setBackground(Background?)
  case setPending(PendingBackground?)
}

/// The field that a change sets. Changes of different fields are independent; of two changes of one field the later
/// one wins.
public enum Field: Hashable, Sendable {
  case existence(EmojiID)
  case position(EmojiID)
  case size(EmojiID)
  case text(EmojiID)
  case order(EmojiID)
  case canvas
  case background
  case pending

  /// The emoji that the field belongs to; nil for a field of the document.
  public var emoji: EmojiID? {
    switch self {
    case .existence(let id), .position(let id), .size(let id), .text(let id), .order(let id): id
    case .canvas, .background, .pending: nil
    }
  }
}

extension Change {
  /// Throws `badValue` for a value out of bounds. Only z-order values are checked: the types of the other values have
  /// bounds of their own.
  func checkBounds() throws(ArtError) {
    switch self {
    case .add(let emoji): guard Limits.zOrder.contains(emoji.z) else { throw .badOrder(emoji.z) }
    case .order(_, let z): guard Limits.zOrder.contains(z) else { throw .badOrder(z) }
    default: break
    }
  }

  /// An addition as changes of its single fields; any other change as it is.
  public var fieldByField: [Change] {
    guard case .add(let emoji) = self else { return [self] }
    return [
      .setText(emoji.id, to: emoji.text), .move(emoji.id, to: emoji.position),
      .resize(emoji.id, to: emoji.size),
      .order(emoji.id, to: emoji.z),
    ]
  }

  /// Whether the emoji already has the value that the change sets.
  public func matches(_ emoji: Emoji) -> Bool {
    switch self {
    case .add(let added): added == emoji
    case .move(let id, let place): id == emoji.id && place == emoji.position
    case .resize(let id, let size): id == emoji.id && size == emoji.size
    case .setText(let id, let text): id == emoji.id && text == emoji.text
    case .order(let id, let z): id == emoji.id && z == emoji.z
    case .remove, .setCanvas, .setBackground, .setPending: false
    }
  }

  /// The field that the change sets.
  public var field: Field {
    switch self {
    case .add(let emoji): .existence(emoji.id)
    case .remove(let id): .existence(id)
    case .move(let id, _): .position(id)
    case .resize(let id, _): .size(id)
    case .setText(let id, _): .text(id)
    case .order(let id, _): .order(id)
    case .setCanvas: .canvas
    case .setBackground: .background
    case .setPending: .pending
    }
  }
}
