// SPDX-License-Identifier: Apache-2.0

/// The form of the file, which people may edit by hand: `{"palettes":{"bugs":["🐝","🐛"]},"version":1}`.
extension Palettes {
  private static let version = 1

  /// The text of the file: keys sorted, a palette a line.
  public var fileText: String {
    let lines = own.sorted { $0.key < $1.key }.map { name, emojis in
      "    \(JSON.string(name.string).text): \(JSON.array(emojis.map { .string($0.string) }).text)"
    }
    let palettes = lines.isEmpty ? "{}" : "{\n\(lines.joined(separator: ",\n"))\n  }"
    return "{\n  \"palettes\": \(palettes),\n  \"version\": \(Self.version)\n}\n"
  }

  /// Reads the file strictly. Throws `badJSON` with the line, `newerFormat`.
  public init(file bytes: UnsafeBufferPointer<UInt8>) throws(ArtError) {
    try Self.checkVersion(bytes)
    let own = try JSONReader.read(bytes) { (reader) throws(ArtError) in
      do throws(ArtError) {
        return try Self.read(&reader)
      } catch {
        let line = 1 + bytes.prefix(reader.index).count { $0 == UInt8(ascii: "\n") }
        throw ArtError(error.code, "\(error.message), line \(line)")
      }
    }
    self.init(own: own)
  }

  private static func read(_ reader: inout JSONReader) throws(ArtError) -> [PaletteName: [EmojiText]] {
    var palettes: [PaletteName: [EmojiText]]?
    try reader.object { (key, reader) throws(ArtError) in
      switch key {
      case "palettes": palettes = try Self.palettes(from: &reader)
      case "version":
        guard try reader.integer() == Self.version else { throw reader.error("a version that is none") }
      default: throw reader.error("the key \"\(key[...].shortened(to: 60))\" beside palettes and version")
      }
    }
    guard let palettes else { throw reader.error("no palettes in it") }
    return palettes
  }

  /// A newer file may have palettes of another form, and they stand before its version.
  private static func checkVersion(_ bytes: UnsafeBufferPointer<UInt8>) throws(ArtError) {
    var found: Int?
    do throws(ArtError) {
      try JSONReader.read(bytes) { (reader) throws(ArtError) in
        try reader.object { (key, reader) throws(ArtError) in
          if key == "version" { found = try reader.integer() } else { try reader.skip() }
        }
      }
    } catch {
      // What is off is told, with its place, where the palettes are read.
      return
    }
    guard let found, found > version else { return }
    throw ArtError(.newerFormat, "palettes in format \(found), this program knows \(version)")
  }

  private static func palettes(from reader: inout JSONReader) throws(ArtError) -> [PaletteName: [EmojiText]] {
    var palettes: [PaletteName: [EmojiText]] = [:]
    try reader.object { (key, reader) throws(ArtError) in
      let name = try inPlace(&reader) { () throws(ArtError) in try PaletteName(key) }
      guard name != .recent else { throw reader.error("a palette recent, which keeps itself") }
      guard palettes[name] == nil else { throw reader.error("the palette \(name) twice") }
      guard palettes.count < limit else { throw reader.error("more than \(limit) palettes") }
      let emojis = try emojis(from: &reader)
      guard !emojis.isEmpty || Themes.emojis(of: name) != nil else {
        throw reader.error("the palette \(name) without emoji")
      }
      palettes[name] = emojis
    }
    return palettes
  }

  private static func emojis(from reader: inout JSONReader) throws(ArtError) -> [EmojiText] {
    var emojis: [EmojiText] = []
    var seen: Set<String> = []
    try reader.array { (reader) throws(ArtError) in
      let typed = try reader.string()
      let text = try inPlace(&reader) { () throws(ArtError) in try EmojiText(typed) }
      guard seen.insert(text.comparisonKey).inserted else { throw reader.error("\(text) twice in a palette") }
      guard emojis.count < Palette.limit else {
        throw reader.error("more than \(Palette.limit) emoji in a palette")
      }
      emojis.append(text)
    }
    return emojis
  }

  /// Says where it is that a value is off.
  private static func inPlace<Value>(
    _ reader: inout JSONReader, _ value: () throws(ArtError) -> Value
  ) throws(ArtError) -> Value {
    do throws(ArtError) { return try value() } catch { throw reader.error("a bad value: \(error.message)") }
  }
}
