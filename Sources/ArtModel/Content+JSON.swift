// SPDX-License-Identifier: Apache-2.0

extension Emoji {
  /// Writes the JSON of the emoji's row: `{"size":40,"text":"🐝","x":100,"y":200}`, and what differs from the usual: `box` and `kind` of a
  /// caption, `color`, `mirrored`, `rotation`. Id and z have columns of their own.
  public func writeFields(to writer: inout JSONWriter) {
    writer.object {
      $0.emojiMembers(EmojiStyle(self), id: nil, size: size, text: text, position: position, z: nil)
    }
  }

  /// Writes the public JSON: the members of the row with `id`, and with `z` if asked for.
  public func write(to writer: inout JSONWriter, withZ: Bool = false) {
    writer.object {
      $0.emojiMembers(
        EmojiStyle(self), id: id, size: size, text: text, position: position, z: withZ ? z : nil)
    }
  }

  /// Reads the public JSON with `z`. Throws `badJSON`, and what the initializers of the values throw.
  public init(from reader: inout JSONReader) throws(ArtError) {
    let members = try EmojiMembers(from: &reader)
    guard let id = members.id else { throw reader.error("an emoji without id") }
    guard let z = members.z else { throw reader.error("an emoji without z") }
    self = try members.emoji(id, z: z, &reader)
  }

  /// Reads the JSON of a row. Throws `badJSON`, and what the initializers of the values throw.
  public init(id: EmojiID, z: Int, fields: UnsafeBufferPointer<UInt8>) throws(ArtError) {
    guard Limits.zOrder.contains(z) else { throw .badJSON("an emoji out of z-order") }
    self = try JSONReader.read(fields) { (reader) throws(ArtError) in
      let members = try EmojiMembers(from: &reader)
      guard members.id == nil, members.z == nil else {
        throw reader.error("an emoji's row with an id or a z-order value")
      }
      return try members.emoji(id, z: z, &reader)
    }
  }
}

// MARK: - Emoji with optional members

/// An emoji in JSON whose members are optional:
///
///     {"id":"…","size":40,"text":"🐝","x":1,"y":2,"z":3}
///     {"box":[6.2,1.4],"color":"#cc0000","id":"…","kind":"caption","mirrored":true,"rotation":30,…}
package struct EmojiMembers {
  package var id: EmojiID?
  package var size: FontSize?
  package var text: EmojiText?
  package var position: Point?
  package var z: Int?
  package var rotation: Rotation?
  package var isMirrored: Bool?
  package var color: Color?

  /// The changed members only.
  init(_ update: ContentEffect.Update) {
    (id, size, text, position, z) = (update.id, update.size, update.text, update.position, update.z)
    (rotation, isMirrored, color) = (update.rotation, update.isMirrored, update.color)
  }

  /// Writes the members, sorted by their keys.
  func write(to writer: inout JSONWriter) {
    let style = EmojiStyle(box: text?.box, color: color, isMirrored: isMirrored, rotation: rotation)
    writer.object { $0.emojiMembers(style, id: id, size: size, text: text, position: position, z: z) }
  }

  /// Reads what `write` writes. Throws `badJSON`, also for x without y or y without x, and for a box without a text, and what the
  /// initializers of the values throw.
  package init(from reader: inout JSONReader) throws(ArtError) {
    var text: String?
    var (x, y): (Double?, Double?) = (nil, nil)
    var style = EmojiStyle()
    try reader.object { (key, reader) throws(ArtError) in
      switch key {
      case "id": id = try reader.emojiID()
      case "size": size = try FontSize(reader.number())
      case "text": text = try reader.string()
      case "x": x = try reader.number()
      case "y": y = try reader.number()
      case "z": z = try reader.z()
      default:
        guard try style.read(key, from: &reader) else {
          throw reader.error("an emoji with the key \"\(key.prefix(40))\"")
        }
      }
    }
    let box = try style.checkedBox(&reader)
    guard text != nil || box == nil else { throw reader.error("a box without a text") }
    self.text = try text.map { (text) throws(ArtError) in try EmojiText(stored: text, box: box) }
    (rotation, isMirrored, color) = (style.rotation, style.isMirrored, style.color)
    switch (x, y) {
    case (let x?, let y?): position = try Point(x: x, y: y)
    case (nil, nil): position = nil
    default: throw reader.error("an emoji with one of x and y")
    }
  }

  /// The complete emoji with that id at that z. Throws `badJSON` at the reader's position if a member is missing.
  package func emoji(_ id: EmojiID, z: Int, _ reader: inout JSONReader) throws(ArtError) -> Emoji {
    guard let size, let text, let position else {
      throw reader.error("an emoji without size, text, x or y")
    }
    return Emoji(
      id: id, text: text, position: position, size: size, z: z, rotation: rotation ?? .zero,
      isMirrored: isMirrored ?? false, color: color ?? .black)
  }
}

extension JSONWriter {
  /// Writes the members that are there, sorted by their keys.
  fileprivate mutating func emojiMembers(
    _ style: EmojiStyle, id: EmojiID?, size: FontSize?, text: EmojiText?, position: Point?, z: Int?
  ) {
    style.write(to: &self, id: id)
    if let size {
      key("size")
      number(size.pixels)
    }
    if let text {
      key("text")
      string(text.string)
    }
    if let position {
      key("x")
      number(position.x)
      key("y")
      number(position.y)
    }
    if let z {
      key("z")
      integer(z)
    }
  }
}

/// The members of an emoji that only some have: those of its JSON, and those of the last object of a change.
struct EmojiStyle {
  var box: TextBox?
  /// The colour of letters; black is written as null.
  var color: Color?
  var isCaption = false
  var isMirrored: Bool?
  var rotation: Rotation?

  init(box: TextBox? = nil, color: Color? = nil, isMirrored: Bool? = nil, rotation: Rotation? = nil) {
    (self.box, self.color, self.isMirrored, self.rotation) = (box, color, isMirrored, rotation)
    isCaption = box != nil
  }

  /// The values that are not the usual ones.
  init(_ text: EmojiText, rotation: Rotation, isMirrored: Bool, color: Color) {
    self.init(
      box: text.box, color: color.ofLetters, isMirrored: isMirrored ? true : nil,
      rotation: rotation == .zero ? nil : rotation)
  }

  /// The values of an emoji that are not the usual ones.
  init(_ emoji: Emoji) {
    self.init(emoji.text, rotation: emoji.rotation, isMirrored: emoji.isMirrored, color: emoji.color)
  }

  /// Whether it has no member.
  var isEmpty: Bool { box == nil && color == nil && isMirrored == nil && rotation == nil }

  /// Writes the members, sorted by their keys, and the id among them.
  func write(to writer: inout JSONWriter, id: EmojiID? = nil) {
    if let box {
      writer.key("box")
      box.write(to: &writer)
    }
    if let color {
      writer.key("color")
      writer.color(color.ofLetters)
    }
    if let id {
      writer.key("id")
      writer.string(id.description)
    }
    if isCaption {
      writer.key("kind")
      writer.string("caption")
    }
    if let isMirrored {
      writer.key("mirrored")
      writer.boolean(isMirrored)
    }
    if let rotation {
      writer.key("rotation")
      writer.number(rotation.degrees)
    }
  }

  /// Reads the value of a key; false for a key of another kind.
  mutating func read(_ key: String, from reader: inout JSONReader) throws(ArtError) -> Bool {
    switch key {
    case "box": box = try TextBox(from: &reader)
    case "color": color = try reader.color() ?? .black
    case "kind":
      guard try reader.string() == "caption" else { throw reader.error("a kind that is not caption") }
      isCaption = true
    case "mirrored": isMirrored = try reader.boolean()
    case "rotation": rotation = try Rotation(stored: reader.number())
    default: return false
    }
    return true
  }

  /// The box of a caption; nil for an emoji label. Throws `badJSON` if only one of kind and box was read.
  func checkedBox(_ reader: inout JSONReader) throws(ArtError) -> TextBox? {
    guard isCaption == (box != nil) else {
      throw reader.error("a caption without a box, or a box without a kind")
    }
    return box
  }
}

extension TextBox {
  /// Writes `[6.2,1.4]`.
  func write(to writer: inout JSONWriter) {
    writer.array {
      $0.number(width)
      $0.number(height)
    }
  }

  /// Reads what `write` writes. Throws `badJSON` and `badValue`.
  init(from reader: inout JSONReader) throws(ArtError) {
    var sides: [Double] = []
    try reader.array { (reader) throws(ArtError) in
      guard sides.count < 2 else { throw reader.error("a box of more than two sides") }
      sides.append(try reader.number())
    }
    guard sides.count == 2 else { throw reader.error("a box without two sides") }
    try self.init(width: sides[0], height: sides[1])
    guard width == sides[0], height == sides[1] else {
      throw reader.error("a box with more than six decimal places")
    }
  }
}

extension JSONWriter {
  /// Writes `"#ffcc00"` or `null`.
  mutating func color(_ color: Color?) {
    if let color { string(color.description) } else { null() }
  }
}

extension JSONReader {
  /// Reads what `JSONWriter.color` writes. Throws `badJSON` and `badValue`.
  mutating func color() throws(ArtError) -> Color? {
    null() ? nil : try Color(stored: string())
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
  /// Writes `{"height":768,"width":1024}`, or with the colour that the canvas has, `{"fill":"#ffcc00","height":768,"width":1024}`.
  public func write(to writer: inout JSONWriter, fill: Color? = nil) {
    writer.object {
      if let fill {
        $0.key("fill")
        $0.color(fill)
      }
      $0.sizeMembers(width, height)
    }
  }

  /// Reads what `write` writes without a colour.
  public init(from reader: inout JSONReader) throws(ArtError) {
    let (width, height) = try reader.size("a canvas")
    try self.init(width: width, height: height)
  }

  /// Reads what `write` writes.
  public static func filled(from reader: inout JSONReader) throws(ArtError) -> (canvas: Canvas, fill: Color?)
  {
    var fill: Color?
    let (width, height) = try reader.size("a canvas") { (key, reader) throws(ArtError) in
      guard key == "fill" else { return false }
      fill = try reader.color()
      return true
    }
    return (try Canvas(width: width, height: height), fill)
  }
}

extension JSONWriter {
  /// Writes `{"height":768,"width":1024}`.
  mutating func size(_ width: Int, _ height: Int) {
    object { $0.sizeMembers(width, height) }
  }

  fileprivate mutating func sizeMembers(_ width: Int, _ height: Int) {
    key("height")
    integer(height)
    key("width")
    integer(width)
  }
}

extension JSONReader {
  /// Reads what `JSONWriter.size` writes. `name` stands for the value in errors. `other` reads the value of another key, or returns false.
  /// Throws `badJSON`, and what `other` throws.
  mutating func size(
    _ name: String, other: (String, inout JSONReader) throws(ArtError) -> Bool = { _, _ in false }
  ) throws(ArtError) -> (width: Int, height: Int) {
    var width: Int?
    var height: Int?
    try object { (key, reader) throws(ArtError) in
      switch key {
      case "height": height = try reader.integer()
      case "width": width = try reader.integer()
      default:
        guard try other(key, &reader) else { throw reader.error("\(name) with the key \"\(key)\"") }
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
