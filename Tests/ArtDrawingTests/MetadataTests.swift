// SPDX-License-Identifier: Apache-2.0

import ArtModel
import TestSupport
import Testing

@testable import ArtDrawing

/// The title and the description in files of pixels, as readers of chunks find them.
@Suite("Words in files of pixels") struct MetadataTests {
  private static let title = "bees & <wasps> \"é\""
  private static let description = "60 x 40 pixels: 🐝 honeybee ×5"

  private func drawing(_ isTransparent: Bool = false) throws -> Drawing {
    var drawing = try Drawing(
      try Scenes.scene(60, 40, emoji: 5, seed: 81), { .png($0) }, isTransparent: isTransparent)
    drawing.details = DrawingDetails(title: Self.title, alternative: Self.description)
    return drawing
  }

  private func plain(_ drawing: Drawing) -> Drawing {
    var plain = drawing
    plain.details = DrawingDetails()
    return plain
  }

  /// A number whose highest byte is the first.
  private func number(_ bytes: ArraySlice<UInt8>) -> Int { bytes.reduce(0) { $0 << 8 | Int($1) } }

  @Test("a PNG file has title and description as texts in front of its pixels, and the same pixels")
  func png() throws {
    let drawing = try drawing()
    let file = try drawing.made().bytes
    var texts: [String: String] = [:]
    var names: [String] = []
    var start = 8
    while start + 12 <= file.count {
      let length = number(file[start..<start + 4])
      let name = String(decoding: file[start + 4..<start + 8], as: UTF8.self)
      names.append(name)
      if name == "iTXt" {
        // Keyword, no compression, no language, no translated keyword.
        let parts = file[start + 8..<start + 8 + length].split(separator: 0, omittingEmptySubsequences: true)
        texts[String(decoding: parts[0], as: UTF8.self)] = String(decoding: parts[1], as: UTF8.self)
      }
      start += 12 + length
    }
    #expect(texts == ["Title": Self.title, "Description": Self.description])
    #expect(names.firstIndex(of: "iTXt") ?? .max < names.firstIndex(of: "IDAT") ?? 0)
    #expect(try Pixels(decoding: file).bytes == plain(drawing).pixels().bytes)
    #expect(!Text(try plain(drawing).made().bytes).contains("iTXt"))
  }

  @Test("a JPEG file has them as XMP in a segment APP1 in front of its pixels")
  func jpeg() throws {
    let drawing = try drawing().as { .jpeg($0, quality: 90) }
    let file = try drawing.made().bytes
    var start = 2
    var packet: ArraySlice<UInt8>?
    while file[start] == 0xFF, file[start + 1] != 0xDA {
      let end = start + 2 + number(file[start + 2..<start + 4])
      if file[start + 1] == 0xE1 { packet = file[start + 4..<end] }
      start = end
    }
    let segment = try #require(packet)
    let name = Array("http://ns.adobe.com/xap/1.0/\0".utf8)
    #expect(segment.starts(with: name))
    try check(xmp: Array(segment.dropFirst(name.count)))
    let without = try plain(drawing).made().bytes
    #expect(file.count == without.count + segment.count + 4)
    #expect(
      try Pixels(decoding: file, as: "jpg").bytes == Pixels(decoding: without, as: "jpg").bytes)
  }

  @Test(
    "a WebP file has them as XMP in its last chunk, and says so in front, with and without loss and alpha",
    arguments: [false, true], [false, true])
  func webp(isTransparent: Bool, isLossless: Bool) throws {
    let drawing = try drawing(isTransparent).as { isLossless ? .losslessWebP($0) : .webp($0, quality: 80) }
    let file = try drawing.made().bytes
    #expect(number(ArraySlice(file[4..<8].reversed())) == file.count - 8)
    var chunks: [(name: String, bytes: ArraySlice<UInt8>)] = []
    var start = 12
    while start < file.count {
      let length = number(ArraySlice(file[start + 4..<start + 8].reversed()))
      chunks.append(
        (String(decoding: file[start..<start + 4], as: UTF8.self), file[start + 8..<start + 8 + length]))
      start += 8 + length + length % 2
    }
    let first = try #require(chunks.first)
    #expect(first.name == "VP8X" && first.bytes.count == 10)
    #expect(Array(first.bytes) == [isTransparent ? 0x14 : 0x04, 0, 0, 0, 59, 0, 0, 39, 0, 0])
    let last = try #require(chunks.last)
    #expect(last.name == "XMP ")
    try check(xmp: Array(last.bytes))
    let without = try plain(drawing).made().bytes
    #expect(
      try Pixels(decoding: file, as: "webp").bytes == Pixels(decoding: without, as: "webp").bytes)
    #expect(!Text(without).contains("XMP "))
  }

  @Test("an AVIF file has them as XMP")
  func avif() throws {
    let file = try drawing().as { .avif($0, quality: 60) }.made().bytes
    let text = Text(file)
    let packet = try #require(text.part(from: "<?xpacket begin", through: "<?xpacket end=\"r\"?>"))
    try check(xmp: packet)
  }

  @Test("words of the greatest length fit into a segment of JPEG")
  func longest() throws {
    var drawing = try drawing().as { .jpeg($0, quality: 90) }
    let text = String(repeating: "\"", count: DrawingDetails.textLength)
    drawing.details = DrawingDetails(title: text, alternative: text)
    let file = try drawing.made().bytes
    #expect(Text(file).contains("<dc:description>") && XMPPacket.bytes(of: drawing.details).count < 65_000)
    _ = try Pixels(decoding: file, as: "jpg")
  }

  /// The packet is XML with these texts, as another program reads it.
  private func check(xmp: [UInt8]) throws {
    let other = try OtherRenderer()
    let file = try other.write(xmp, "words.xml")
    for (name, text) in [("title", Self.title), ("description", Self.description)] {
      let path = "//*[local-name()='\(name)']/*[local-name()='Alt']/*[local-name()='li']/text()"
      let found = try other.run("xmllint", "--xpath", "string(\(path))", file.path)
      #expect(found.split(separator: "\n").joined() == text)
    }
  }
}

/// Bytes that are searched for texts.
private struct Text {
  private let bytes: [UInt8]

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  func contains(_ text: String) -> Bool { start(of: text, from: 0) != nil }

  func part(from first: String, through last: String) -> [UInt8]? {
    guard let start = start(of: first, from: 0), let end = self.start(of: last, from: start) else {
      return nil
    }
    return Array(bytes[start..<end + last.utf8.count])
  }

  private func start(of text: String, from index: Int) -> Int? {
    let wanted = Array(text.utf8)
    return (index..<bytes.count).first { bytes[$0...].starts(with: wanted) }
  }
}
