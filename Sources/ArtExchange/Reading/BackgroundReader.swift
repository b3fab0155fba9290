// SPDX-License-Identifier: Apache-2.0

import ArtModel

/// What is said of a background, under whichever names.
struct BackgroundReader: Sendable {
  private(set) var url: String?
  private(set) var bytes: [UInt8]?
  /// Whether a value within it is an object, as Swift codes enumerations.
  private(set) var isNested = false
  private(set) var notes: [ExchangeReport.Note] = []
  /// Names that only our own JSON knows.
  private(set) var ownKeys: [String] = []
  private(set) var unknown = UnknownKeys()
  private var nameOfURL: String?
  private var nameOfBytes: String?

  var background: ForeignArt.Background? {
    url == nil && bytes == nil ? nil : ForeignArt.Background(url: url, bytes: bytes)
  }

  /// Reads the object that a background is in 2021 and in our own JSON.
  mutating func readObject(_ reader: inout JSONReader) throws(ArtError) {
    try reader.object { (key, reader) throws(ArtError) in
      switch key {
      case "url", "theURL":
        try readNested(key, &reader) { (said, reader) throws(ArtError) in try said.readURL(key, &reader) }
      case "imageData", "image", "data":
        try readNested(key, &reader) { (said, reader) throws(ArtError) in try said.readBytes(key, &reader) }
      case "blank":
        try readNested(key, &reader) { (_, reader) throws(ArtError) in try reader.skip() }
      case "digest", "height", "mediaType", "width":
        ownKeys.append(key)
        try reader.skip()
      default:
        if reader.kind() == .object { isNested = true }
        unknown.note(key, in: "background")
        try reader.skip()
      }
    }
  }

  /// A value, or the object with the one member `_0` that Swift makes of an enumeration's case.
  private mutating func readNested(
    _ name: String, _ reader: inout JSONReader,
    _ body: (inout BackgroundReader, inout JSONReader) throws(ArtError) -> Void
  ) throws(ArtError) {
    guard reader.kind() == .object else { return try body(&self, &reader) }
    isNested = true
    try reader.object { (key, reader) throws(ArtError) in
      if key == "_0" { return try body(&self, &reader) }
      unknown.note(key, in: "background.\(name)")
      try reader.skip()
    }
  }

  /// Reads a URL.
  mutating func readURL(_ name: String, _ reader: inout JSONReader) throws(ArtError) {
    if reader.null() { return }
    try Self.check(name, against: &nameOfURL, reader)
    guard let text = try reader.stringIfAny() else {
      return leave(out: "brokenURL", "a URL of the background that is no text")
    }
    if text.isEmpty {
      leave(out: "emptyURL", "an empty URL of the background")
    } else {
      url = text
    }
  }

  /// Reads a picture.
  mutating func readBytes(_ name: String, _ reader: inout JSONReader) throws(ArtError) {
    if reader.null() { return }
    try Self.check(name, against: &nameOfBytes, reader)
    guard reader.kind() == .string else {
      leave(out: "brokenPicture", "an embedded picture that is no base64 text")
      return try reader.skip()
    }
    switch try reader.base64() {
    case .bytes(let picture) where picture.isEmpty:
      leave(out: "brokenPicture", "an embedded picture of 0 bytes")
    case .bytes(let picture): bytes = picture
    case .broken(let place):
      leave(out: "brokenPicture", "an embedded picture whose base64 breaks at byte \(place)")
    }
  }

  private mutating func leave(out code: String, _ words: String) {
    notes.append(.init(.leftOut, code: code, words: words))
  }

  /// Refuses two names for one thing: which of them counts, nobody can tell.
  static func check(_ name: String, against seen: inout String?, _ reader: JSONReader) throws(ArtError) {
    if let other = seen {
      throw reader.error("both \"\(other)\" and \"\(name)\", which mean the same; take one out")
    }
    seen = name
  }
}
