// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtSystem

/// An error of the argument parser as one line in our style, with a hint for what people type.
struct UsageMessage {
  /// The line.
  let line: String

  /// The message of the parser about these arguments, which begin with the command.
  init(_ message: String, _ arguments: [String]) {
    let command = arguments.first.flatMap { Emojiart.commandNames.contains($0) ? $0 : nil }
    let hint = Self.hint(message, command, arguments.dropFirst())
    line = Self.line(message, hint: hint, more: "`emojiart \(command.map { "\($0) " } ?? "")--help`")
  }

  /// A message in our style; `more` is what to read.
  static func line(_ message: String, hint: String = "", more: String) -> String {
    var what = message.prefix(1).lowercased() + message.dropFirst()
    if what.hasSuffix(".") { what.removeLast() }
    // The parser suggests an option that need not be near.
    let suggestion = what.components(before: ". Did you mean '", end: "'?")
    if let suggestion {
      what = suggestion.before
      let typed = what.split(separator: "'").last.map(String.init) ?? ""
      if !nearest(to: typed, among: [suggestion.between]).isEmpty {
        return "\(what); did you mean \(suggestion.between)?"
      }
    }
    return "\(what); \(hint)see \(more)"
  }

  private static func hint(_ message: String, _ command: String?, _ rest: ArraySlice<String>) -> String {
    if message.contains(part: "'--output ") {
      let file = rest.last { $0.contains(".") && !$0.hasPrefix("-") }
      return file.map { "the file goes after -o: -o \(shown($0)); " } ?? "the file goes after -o; "
    }
    if command == "export", message.hasPrefix("Unexpected argument"), rest.count > 1, let file = rest.last {
      return Exporting.command(for: file, of: rest[rest.startIndex]).map { "`\($0)` makes that; " }
        ?? "the file goes after -o: -o \(shown(file)); "
    }
    if command == "edit", message.hasPrefix("Unexpected argument"), let file = rest.last {
      return "lines come from stdin: <\(shown(file)); "
    }
    return ""
  }
}

extension String {
  /// The text before a mark, and the text between it and the end; nil where it does not end so.
  fileprivate func components(before mark: String, end: String) -> (before: String, between: String)? {
    guard hasSuffix(end) else { return nil }
    let parts = dropLast(end.count).pieces(separatedBy: mark)
    guard parts.count == 2 else { return nil }
    return (String(parts[0]), String(parts[1]))
  }
}
