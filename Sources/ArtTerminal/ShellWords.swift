// SPDX-License-Identifier: Apache-2.0

import ArtModel

/// Splits a typed line into words: blanks, also no-break ones, separate them, `'…'`, `"…"` and `\` quote as in a POSIX shell
/// (https://pubs.opengroup.org/onlinepubs/9699919799/utilities/V3_chap02.html, 2.2). There are no expansions,
/// and `#` starts no comment, because it starts a keycap emoji.
package enum ShellWords {
  /// Throws `usage` when the line ends within quotes or after a backslash.
  package static func split(_ line: String) throws(ArtError) -> [String] {
    let scan = Scan(line)
    if scan.isEscaped {
      throw ArtError(.usage, "the line ends with a backslash; leave it out, or type two for one")
    }
    if let quote = scan.quote {
      throw ArtError(.usage, "the line ends within \(quote) quotes; close them, or type \\\(quote) for one")
    }
    return scan.words + (scan.word.map { [String($0)] } ?? [])
  }

  /// The complete words of a line, the last word as far as it is typed, and the index of its first character.
  package static func typed(_ line: String) -> (words: [String], word: String, start: Int) {
    let scan = Scan(line)
    guard let word = scan.word else { return (scan.words, "", line.count) }
    return (scan.words, String(word), String(line.unicodeScalars.prefix(scan.start)).count)
  }

  /// A word, or the beginning of one, with its special characters escaped.
  package static func quoted(_ word: String) -> String {
    String(
      String.UnicodeScalarView(
        word.unicodeScalars.flatMap {
          " \t\n\u{A0}\u{202F}'\"\\".unicodeScalars.contains($0) ? ["\\", $0] : [$0]
        }))
  }

  private struct Scan {
    private(set) var words: [String] = []
    private(set) var word: String.UnicodeScalarView?
    /// The index of the first scalar of the last word.
    private(set) var start = 0
    private(set) var quote: Unicode.Scalar?
    private(set) var isEscaped = false

    init(_ line: String) {
      for (index, scalar) in line.unicodeScalars.enumerated() { consume(scalar, at: index) }
    }

    private mutating func consume(_ scalar: Unicode.Scalar, at index: Int) {
      switch (quote, scalar) {
      case _ where isEscaped:
        isEscaped = false
        // Within double quotes, a backslash escapes only a few characters.
        if quote == nil || "\"\\$`".unicodeScalars.contains(scalar) { word?.removeLast() }
        word?.append(scalar)
      // No-break spaces come from web pages and keyboards, and look like blanks.
      case (nil, " "), (nil, "\t"), (nil, "\n"), (nil, "\u{A0}"), (nil, "\u{202F}"):
        if let word { words.append(String(word)) }
        word = nil
      case ("'", "'"), ("\"", "\""): quote = nil
      case (nil, _), ("\"", "\\"):
        if word == nil { (word, start) = (String.UnicodeScalarView(), index) }
        if quote == nil, scalar == "'" || scalar == "\"" {
          quote = scalar
        } else {
          isEscaped = scalar == "\\"
          word?.append(scalar)
        }
      default: word?.append(scalar)
      }
    }
  }
}
