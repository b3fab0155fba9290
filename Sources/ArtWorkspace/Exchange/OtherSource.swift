// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtSystem

/// What a file seems to be that was given for JSON, by its first bytes: for a message with what to do with it.
public enum OtherSource: Equatable, Sendable {
  /// PNG, JPEG, GIF, WebP or AVIF.
  case picture
  /// A drawing in SVG.
  case svg
  /// JSON between the lines of Markdown that mark code.
  case fencedJSON
  /// A list of objects, in place of one object.
  case list
  /// Text of another kind.
  case text

  private static let looked = 4_096

  /// Nil for JSON that begins like an object, for nothing, and for other bytes.
  public init?(_ bytes: some Collection<UInt8>) {
    let head = Array(bytes.prefix(Self.looked))
    if Self.isPicture(head) {
      self = .picture
      return
    }
    var text = head[...]
    if text.starts(with: [0xEF, 0xBB, 0xBF]) { text = text.dropFirst(3) }
    text = text.drop { $0 == 0x20 || (0x09...0x0D).contains($0) }
    guard let first = text.first, first != UInt8(ascii: "{") else { return nil }
    if text.starts(with: "```".utf8) {
      self = .fencedJSON
    } else if first == UInt8(ascii: "[") {
      self = .list
    } else if first == UInt8(ascii: "<"), text.contains(part: "<svg".utf8) {
      self = .svg
    } else if !text.contains(where: { $0 < 0x09 || (0x0E..<0x20).contains($0) }) {
      self = .text
    } else {
      return nil
    }
  }

  private static func isPicture(_ head: [UInt8]) -> Bool {
    let signatures: [[UInt8]] = [[0x89, 0x50, 0x4E, 0x47], [0xFF, 0xD8, 0xFF], Array("GIF8".utf8)]
    let brand = head.dropFirst(8).prefix(4)
    return signatures.contains { head.starts(with: $0) }
      || head.starts(with: "RIFF".utf8) && brand.elementsEqual("WEBP".utf8)
      || head.dropFirst(4).starts(with: "ftyp".utf8) && brand.starts(with: "avi".utf8)
  }
}
