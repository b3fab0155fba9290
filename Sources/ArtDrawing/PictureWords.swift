// SPDX-License-Identifier: Apache-2.0

import ArtModel

/// The title, the description and what has to be said of the fonts of a JPEG, WebP or AVIF file: a packet of XMP (ISO 16684-1), with the properties of Dublin Core
/// that viewers show.
enum XMPPacket {
  /// The packet; empty if there are no words. At most 65,000 bytes long, since the texts of a drawing are bounded.
  static func bytes(of details: DrawingDetails, rights: String? = nil) -> [UInt8] {
    let parts = [("title", details.title), ("description", details.alternative), ("rights", rights)]
      .compactMap { name, text in
        text.map {
          "<dc:\(name)><rdf:Alt><rdf:li xml:lang=\"x-default\">\(XMLText.escaped($0))</rdf:li></rdf:Alt></dc:\(name)>"
        }
      }
    guard !parts.isEmpty else { return [] }
    return Array(
      """
      <?xpacket begin="\u{FEFF}" id="W5M0MpCehiHzreSzNTczkc9d"?>\
      <x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">\
      <rdf:Description rdf:about="" xmlns:dc="http://purl.org/dc/elements/1.1/">\(parts.joined())</rdf:Description>\
      </rdf:RDF></x:xmpmeta><?xpacket end="r"?>
      """.utf8)
  }
}

/// Adds a packet of XMP to a WebP file while it is written. libwebp writes the picture alone; metadata need a chunk `VP8X` in front, and
/// come last (WebP Container Specification).
struct WebPMetadata {
  /// The header of the file, of its first chunk, and the beginning of that: it has all that is looked at.
  private static let headLength = 25
  private static let (alphaFlag, xmpFlag): (UInt8, UInt8) = (0x10, 0x04)

  private let xmp: [UInt8]
  private let size: PixelSize
  private let receive: ([UInt8]) -> Void
  private var head: [UInt8]? = []

  /// For a file of that size.
  init(_ xmp: [UInt8], size: PixelSize, _ receive: @escaping ([UInt8]) -> Void) {
    (self.xmp, self.size, self.receive) = (xmp, size, receive)
  }

  /// Takes the next bytes of the file.
  mutating func append(_ piece: [UInt8]) {
    guard !xmp.isEmpty, var head else { return receive(piece) }
    head += piece
    guard head.count >= Self.headLength else {
      self.head = head
      return
    }
    self.head = nil
    receive(Self.marked(head, size, adding: chunk.count))
  }

  /// Passes the packet.
  func finish() {
    if !xmp.isEmpty { receive(chunk) }
  }

  private var chunk: [UInt8] {
    Array("XMP ".utf8) + Self.bytes(xmp.count, 4) + xmp + (xmp.count % 2 == 0 ? [] : [0])
  }

  /// The beginning of a file with a chunk `VP8X` that says that metadata follow.
  private static func marked(_ head: [UInt8], _ size: PixelSize, adding more: Int) -> [UInt8] {
    let first = head[12..<16]
    let isExtended = first.elementsEqual("VP8X".utf8)
    let length = head[4..<8].reversed().reduce(0) { $0 << 8 | Int($1) }
    var result = head
    result.replaceSubrange(4..<8, with: bytes(length + more + (isExtended ? 0 : 18), 4))
    if isExtended {
      result[20] |= xmpFlag
      return result
    }
    // The bit behind the sides of a picture without loss: whether it has alpha. One with loss and alpha is extended.
    let hasAlpha = first.elementsEqual("VP8L".utf8) && head[24] & 0x10 != 0
    let chunk =
      Array("VP8X".utf8) + bytes(10, 4) + [xmpFlag | (hasAlpha ? alphaFlag : 0), 0, 0, 0]
      + bytes(size.width - 1, 3) + bytes(size.height - 1, 3)
    result.insert(contentsOf: chunk, at: 12)
    return result
  }

  /// A number in so many bytes, the lowest first.
  private static func bytes(_ number: Int, _ count: Int) -> [UInt8] {
    (0..<count).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
  }
}
