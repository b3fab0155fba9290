// SPDX-License-Identifier: Apache-2.0

extension Canvas {
  /// `{"height":768,"width":1024}`.
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
  /// Reads what `JSONWriter.size` writes; errors call it by `name`. Throws `badJSON`.
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

extension Background {
  /// `{"digest":"…","height":…,"mediaType":"image/png","url":"…","width":…}`, no `url` where there is none.
  public func write(to writer: inout JSONWriter) {
    writer.object { writeMembers(to: &$0) }
  }

  /// The same with the picture's bytes in `data`, in pieces.
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
  /// `{"anchor":"topLeft","reason":"…","since":…,"url":"…"}`.
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
