// SPDX-License-Identifier: Apache-2.0

import TestSupport

/// Documents with random changes.
enum Mutation {
  /// Values and pieces of JSON that readers may handle wrongly.
  private static let values: [String] = [
    "0", "-1", "1e400", "-0", "9223372036854775808", "1e-320", "0.5", "1000000", "1050001", "-1e6",
    "100000.5", "01", "null",
    "true", "[]", "{}", "[[]]", "{\"_0\":1}", "\"\"", "\"🐝\"", "\"🐝\\u0000\"", "\"\\ud83d\"", "\"Hello\"",
    "\"❤\"",
    "\"1\"", "\"\\u202e🐝\"", "\"//example.org\"", "\"AAAA\"", "{\"x\":1,\"y\":2}", "[1,2]",
    "\"caption\"", "\"#cc0000\"", "\"gold\"", "[3.5,1.2]", "[2001,1]", "180.5",
  ]
  private static let pieces: [String] =
    values + [
      ",", ":", "{", "}", "[", "]", "\"", "\\", "\u{feff}", "\u{7f}", "\"text\":\"🐝\",", "\"x\":5,",
      "\"emojis\":[],",
      "\"background\":{},", "\"url\":\"a\",", "\"canvas\":{\"width\":5,\"height\":5},", "\"id\":7,",
      "\"string\":\"🐢\",", "\"rotation\":30,", "\"mirrored\":true,", "\"color\":\"#00f8\",",
      "\"kind\":\"caption\",\"box\":[1,2],", "\"fill\":\"tomato\",",
      "{\"text\":\"🐢\",\"x\":1,\"y\":2,\"size\":3},",
    ]

  /// One to four changes of a document.
  static func of(_ source: [UInt8], using random: inout SplitMix64) -> [UInt8] {
    var bytes = source
    for _ in 0...random.below(4) { change(&bytes, using: &random) }
    return bytes
  }

  private static func change(_ bytes: inout [UInt8], using random: inout SplitMix64) {
    guard !bytes.isEmpty else { return bytes += Array(pieces[random.below(pieces.count)].utf8) }
    let index = random.below(bytes.count)
    switch random.below(10) {
    case 0: bytes[index] ^= 1 << UInt8(random.below(8))
    case 1: bytes.removeSubrange(index..<min(bytes.count, index + 1 + random.below(9)))
    case 2: bytes.insert(contentsOf: pieces[random.below(pieces.count)].utf8, at: index)
    case 3:
      let end = min(bytes.count, index + 1 + random.below(60))
      bytes.insert(contentsOf: Array(bytes[index..<end]), at: random.below(bytes.count))
    case 4: bytes.removeLast(min(bytes.count, random.below(40)))
    default: replaceValue(in: &bytes, near: index, with: values[random.below(values.count)])
    }
  }

  /// Replaces the value after the next colon, as far as the next delimiter.
  private static func replaceValue(in bytes: inout [UInt8], near index: Int, with value: String) {
    guard let colon = bytes[index...].firstIndex(of: UInt8(ascii: ":")) else { return }
    let ends = Array(",}]".utf8)
    guard let end = bytes[(colon + 1)...].firstIndex(where: ends.contains) else { return }
    bytes.replaceSubrange((colon + 1)..<end, with: value.utf8)
  }
}
