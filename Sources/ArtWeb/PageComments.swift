// SPDX-License-Identifier: Apache-2.0

/// Comments in the files of the page. A browser needs none, and they are a quarter of the bytes over the wire.
enum PageComments {
  /// The text without the lines of comments. They become empty lines, so that the places of errors stay those of the sources.
  ///
  /// A comment beside code stays. A file must not have a text over several lines that looks like a comment.
  static func removed(from text: [UInt8]) -> [UInt8] {
    var result: [UInt8] = []
    result.reserveCapacity(text.count)
    var isInside = false
    for line in text.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false) {
      let words = line.drop { $0 == UInt8(ascii: " ") }
      let ends = words.suffix(2).elementsEqual("*/".utf8)
      if isInside {
        isInside = !ends
      } else if words.starts(with: "/*".utf8) && (ends || !words.contains("*/".utf8)) {
        isInside = !ends
      } else if !words.starts(with: "//".utf8) {
        result += line
      }
      result.append(UInt8(ascii: "\n"))
    }
    // The last line has no end.
    result.removeLast()
    return result
  }
}
