// SPDX-License-Identifier: Apache-2.0

import ArtModel
import Glibc

/// What goes to stdout, gathered and written in large pieces, and what goes to stderr.
enum Output {
  private static let limit = 1 << 16
  // One thread writes: commands run on the main one.
  nonisolated(unsafe) private static var gathered: [UInt8] = []

  static func write(_ text: String) { gathered.append(contentsOf: text.utf8) }

  static func line(_ text: String) throws(ArtError) {
    write(text)
    write("\n")
    if gathered.count >= limit { try flush() }
  }

  static func write(_ bytes: [UInt8]) throws(ArtError) {
    gathered.append(contentsOf: bytes)
    if gathered.count >= limit { try flush() }
  }

  static func json(_ value: JSON) throws(ArtError) { try line(value.text) }

  /// Throws `inputOutput` when stdout does not take it.
  static func flush() throws(ArtError) {
    var written = 0
    defer { gathered.removeAll() }
    while written < gathered.count {
      let count = gathered.withUnsafeBytes { buffer in
        Glibc.write(1, buffer.baseAddress.map { $0 + written }, buffer.count - written)
      }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else {
        throw ArtError(.inputOutput, "cannot write the result: \(String(cString: strerror(errno)))")
      }
      written += count
    }
  }

  /// One line to people, on stderr. Line breaks within it are made visible like other control characters.
  static func complain(_ message: String) { writeError("emojiart: \(safe(message))\n") }

  static func writeError(_ text: String) {
    var left = Array(text.utf8)[...]
    while !left.isEmpty {
      let count = left.withUnsafeBytes { Glibc.write(2, $0.baseAddress, $0.count) }
      if count < 0, errno == EINTR { continue }
      // There is nobody left to tell.
      guard count > 0 else { return }
      left = left.dropFirst(count)
    }
  }
}

/// Text from a document, a path or an argument, made fit for a terminal: control characters and what changes the
/// order of text become visible escapes, `\u{1b}`.
func safe(_ text: String) -> String {
  guard text.unicodeScalars.contains(where: \.isUnsafeOnTerminal) else { return text }
  return text.unicodeScalars.reduce(into: "") { result, scalar in
    if scalar.isUnsafeOnTerminal {
      result += "\\u{\(String(scalar.value, radix: 16))}"
    } else {
      result.unicodeScalars.append(scalar)
    }
  }
}

/// Colour on a terminal, unless `NO_COLOR` says otherwise (https://no-color.org) or the terminal is dumb.
enum Style {
  static let isColored: Bool = {
    guard isatty(1) == 1, getenv("NO_COLOR").map({ $0.pointee == 0 }) ?? true else { return false }
    return getenv("TERM").map { String(cString: $0) != "dumb" } ?? false
  }()

  static func bold(_ text: String) -> String { isColored ? "\u{1B}[1m\(text)\u{1B}[0m" : text }
  static func faint(_ text: String) -> String { isColored ? "\u{1B}[2m\(text)\u{1B}[0m" : text }
}
