// SPDX-License-Identifier: Apache-2.0

extension Drawn {
  /// `{"lacking":["…"],"lackingCount":1,"pictureFault":"…"}`, no `pictureFault` where there is none.
  func write(to writer: inout JSONWriter) {
    writer.object { writer in
      writer.key("lacking")
      writer.array { for text in lacking.prefix(Self.namedTexts) { $0.string(text) } }
      writer.key("lackingCount")
      writer.integer(lackingCount)
      if let pictureFault {
        writer.key("pictureFault")
        writer.detail(pictureFault)
      }
    }
  }

  /// Reads what `write` writes. Throws for texts that cannot be a document's, or are more than are named or than there are.
  init(from reader: inout JSONReader) throws(ArtError) {
    var lacking: [String]?
    var lackingCount: Int?
    var pictureFault: String?
    try reader.object { (key, reader) throws(ArtError) in
      switch key {
      case "lacking": lacking = try Self.texts(from: &reader)
      case "lackingCount": lackingCount = try reader.count(0...Limits.emojiCount, "texts")
      case "pictureFault": pictureFault = try reader.detail()
      default: throw reader.error("drawn with the key \"\(key.prefix(40))\"")
      }
    }
    guard let lacking, let lackingCount else { throw reader.error("drawn without lacking or lackingCount") }
    guard lacking.count == min(lackingCount, Self.namedTexts) else {
      throw .badCount(lacking.count, "texts")
    }
    self.init(lacking: lacking, lackingCount: lackingCount, pictureFault: pictureFault)
  }

  private static func texts(from reader: inout JSONReader) throws(ArtError) -> [String] {
    var texts: [String] = []
    try reader.array { (reader) throws(ArtError) in
      guard texts.count < namedTexts else { throw .badCount(texts.count + 1, "texts") }
      texts.append(try EmojiText(stored: try reader.string()).string)
    }
    return texts
  }
}

extension DrawingRefusal {
  /// `{"detail":"…","reason":"…"}`.
  func write(to writer: inout JSONWriter) {
    writer.object {
      $0.key("detail")
      $0.detail(detail)
      $0.key("reason")
      $0.string(reason.rawValue)
    }
  }

  /// Reads what `write` writes.
  init(from reader: inout JSONReader) throws(ArtError) {
    var detail: String?
    var reason: Reason?
    try reader.object { (key, reader) throws(ArtError) in
      switch key {
      case "detail": detail = try reader.detail()
      case "reason":
        let name = try reader.string()
        reason = Reason(rawValue: name)
        guard reason != nil else { throw reader.error("no reason \"\(name.prefix(40))\"") }
      default: throw reader.error("a refusal with the key \"\(key.prefix(40))\"")
      }
    }
    guard let detail, let reason else { throw reader.error("a refusal without detail or reason") }
    self.init(reason, detail)
  }
}

// What happened, in words that may come from elsewhere.

/// A server can make a detail as long as it likes.
private let detailLimit = 1_000

extension JSONWriter {
  /// Writes the beginning of a text; NUL is no character of ours.
  mutating func detail(_ detail: String) {
    var text = String.UnicodeScalarView()
    for scalar in detail.unicodeScalars.prefix(detailLimit) {
      text.append(scalar == "\0" ? "\u{FFFD}" : scalar)
    }
    string(String(text))
  }
}

extension JSONReader {
  /// Reads what `detail` writes. Throws for more.
  mutating func detail() throws(ArtError) -> String {
    let detail = try string()
    guard detail.unicodeScalars.count <= detailLimit else {
      throw error("a detail of more than \(detailLimit) characters")
    }
    return detail
  }
}
