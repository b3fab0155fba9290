// SPDX-License-Identifier: Apache-2.0

import ArtModel

extension Dialect {
  /// What could not be carried, found before a byte is written: for who would rather have nothing. Of what only our own file keeps,
  /// ids and the log of edits, nothing is said. `isPictureLost` where the document has a picture and nobody has its bytes.
  public func report(on content: DocumentContent, isPictureLost: Bool = false) -> ExchangeReport {
    let plan = Plan(content, as: self, isPictureLost: isPictureLost)
    guard self == .json else { return plan.report }
    var report = ExchangeReport()
    if isPictureLost { report.note(plan.lostPicture) }
    return report
  }

  /// Writes a document, with the bytes of its picture, in pieces of some 64 KiB, without a line's end. What cannot be carried is in
  /// `report(on:)`. Throws what the sink throws.
  public func write(
    _ content: DocumentContent, picture: [UInt8]?, to sink: ([UInt8]) throws(ArtError) -> Void
  ) throws(ArtError) {
    guard self != .json else { return try content.writeJSON(picture: picture, to: sink) }
    try Plan(content, as: self, isPictureLost: picture == nil).write(content, picture: picture) {
      (piece) throws(ArtError) in
      try sink(Self.escapingSlashes(piece))
    }
  }

  /// As those apps write: a slash stands in strings only, and our writer leaves it as it is.
  private static func escapingSlashes(_ json: [UInt8]) -> [UInt8] {
    let slash = UInt8(ascii: "/")
    guard json.contains(slash) else { return json }
    var escaped: [UInt8] = []
    escaped.reserveCapacity(json.count + json.count / 32)
    for byte in json {
      if byte == slash { escaped.append(UInt8(ascii: "\\")) }
      escaped.append(byte)
    }
    return escaped
  }
}

extension Plan {
  fileprivate func write(
    _ content: DocumentContent, picture: [UInt8]?, to sink: ([UInt8]) throws(ArtError) -> Void
  ) throws(ArtError) {
    let picture = writesPicture ? picture : nil
    var writer = JSONWriter(reserving: 1 << 17)
    try writer.object { (writer) throws(ArtError) in
      try writeBackground(picture, to: &writer, sink)
      try writeEmojis(content.emojisInOrder(), to: &writer, sink)
      if dialect == .emojiart2017 {
        try writeMembers("imageData", picture, "url", to: &writer, sink)
      } else {
        writer.key("uniqueEmojiId")
        writer.integer(content.emojiCount)
      }
    }
    try sink(writer.bytes)
  }

  /// What stands before the emoji.
  private func writeBackground(
    _ picture: [UInt8]?, to writer: inout JSONWriter, _ sink: ([UInt8]) throws(ArtError) -> Void
  ) throws(ArtError) {
    switch dialect {
    case .json, .emojiart2017: return
    case .emojiart2020: try writeMembers("backgroundImageData", picture, "backgroundURL", to: &writer, sink)
    case .emojiart2021a:
      writer.key("background")
      try writer.object { (writer) throws(ArtError) in
        try writeMembers("imageData", picture, "url", to: &writer, sink)
      }
    case .emojiart2021b:
      writer.key("background")
      try writer.object { (writer) throws(ArtError) in
        writer.key(picture != nil ? "imageData" : url != nil ? "url" : "blank")
        try writer.object { (writer) throws(ArtError) in
          try writeMembers("_0", picture, "_0", to: &writer, sink)
        }
      }
    case .emojiart2023: try writeMembers("background", nil, "background", to: &writer, sink)
    }
  }

  private func writeMembers(
    _ nameOfPicture: String, _ picture: [UInt8]?, _ nameOfURL: String, to writer: inout JSONWriter,
    _ sink: ([UInt8]) throws(ArtError) -> Void
  ) throws(ArtError) {
    if let picture {
      writer.key(nameOfPicture)
      try writer.base64(picture, emptying: sink)
    }
    if let url {
      writer.key(nameOfURL)
      writer.string(url)
    }
  }

  private func writeEmojis(
    _ emojis: [Emoji], to writer: inout JSONWriter, _ sink: ([UInt8]) throws(ArtError) -> Void
  ) throws(ArtError) {
    writer.key("emojis")
    try writer.array { (writer) throws(ArtError) in
      for (index, emoji) in emojis.enumerated() {
        write(emoji, number: index + 1, to: &writer)
        guard writer.bytes.count >= 1 << 16 else { continue }
        try sink(writer.bytes)
        writer.removeAll()
      }
    }
  }

  private func write(_ emoji: Emoji, number: Int, to writer: inout JSONWriter) {
    let place = place(emoji.position)
    writer.object { writer in
      if dialect != .emojiart2017 {
        writer.key("id")
        writer.integer(number)
      }
      if dialect == .emojiart2023 {
        writer.key("position")
        writer.object { Self.write(place, to: &$0) }
      }
      writer.key("size")
      writer.integer(size(emoji.size))
      writer.key(dialect == .emojiart2023 ? "string" : "text")
      writer.string(emoji.text.string)
      if dialect != .emojiart2023 { Self.write(place, to: &writer) }
    }
  }

  /// Places are cut off in every year; they are within bounds that an Int holds.
  private static func write(_ place: (x: Double, y: Double), to writer: inout JSONWriter) {
    writer.key("x")
    writer.integer(Int(place.x))
    writer.key("y")
    writer.integer(Int(place.y))
  }
}
