// SPDX-License-Identifier: Apache-2.0

extension [Change] {
  /// Writes the changes as the log stores them, each as an array that begins with its kind:
  ///
  ///     ["add",id,text,x,y,size,z]  ["remove",id]  ["move",id,x,y]  ["resize",id,size]  ["text",id,text]
  ///     ["order",id,z]  ["rotate",id,degrees]  ["mirror",id,true|false]  ["color",id,"#…"|null]
  ///     ["canvas",width,height]  ["fill","#…"|null]  ["background",{…}|null]  ["pending",{…}|null]
  ///
  /// What only some emoji have is the last element of an addition: `{"box":…,"color":…,"kind":"caption","mirrored":true,"rotation":…}`. The
  /// box and the kind of a caption's text are the last element of a `text`.
  public func write(to writer: inout JSONWriter) {
    writer.array { writer in for change in self { writer.array { change.write(to: &$0) } } }
  }

  /// Reads what `write` writes. Throws `badJSON`, also for more than `Limits.editChanges` changes, and what the
  /// initializers of the values throw.
  public init(json: UnsafeBufferPointer<UInt8>) throws(ArtError) {
    self = try JSONReader.read(json) { (reader) throws(ArtError) in try [Change](from: &reader) }
  }

  /// Reads the array inside another text.
  public init(from reader: inout JSONReader) throws(ArtError) {
    var changes: [Change] = []
    try reader.array { (reader) throws(ArtError) in
      guard changes.count < Limits.editChanges else {
        throw reader.error("more than \(Limits.editChanges) changes")
      }
      try reader.open()
      changes.append(try Change(from: &reader))
      try reader.close()
    }
    self = changes
  }
}

extension Change {
  /// The change as the log stores it.
  var json: [UInt8] {
    var writer = JSONWriter()
    writer.array { write(to: &$0) }
    return writer.bytes
  }

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
      let style = EmojiStyle(emoji)
      if !style.isEmpty { writer.object { style.write(to: &$0) } }
    case .remove(let id):
      writer.string("remove")
      writer.string(id.description)
    case .set(let id, let value): value.write(of: id, to: &writer)
    case .setCanvas(let canvas):
      writer.string("canvas")
      writer.integer(canvas.width)
      writer.integer(canvas.height)
    case .setFill(let fill):
      writer.string("fill")
      writer.color(fill)
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
      let text = try reader.next { (r) throws(ArtError) in try r.string() }
      let position = try reader.nextPoint()
      let size = try FontSize(reader.nextNumber())
      let z = try reader.nextZ()
      let style = try reader.nextStyle { _ in true }
      self = .add(
        Emoji(
          id: id, text: try EmojiText(stored: text, box: style.checkedBox(&reader)), position: position,
          size: size, z: z, rotation: style.rotation ?? .zero, isMirrored: style.isMirrored ?? false,
          color: style.color ?? .black))
    case "remove": self = .remove(try reader.emojiID())
    case "move": self = .move(try reader.emojiID(), to: try reader.nextPoint())
    case "resize": self = .resize(try reader.emojiID(), to: try FontSize(reader.nextNumber()))
    case "text":
      let id = try reader.emojiID()
      let text = try reader.next { (r) throws(ArtError) in try r.string() }
      let style = try reader.nextStyle { $0 == "box" || $0 == "kind" }
      self = .setText(id, to: try EmojiText(stored: text, box: style.checkedBox(&reader)))
    case "order": self = .order(try reader.emojiID(), to: try reader.nextZ())
    case "rotate": self = .rotate(try reader.emojiID(), to: try Rotation(stored: reader.nextNumber()))
    case "mirror":
      let id = try reader.emojiID()
      self = .mirror(id, to: try reader.next { (r) throws(ArtError) in try r.boolean() })
    case "color":
      let id = try reader.emojiID()
      self = .color(id, to: try reader.next { (r) throws(ArtError) in try r.color() ?? .black })
    case "canvas":
      let width = try reader.integer()
      try reader.comma()
      self = .setCanvas(try Canvas(width: width, height: reader.integer()))
    case "fill": self = .setFill(try reader.color())
    case "background": self = .setBackground(reader.null() ? nil : try Background(from: &reader))
    case "pending": self = .setPending(reader.null() ? nil : try PendingBackground(from: &reader))
    default: throw reader.error("a change of the kind \"\(kind)\"")
    }
  }
}

extension EmojiValue {
  /// Writes the elements of the change that sets this value.
  fileprivate func write(of id: EmojiID, to writer: inout JSONWriter) {
    let kind =
      switch self {
      case .text: "text"
      case .position: "move"
      case .size: "resize"
      case .order: "order"
      case .rotation: "rotate"
      case .mirroring: "mirror"
      case .color: "color"
      }
    writer.string(kind)
    writer.string(id.description)
    switch self {
    case .text(let text):
      writer.string(text.string)
      if let box = text.box { writer.object { EmojiStyle(box: box).write(to: &$0) } }
    case .position(let place):
      writer.number(place.x)
      writer.number(place.y)
    case .size(let size): writer.number(size.pixels)
    case .order(let z): writer.integer(z)
    case .rotation(let rotation): writer.number(rotation.degrees)
    case .mirroring(let isMirrored): writer.boolean(isMirrored)
    case .color(let color): writer.color(color.ofLetters)
    }
  }
}

extension JSONReader {
  /// Reads the last object of an addition or a text; the usual values without one. Keys that `isKnown` refuses are errors.
  mutating func nextStyle(_ isKnown: (String) -> Bool) throws(ArtError) -> EmojiStyle {
    var style = EmojiStyle()
    guard optionalComma() else { return style }
    try object { (key, reader) throws(ArtError) in
      guard isKnown(key), try style.read(key, from: &reader) else {
        throw reader.error("a change with the key \"\(key.prefix(40))\"")
      }
    }
    return style
  }

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
