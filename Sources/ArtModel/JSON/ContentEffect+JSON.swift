// SPDX-License-Identifier: Apache-2.0

extension ContentEffect {
  /// Writes what is different, each member only where there is something to say:
  ///
  ///     {"added":[{"id":"…","size":40,"text":"🐝","x":1,"y":2,"z":3}],"background":{…}|null,"canvas":{…},
  ///      "pending":{…}|null,"removed":["…"],"updated":[{"id":"…","x":2}]}
  public func write(to writer: inout JSONWriter) {
    writer.object { writer in
      if !added.isEmpty {
        writer.key("added")
        writer.array { writer in
          for emoji in added { EmojiMembers(emoji).write(to: &writer) }
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

  /// Reads what `write` writes. Throws `badJSON`, also for an emoji that stands twice in one list, a new one without all of its values,
  /// and a pending background without a URL, which is written so where the URL cannot be shown; and what the values' checks throw.
  public init(from reader: inout JSONReader) throws(ArtError) {
    var effect = (added: [Emoji](), updated: [Update](), removed: [EmojiID]())
    var canvas: Canvas?
    var background: Background??
    var pending: PendingBackground??
    try reader.object { (key, reader) throws(ArtError) in
      switch key {
      case "added": effect.added = try reader.distinct(\.id) { (r) throws(ArtError) in try Emoji(from: &r) }
      case "background":
        background = reader.null() ? .some(nil) : .some(try Background(from: &reader))
      case "canvas": canvas = try Canvas(from: &reader)
      case "pending":
        pending = reader.null() ? .some(nil) : .some(try PendingBackground(from: &reader))
      case "removed": effect.removed = try reader.distinct(\.self) { (r) throws(ArtError) in try r.emojiID() }
      case "updated":
        effect.updated = try reader.distinct(\.id) { (r) throws(ArtError) in
          try Update(EmojiMembers(from: &r))
        }
      default: throw reader.error("an effect with the key \"\(key.prefix(40))\"")
      }
    }
    self.init(
      added: effect.added, updated: effect.updated, removed: effect.removed, canvas: canvas,
      background: background, pending: pending)
  }
}

extension ContentEffect.Update {
  fileprivate init(_ members: EmojiMembers) {
    self.init(members.id)
    (text, position, size, z) = (members.text, members.position, members.size, members.z)
  }
}

extension JSONReader {
  /// Reads an array in which each element has another name.
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
