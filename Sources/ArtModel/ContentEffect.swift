// SPDX-License-Identifier: Apache-2.0

/// The difference between two states of a document's visible content.
///
/// Applying the effect to the state before gives the state after. An effect names a field only if its value changes.
/// The order of emoji is by `z`.
public struct ContentEffect: Hashable, Sendable {
  /// An emoji that exists before and after, with its new values.
  public struct Update: Hashable, Sendable, Identifiable {
    /// The emoji.
    public let id: EmojiID
    /// The new text; nil if unchanged.
    public var text: EmojiText?
    /// The new position; nil if unchanged.
    public var position: Point?
    /// The new font size; nil if unchanged.
    public var size: FontSize?
    /// The new z-order value; nil if unchanged.
    public var z: Int?
    /// The new rotation; nil if unchanged.
    public var rotation: Rotation?
    /// Whether it is mirrored now; nil if unchanged.
    public var isMirrored: Bool?
    /// The new colour, `.some(nil)` if it was removed; nil if unchanged.
    public var color: Color?

    /// An update without changes.
    public init(_ id: EmojiID) { self.id = id }

    /// The fields of `new` that differ from those of `old`; nil if none does.
    public init?(from old: Emoji, to new: Emoji) {
      guard old != new else { return nil }
      id = new.id
      for value in EmojiField.allCases.map({ new[$0] }) where value != old[value.field] { set(value) }
    }

    /// Adds a new value.
    mutating func set(_ value: EmojiValue) {
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

    /// The new values.
    public var values: [EmojiValue] {
      [
        text.map(EmojiValue.text), position.map(EmojiValue.position), size.map(EmojiValue.size),
        z.map(EmojiValue.order), rotation.map(EmojiValue.rotation), isMirrored.map(EmojiValue.mirroring),
        color.map(EmojiValue.color),
      ].compactMap(\.self)
    }

    /// The emoji with the new values.
    public func applied(to emoji: Emoji) -> Emoji {
      values.reduce(into: emoji) { $0.set($1) }
    }
  }

  /// New emoji, bottom to top.
  public private(set) var added: [Emoji] = []
  /// Changed emoji, ascending by id.
  public private(set) var updated: [Update] = []
  /// Removed emoji, ascending by id.
  public private(set) var removed: [EmojiID] = []
  /// The new canvas; nil if unchanged.
  public private(set) var canvas: Canvas?
  /// The new colour of the canvas, `.some(nil)` if it was removed; nil if unchanged.
  public private(set) var fill: Color??
  /// The new background, `.some(nil)` if it was removed; nil if unchanged.
  public private(set) var background: Background??
  /// The new pending background, `.some(nil)` if it was removed; nil if unchanged.
  public private(set) var pending: PendingBackground??

  /// Whether there is no difference.
  public var isEmpty: Bool { self == ContentEffect() }

  /// The empty effect.
  public init() {}

  /// An effect with these values, each list in any order.
  public init(
    added: [Emoji] = [], updated: [Update] = [], removed: [EmojiID] = [], canvas: Canvas? = nil,
    fill: Color?? = nil, background: Background?? = nil, pending: PendingBackground?? = nil
  ) {
    self.added = added
    self.updated = updated
    self.removed = removed
    self.canvas = canvas
    self.fill = fill
    self.background = background
    self.pending = pending
    sort()
  }

  /// The difference between two states. The time is proportional to the emoji of both.
  public init(from old: DocumentContent, to new: DocumentContent) {
    for emoji in new.emojisInOrder() {
      if let before = old.emoji(emoji.id) {
        if let update = Update(from: before, to: emoji) { updated.append(update) }
      } else {
        added.append(emoji)
      }
    }
    for emoji in old.emojisInOrder() where new.emoji(emoji.id) == nil { removed.append(emoji.id) }
    if old.canvas != new.canvas { canvas = new.canvas }
    if old.fill != new.fill { fill = .some(new.fill) }
    if old.background != new.background { background = .some(new.background) }
    if old.pending != new.pending { pending = .some(new.pending) }
    sort()
  }

  /// The effect of applied changes, given their inverse. The time is proportional to the changes.
  public init(of changes: [Change], inverse: [Change]) {
    var (forward, backward) = (NetChanges(), NetChanges())
    for change in changes { forward.add(change) }
    for change in inverse { backward.add(change) }
    let before = Set(backward.changes)
    var updates: [EmojiID: Update] = [:]
    for change in forward.changes where !before.contains(change) {
      switch change {
      case .add(let emoji): added.append(emoji)
      case .remove(let id): removed.append(id)
      case .set(let id, let value): updates[id, default: Update(id)].set(value)
      case .setCanvas(let new): canvas = new
      case .setFill(let new): fill = .some(new)
      case .setBackground(let new): background = .some(new)
      case .setPending(let new): pending = .some(new)
      }
    }
    updated = Array(updates.values)
    sort()
  }

  /// The effect as changes, in an order in which they can be applied.
  public var changes: [Change] {
    var changes = removed.map(Change.remove)
    for update in updated {
      for value in update.values { changes.append(.set(update.id, value)) }
    }
    changes += added.map(Change.add)
    if let background { changes.append(.setBackground(background)) }
    if let canvas { changes.append(.setCanvas(canvas)) }
    if let fill { changes.append(.setFill(fill)) }
    if let pending { changes.append(.setPending(pending)) }
    return changes
  }

  private mutating func sort() {
    added.sort { ($0.z, $0.id) < ($1.z, $1.id) }
    updated.sort { $0.id < $1.id }
    removed.sort()
  }
}

// MARK: - Applying

extension DocumentContent {
  /// Applies an effect. Parts that do not fit, such as an update of a missing emoji, are skipped.
  public mutating func apply(_ effect: ContentEffect) {
    for id in effect.removed { if let emoji = emoji(id) { delete(emoji) } }
    for update in effect.updated {
      if let old = emoji(update.id) { self.update(old, to: update.applied(to: old)) }
    }
    for emoji in effect.added where self.emoji(emoji.id) == nil { insert(emoji) }
    if let canvas = effect.canvas { setCanvas(canvas) }
    if let fill = effect.fill { setFill(fill) }
    if let background = effect.background { setBackground(background) }
    if let pending = effect.pending { setPending(pending) }
  }

  /// Whether both have equal emoji, canvas, fill, background and pending background. Revision and log are ignored.
  public func looksLike(_ other: DocumentContent) -> Bool { ContentEffect(from: self, to: other).isEmpty }
}

// MARK: - JSON

extension ContentEffect {
  /// Writes the effect, leaving out members without a difference:
  ///
  ///     {"added":[{"id":"…","size":40,"text":"🐝","x":1,"y":2,"z":3}],"background":{…}|null,"canvas":{…},
  ///      "fill":"#…"|null,"pending":{…}|null,"removed":["…"],"updated":[{"id":"…","x":2}]}
  public func write(to writer: inout JSONWriter) {
    writer.object { writer in
      if !added.isEmpty {
        writer.key("added")
        writer.array { writer in
          for emoji in added { emoji.write(to: &writer, withZ: true) }
        }
      }
      if let background {
        writer.key("background")
        if let background { background.write(to: &writer) } else { writer.null() }
      }
      if let canvas {
        writer.key("canvas")
        canvas.write(to: &writer)
      }
      if let fill {
        writer.key("fill")
        writer.color(fill)
      }
      if let pending {
        writer.key("pending")
        if let pending { pending.write(to: &writer) } else { writer.null() }
      }
      if !removed.isEmpty {
        writer.key("removed")
        writer.array { writer in for id in removed { writer.string(id.description) } }
      }
      if !updated.isEmpty {
        writer.key("updated")
        writer.array { writer in
          for update in updated { EmojiMembers(update).write(to: &writer) }
        }
      }
    }
  }

  /// Reads what `write` writes. Throws `badJSON`, also for an emoji that appears twice in one list, an added emoji
  /// with a missing value, and a pending background without a URL (which is left out if it cannot be displayed), and
  /// what the initializers of the values throw.
  public init(from reader: inout JSONReader) throws(ArtError) {
    var effect = (added: [Emoji](), updated: [Update](), removed: [EmojiID]())
    var canvas: Canvas?
    var fill: Color??
    var background: Background??
    var pending: PendingBackground??
    try reader.object { (key, reader) throws(ArtError) in
      switch key {
      case "added": effect.added = try reader.distinct(\.id) { (r) throws(ArtError) in try Emoji(from: &r) }
      case "background":
        background = reader.null() ? .some(nil) : .some(try Background(from: &reader))
      case "canvas": canvas = try Canvas(from: &reader)
      case "fill": fill = .some(try reader.color())
      case "pending":
        pending = reader.null() ? .some(nil) : .some(try PendingBackground(from: &reader))
      case "removed": effect.removed = try reader.distinct(\.self) { (r) throws(ArtError) in try r.emojiID() }
      case "updated":
        effect.updated = try reader.distinct(\.id) { (r) throws(ArtError) in
          try Update(from: &r)
        }
      default: throw reader.error("an effect with the key \"\(key.prefix(40))\"")
      }
    }
    self.init(
      added: effect.added, updated: effect.updated, removed: effect.removed, canvas: canvas,
      fill: fill, background: background, pending: pending)
  }
}

extension ContentEffect.Update {
  fileprivate init(from reader: inout JSONReader) throws(ArtError) {
    let members = try EmojiMembers(from: &reader)
    guard let id = members.id else { throw reader.error("an emoji without id") }
    self.init(id)
    (text, position, size, z) = (members.text, members.position, members.size, members.z)
    (rotation, isMirrored, color) = (members.rotation, members.isMirrored, members.color)
  }
}

extension JSONReader {
  /// Reads an array whose elements have distinct ids.
  fileprivate mutating func distinct<Element>(
    _ name: (Element) -> EmojiID, _ read: (inout JSONReader) throws(ArtError) -> Element
  ) throws(ArtError) -> [Element] {
    var elements: [Element] = []
    var names: Set<EmojiID> = []
    try array { (reader) throws(ArtError) in
      let element = try read(&reader)
      guard names.insert(name(element)).inserted else {
        throw reader.error("the emoji \(name(element)) twice")
      }
      elements.append(element)
    }
    return elements
  }
}
