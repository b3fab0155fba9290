// SPDX-License-Identifier: Apache-2.0

import ArtModel

/// A colour profile without what it says of its maker: texts, devices, programs, times (ICC.1:2022, 7 and 10).
///
/// It gives the same colours, because the elements of the transform stay, where they are. The texts that each profile must have are empty.
enum ColorProfile {
  /// The tags that a colour transform reads (9.2).
  private static let transform: Set<String> = [
    "A2B0", "A2B1", "A2B2", "B2A0", "B2A1", "B2A2", "D2B0", "D2B1", "D2B2", "D2B3", "B2D0", "B2D1", "B2D2",
    "B2D3",
    "rXYZ", "gXYZ", "bXYZ", "rTRC", "gTRC", "bTRC", "kTRC", "wtpt", "bkpt", "chad", "gamt", "pre0", "pre1",
    "pre2",
    "cicp", "lumi",
  ]
  /// The profile's description and its copyright, which are required.
  private static let texts: Set<String> = ["desc", "cprt"]
  private static let headerSize = 128
  private static let entrySize = 12
  private static let mostTags = 100
  /// The fields of the header that name makers, programs, devices and times, and its reserved bytes (7.2).
  private static let fieldsOfMaker = [4..<8, 24..<36, 40..<60, 80..<128]

  /// The profile; nil for bytes that are none.
  static func anonymous(_ bytes: some Collection<UInt8>) -> [UInt8]? {
    let bytes = Array(bytes)
    let file = PictureBytes(bytes)
    guard file.has("acsp", at: 36), let size = file.big(0, 4), let profile = file.part(0, size),
      let count = profile.big(headerSize, 4), count <= mostTags,
      profile.part(headerSize + 4, count * entrySize) != nil
    else { return nil }
    let tableEnd = headerSize + 4 + count * entrySize
    let tags = (0..<count).compactMap { number in
      tag(headerSize + 4 + number * entrySize, in: profile, from: tableEnd)
    }
    var result = Array(bytes.prefix(headerSize)) + [UInt8](repeating: 0, count: size - headerSize)
    for field in fieldsOfMaker { result.replaceSubrange(field, with: repeatElement(0, count: field.count)) }
    let kept = tags.filter { !texts.contains($0.name) }.map(\.range)
    var entries: [UInt8] = []
    for tag in tags {
      let element: [UInt8]
      if texts.contains(tag.name) {
        guard !kept.contains(where: { $0.overlaps(tag.range) }) else { continue }
        element = emptyText(profile.fourLetters(tag.range.lowerBound))
      } else {
        element = Array(bytes[tag.range])
      }
      result.replaceSubrange(tag.range, with: element)
      entries += Array(tag.name.utf8) + big(tag.range.lowerBound) + big(element.count)
    }
    result.replaceSubrange(headerSize..<headerSize + 4, with: big(entries.count / entrySize))
    result.replaceSubrange(headerSize + 4..<headerSize + 4 + entries.count, with: entries)
    return result
  }

  private struct Tag {
    let name: String
    /// The bytes of its element that are kept, or become an empty text.
    let range: Range<Int>
  }

  /// The tag of an entry of the table; nil for one that is left out.
  private static func tag(_ entry: Int, in profile: PictureBytes, from tableEnd: Int) -> Tag? {
    guard let name = profile.fourLetters(entry), let offset = profile.big(entry + 4, 4), offset >= tableEnd,
      let size = profile.big(entry + 8, 4), let element = profile.part(offset, size)
    else { return nil }
    let used: Int? =
      if texts.contains(name) {
        emptyText(element.fourLetters(0)).count
      } else if transform.contains(name) {
        length(of: element)
      } else {
        nil
      }
    guard let used, used > 0, used <= size else { return nil }
    return Tag(name: name, range: offset..<offset + used)
  }

  /// The bytes of an element that its type defines; nil for a type that no transform has.
  private static func length(of element: PictureBytes) -> Int? {
    switch element.fourLetters(0) {
    case "XYZ ": 20
    case "cicp": 12
    case "curv": element.big(8, 4).map { 12 + 2 * $0 }
    case "para": element.big(8, 2).flatMap { [1, 3, 4, 5, 7].dropFirst($0).first }.map { 12 + 4 * $0 }
    // The matrix of `chad`.
    case "sf32": 44
    case "mft1", "mft2", "mAB ", "mBA ", "mpet": element.count
    default: nil
    }
  }

  /// An element of that type with an empty text; empty for a type that is no text.
  private static func emptyText(_ type: String?) -> [UInt8] {
    switch type {
    case "mluc": Array("mluc".utf8) + big(0) + big(0) + big(entrySize)
    case "text": Array("text".utf8) + big(0) + [0]
    // Of profiles of version 2: a text of one byte, and none in Unicode and in Mac's codes (ICC.1:2001-04, 6.5.17).
    case "desc": Array("desc".utf8) + big(0) + big(1) + [UInt8](repeating: 0, count: 79)
    default: []
    }
  }

  private static func big(_ number: Int) -> [UInt8] {
    [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: number >> $0) }
  }
}
