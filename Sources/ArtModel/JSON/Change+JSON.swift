// SPDX-License-Identifier: Apache-2.0

extension [Change] {
  /// The changes as the log keeps them, each an array that begins with its kind:
  ///
  ///     ["add",id,text,x,y,size,z]  ["remove",id]  ["move",id,x,y]  ["resize",id,size]  ["text",id,text]
  ///     ["order",id,z]  ["canvas",width,height]  ["background",{…}|null]  ["pending",{…}|null]
  public func write(to writer: inout JSONWriter) {
    writer.array { writer in for change in self { writer.array { change.write(to: &$0) } } }
  }

  /// Reads what `write` writes. Throws `badJSON`, also for more than `Limits.editChanges`, and what the values' checks throw.
  public init(json: UnsafeBufferPointer<UInt8>) throws(ArtError) {
    // Counted first: a change takes several times the memory of its text.
    let shortest = #"["remove","00000000"]"#.utf8.count
    if json.count / shortest > Limits.editChanges {
      guard json.lazy.filter({ $0 == UInt8(ascii: "[") }).count <= Limits.editChanges + 1 else {
        throw .badJSON("more than \(Limits.editChanges) changes", atByte: 0)
      }
    }
    self = try JSONReader.read(json) { (reader) throws(ArtError) in try [Change](from: &reader) }
  }

  /// The same inside another text.
  public init(from reader: inout JSONReader) throws(ArtError) {
    var changes: [Change] = []
    try reader.array { (reader) throws(ArtError) in
      try reader.open()
      changes.append(try Change(from: &reader))
      try reader.close()
    }
    self = changes
  }
}

extension Change {
  fileprivate func write(to writer: inout JSONWriter) {
    switch self {
    case .add(let emoji):
      writer.string("add")
      writer.string(emoji.id.description)
      writer.string(emoji.text.string)
      writer.number(emoji.position.x)
      writer.number(emoji.position.y)
      writer.number(emoji.size.pixels)
      writer.integer(emoji.z)
    case .remove(let id):
      writer.string("remove")
      writer.string(id.description)
    case .move(let id, let place):
      writer.string("move")
      writer.string(id.description)
      writer.number(place.x)
      writer.number(place.y)
    case .resize(let id, let size):
      writer.string("resize")
      writer.string(id.description)
      writer.number(size.pixels)
    case .setText(let id, let text):
      writer.string("text")
      writer.string(id.description)
      writer.string(text.string)
    case .order(let id, let z):
      writer.string("order")
      writer.string(id.description)
      writer.integer(z)
    case .setCanvas(let canvas):
      writer.string("canvas")
      writer.integer(canvas.width)
      writer.integer(canvas.height)
    case .setBackground(let background):
      writer.string("background")
      if let background { background.write(to: &writer) } else { writer.null() }
    case .setPending(let pending):
      writer.string("pending")
      if let pending { pending.write(to: &writer) } else { writer.null() }
    }
  }

  fileprivate init(from reader: inout JSONReader) throws(ArtError) {
    let kind = try reader.string()
    try reader.comma()
    switch kind {
    case "add":
      let id = try reader.emojiID()
      let text = try EmojiText(stored: reader.next { (r) throws(ArtError) in try r.string() })
      let position = try reader.nextPoint()
      let size = try FontSize(reader.nextNumber())
      self = .add(Emoji(id: id, text: text, position: position, size: size, z: try reader.nextZ()))
    case "remove": self = .remove(try reader.emojiID())
    case "move": self = .move(try reader.emojiID(), to: try reader.nextPoint())
    case "resize": self = .resize(try reader.emojiID(), to: try FontSize(reader.nextNumber()))
    case "text":
      let id = try reader.emojiID()
      self = .setText(id, to: try EmojiText(stored: reader.next { (r) throws(ArtError) in try r.string() }))
    case "order": self = .order(try reader.emojiID(), to: try reader.nextZ())
    case "canvas":
      let width = try reader.integer()
      try reader.comma()
      self = .setCanvas(try Canvas(width: width, height: reader.integer()))
    case "background": self = .setBackground(reader.null() ? nil : try Background(from: &reader))
    case "pending": self = .setPending(reader.null() ? nil : try PendingBackground(from: &reader))
    default: throw reader.error("a change of the kind \"\(kind)\"")
    }
  }
}

extension JSONReader {
  fileprivate mutating func next<Value>(
    _ body: (inout JSONReader) throws(ArtError) -> Value
  ) throws(ArtError) -> Value {
    try comma()
    return try body(&self)
  }

  fileprivate mutating func nextNumber() throws(ArtError) -> Double {
    try comma()
    return try number()
  }

  fileprivate mutating func nextPoint() throws(ArtError) -> Point {
    let x = try nextNumber()
    return try Point(x: x, y: nextNumber())
  }

  fileprivate mutating func nextZ() throws(ArtError) -> Int {
    try comma()
    return try z()
  }
}
