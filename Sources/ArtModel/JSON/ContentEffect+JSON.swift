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
          for emoji in added { writer.emoji(emoji.id, emoji.size, emoji.text, emoji.position, emoji.z) }
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
          for update in updated {
            writer.emoji(update.id, update.size, update.text, update.position, update.z)
          }
        }
      }
    }
  }
}

extension JSONWriter {
  fileprivate mutating func emoji(
    _ id: EmojiID, _ size: FontSize?, _ text: EmojiText?, _ position: Point?, _ z: Int?
  ) {
    object {
      $0.key("id")
      $0.string(id.description)
      if let size {
        $0.key("size")
        $0.number(size.pixels)
      }
      if let text {
        $0.key("text")
        $0.string(text.string)
      }
      if let position {
        $0.key("x")
        $0.number(position.x)
        $0.key("y")
        $0.number(position.y)
      }
      if let z {
        $0.key("z")
        $0.integer(z)
      }
    }
  }
}
