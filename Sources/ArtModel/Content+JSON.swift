// SPDX-License-Identifier: Apache-2.0

extension Emoji {
  /// Writes the JSON of the emoji's row: `{"size":40,"text":"🐝","x":100,"y":200}`. Id and z have columns of their
  /// own.
  public func writeFields(to writer: inout JSONWriter) {
    writer.object { writeMembers(to: &$0) }
  }

  /// Writes the public JSON: the members of the row with `id`, and with `z` if asked for.
  public func write(to writer: inout JSONWriter, withZ: Bool = false) {
    writer.object {
      $0.key("id")
      $0.string(id.description)
      writeMembers(to: &$0)
      guard withZ else { return }
      $0.key("z")
      $0.integer(z)
    }
  }

  /// Reads the public JSON with `z`. Throws `badJSON`, and what the initializers of the values throw.
  public init(from reader: inout JSONReader) throws(ArtError) {
    let members = try EmojiMembers(from: &reader)
    guard let z = members.z else { throw reader.error("an emoji without z") }
    self = try members.emoji(z: z, &reader)
  }

  private func writeMembers(to writer: inout JSONWriter) {
    writer.key("size")
    writer.number(size.pixels)
    writer.key("text")
    writer.string(text.string)
    writer.key("x")
    writer.number(position.x)
    writer.key("y")
    writer.number(position.y)
  }

  /// Reads the JSON of a row. Throws `badJSON`, and what the initializers of the values throw.
  public init(id: EmojiID, z: Int, fields: UnsafeBufferPointer<UInt8>) throws(ArtError) {
    var size: Double?
    var text: String?
    var x: Double?
    var y: Double?
    try JSONReader.read(fields) { (reader) throws(ArtError) in
      try reader.object { (key, reader) throws(ArtError) in
        switch key {
        case "size": size = try reader.number()
        case "text": text = try reader.string()
        case "x": x = try reader.number()
        case "y": y = try reader.number()
        default: throw reader.error("an emoji with the key \"\(key)\"")
        }
      }
      if size == nil || text == nil || x == nil || y == nil {
        throw reader.error("an emoji without size, text, x or y")
      }
    }
    guard let size, let text, let x, let y, Limits.zOrder.contains(z) else {
      throw .badJSON("an emoji out of z-order", atByte: 0)
    }
    self.id = id
    self.z = z
    self.text = try EmojiText(stored: text)
    self.position = try Point(x: x, y: y)
    self.size = try FontSize(size)
  }
}

// MARK: - Emoji with optional members

/// An emoji in JSON whose members are optional, except for the id:
///
///     {"id":"…","size":40,"text":"🐝","x":1,"y":2,"z":3}
package struct EmojiMembers {
  package let id: EmojiID
  package var size: FontSize?
  package var text: EmojiText?
  package var position: Point?
  package var z: Int?

  /// All members of an emoji.
  init(_ emoji: Emoji) {
    (id, size, text, position, z) = (emoji.id, emoji.size, emoji.text, emoji.position, emoji.z)
  }

  /// The changed members only.
  init(_ update: ContentEffect.Update) {
    (id, size, text, position, z) = (update.id, update.size, update.text, update.position, update.z)
  }

  func write(to writer: inout JSONWriter) {
    writer.object {
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

  /// Reads what `write` writes. Throws `badJSON`, also for x without y or y without x, and what the initializers of
  /// the values throw.
  package init(from reader: inout JSONReader) throws(ArtError) {
    var id: EmojiID?
    var size: FontSize?
    var text: EmojiText?
    var (x, y): (Double?, Double?) = (nil, nil)
    var z: Int?
    try reader.object { (key, reader) throws(ArtError) in
      switch key {
      case "id": id = try reader.emojiID()
      case "size": size = try FontSize(reader.number())
      case "text": text = try EmojiText(stored: reader.string())
      case "x": x = try reader.number()
      case "y": y = try reader.number()
      case "z": z = try reader.z()
      default: throw reader.error("an emoji with the key \"\(key.prefix(40))\"")
      }
    }
    guard let id else { throw reader.error("an emoji without id") }
    (self.id, self.size, self.text, self.z) = (id, size, text, z)
    switch (x, y) {
    case (let x?, let y?): position = try Point(x: x, y: y)
    case (nil, nil): position = nil
    default: throw reader.error("an emoji with one of x and y")
    }
  }

  /// The complete emoji at that z. Throws `badJSON` at the reader's position if a member is missing.
  package func emoji(z: Int, _ reader: inout JSONReader) throws(ArtError) -> Emoji {
    guard let size, let text, let position else {
      throw reader.error("an emoji without size, text, x or y")
    }
    return Emoji(id: id, text: text, position: position, size: size, z: z)
  }
}

extension JSONReader {
  /// Reads an emoji's id. Throws `badJSON`.
  package mutating func emojiID() throws(ArtError) -> EmojiID {
    guard let id = EmojiID(try string()) else { throw error("an emoji's id that is none") }
    return id
  }

  /// Reads a z-order value. Throws `badJSON`.
  mutating func z() throws(ArtError) -> Int {
    let z = try integer()
    guard Limits.zOrder.contains(z) else { throw error("a z-order value out of range") }
    return z
  }
}

// MARK: - Canvas

extension Canvas {
  /// Writes `{"height":768,"width":1024}`.
  public func write(to writer: inout JSONWriter) { writer.size(width, height) }

  /// Reads what `write` writes.
  public init(from reader: inout JSONReader) throws(ArtError) {
    let (width, height) = try reader.size("a canvas")
    try self.init(width: width, height: height)
  }
}

extension JSONWriter {
  /// Writes `{"height":768,"width":1024}`.
  mutating func size(_ width: Int, _ height: Int) {
    object {
      $0.key("height")
      $0.integer(height)
      $0.key("width")
      $0.integer(width)
    }
  }
}

extension JSONReader {
  /// Reads what `JSONWriter.size` writes. `name` stands for the value in errors. Throws `badJSON`.
  mutating func size(_ name: String) throws(ArtError) -> (width: Int, height: Int) {
    var width: Int?
    var height: Int?
    try object { (key, reader) throws(ArtError) in
      switch key {
      case "height": height = try reader.integer()
      case "width": width = try reader.integer()
      default: throw reader.error("\(name) with the key \"\(key)\"")
      }
    }
    guard let width, let height else { throw error("\(name) without width or height") }
    return (width, height)
  }
}

// MARK: - Backgrounds

extension Background {
  /// Writes `{"digest":"…","height":…,"mediaType":"image/png","url":"…","width":…}`, without `url` if there is none.
  public func write(to writer: inout JSONWriter) {
    writer.object { writeMembers(to: &$0) }
  }

  /// Writes the same with the picture's bytes in `data`, in pieces.
  func write<Failure>(
    to writer: inout JSONWriter, picture: [UInt8], emptying sink: ([UInt8]) throws(Failure) -> Void
  ) throws(Failure) {
    try writer.object { (writer) throws(Failure) in
      writer.key("data")
      try writer.base64(picture, emptying: sink)
      writeMembers(to: &writer)
    }
  }

  private func writeMembers(to writer: inout JSONWriter) {
    writer.key("digest")
    writer.string(digest)
    writer.key("height")
    writer.integer(size.height)
    writer.key("mediaType")
    writer.string(mediaType)
    writer.urlMember(url)
    writer.key("width")
    writer.integer(size.width)
  }

  /// Reads what `write` writes.
  public init(from reader: inout JSONReader) throws(ArtError) {
    var digest: String?
    var mediaType: String?
    var url: String?
    var width: Int?
    var height: Int?
    try reader.object { (key, reader) throws(ArtError) in
      switch key {
      case "digest": digest = try reader.string()
      case "height": height = try reader.integer()
      case "mediaType": mediaType = try reader.string()
      case "url": url = try reader.string()
      case "width": width = try reader.integer()
      default: throw reader.error("a background with the key \"\(key)\"")
      }
    }
    guard let digest, let mediaType, let width, let height else {
      throw reader.error("a background without digest, mediaType, width or height")
    }
    try self.init(
      digest: digest, mediaType: mediaType, size: try Canvas(width: width, height: height), url: url)
  }
}

extension PendingBackground {
  /// Writes `{"anchor":"topLeft","reason":"…","since":…,"url":"…"}`.
  public func write(to writer: inout JSONWriter) {
    writer.object {
      $0.key("anchor")
      $0.string(anchor.rawValue)
      $0.key("reason")
      $0.string(reason)
      $0.key("since")
      $0.integer(since)
      $0.urlMember(url)
    }
  }

  /// Reads what `write` writes.
  public init(from reader: inout JSONReader) throws(ArtError) {
    var anchor: Anchor?
    var reason: String?
    var since: Int?
    var url: String?
    try reader.object { (key, reader) throws(ArtError) in
      switch key {
      case "anchor": anchor = Anchor(rawValue: try reader.string())
      case "reason": reason = try reader.string()
      case "since": since = try reader.integer()
      case "url": url = try reader.string()
      default: throw reader.error("a pending background with the key \"\(key)\"")
      }
    }
    guard let anchor, let reason, let since, let url else {
      throw reader.error("a pending background without anchor, reason, since or url")
    }
    try self.init(url: url, since: since, reason: reason, anchor: anchor)
  }
}

// MARK: - Changes

extension [Change] {
  /// Writes the changes as the log stores them, each as an array that begins with its kind:
  ///
  ///     ["add",id,text,x,y,size,z]  ["remove",id]  ["move",id,x,y]  ["resize",id,size]  ["text",id,text]
  ///     ["order",id,z]  ["canvas",width,height]  ["background",{…}|null]  ["pending",{…}|null]
  public func write(to writer: inout JSONWriter) {
    writer.array { writer in for change in self { writer.array { change.write(to: &$0) } } }
  }

  /// Reads what `write` writes. Throws `badJSON`, also for more than `Limits.editChanges` changes, and what the
  /// initializers of the values throw.
  public init(json: UnsafeBufferPointer<UInt8>) throws(ArtError) {
    // Counted before parsing: a change takes several times the memory of its text.
    let shortest = #"["remove","00000000"]"#.utf8.count
    if json.count / shortest > Limits.editChanges {
      guard json.lazy.filter({ $0 == UInt8(ascii: "[") }).count <= Limits.editChanges + 1 else {
        throw .badJSON("more than \(Limits.editChanges) changes", atByte: 0)
      }
    }
    self = try JSONReader.read(json) { (reader) throws(ArtError) in try [Change](from: &reader) }
  }

  /// Reads the array inside another text.
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
