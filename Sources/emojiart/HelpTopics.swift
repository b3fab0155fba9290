// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import ArtModel
import ArtTerminal

/// A page of help about something that is no command: `emojiart help json`.
struct HelpTopic {
  /// A piece of a page.
  enum Part {
    case text(String)
    case title(String)
    /// Terms, each with its meaning beside or below it.
    case rows([(term: String, text: String)])
  }

  let name: String
  let abstract: String
  let parts: [Part]

  /// All topics, in the order of the list.
  static let all = [refs, places, fonts, documents, json, errors, environment]

  /// The names of the pages besides those of the commands.
  static var allNames: [String] { all.map(\.name) + ["commands"] }

  /// The page that the arguments request; nil for a command's help and for everything else.
  static func page(for arguments: [String], columns: Int) -> String? {
    let rest = arguments.first == "help" ? Array(arguments.dropFirst()) : arguments
    if rest.isEmpty || rest == ["--help"] || rest == ["-h"] { return HelpOverview.page(columns: columns) }
    guard arguments.first == "help", rest.count == 1 else { return nil }
    if rest[0] == "commands" { return HelpOverview.commands(columns: columns) }
    return all.first { $0.name == rest[0] }?.page(columns: columns)
  }

  /// The page, wrapped.
  func page(columns: Int) -> String {
    var lines: [String] = []
    for part in [.text(abstract)] + parts {
      if !lines.isEmpty { lines.append("") }
      switch part {
      case .text(let text): lines += Self.wrapped(text, columns: columns, indent: 0)
      case .title(let title): lines.append("\(title):")
      case .rows(let rows):
        // A title stands directly above its rows.
        if lines.dropLast().last?.hasSuffix(":") == true { lines.removeLast() }
        let width = rows.map { TextWidth.columns($0.term) }.max() ?? 0
        let isBeside = width <= 24 && columns >= 60
        for row in rows { lines += Self.row(row.term, row.text, isBeside ? width + 4 : nil, columns) }
      }
    }
    return lines.joined(separator: "\n")
  }

  /// A term and its text, from a column on, or below the term.
  static func row(_ term: String, _ text: String, _ column: Int?, _ columns: Int) -> [String] {
    guard let column else {
      return ["  \(term)"] + (text.isEmpty ? [] : wrapped(text, columns: columns, indent: 6))
    }
    var lines = wrapped(text, columns: columns, indent: column)
    let padding = String(repeating: " ", count: max(0, column - 2 - TextWidth.columns(term)))
    lines[0] = "  \(term)\(padding)" + lines[0].dropFirst(column)
    return lines
  }

  /// The words in lines of at most that many columns; a longer word has a line of its own.
  static func wrapped(_ text: String, columns: Int, indent: Int) -> [String] {
    let margin = String(repeating: " ", count: indent)
    var lines: [String] = []
    var line = margin
    for word in text.split(separator: " ") {
      let isFirst = line.count == indent
      if !isFirst, TextWidth.columns(line) + 1 + TextWidth.columns(String(word)) > columns {
        lines.append(line)
        line = margin + word
      } else {
        line += (isFirst ? "" : " ") + word
      }
    }
    return lines + [line]
  }
}

/// How wide text is on a terminal, about: an emoji takes two columns.
enum TextWidth {
  static func columns(_ text: String) -> Int {
    text.reduce(0) { $0 + (EmojiText.isEmoji($1) ? 2 : 1) }
  }
}

// MARK: - The list of commands

/// The first page of the help, and the list of all commands.
enum HelpOverview {
  /// The commands that have a line on the first page.
  private static let common: Set = [
    "new", "list", "show", "render", "add", "caption", "move", "resize", "remove", "find", "canvas",
    "background", "undo",
    "history", "edit", "serve",
  ]

  static func page(columns: Int) -> String {
    var lines = [
      Emojiart.configuration.abstract, "", "Usage: emojiart COMMAND [DOC] [ARGUMENTS] [OPTIONS]", "",
    ]
    for group in Emojiart.configuration.groupedSubcommands {
      lines.append("\(group.name):")
      var others: [String] = []
      for command in group.subcommands {
        let name = command.configuration.commandName ?? ""
        if common.contains(name) {
          lines += HelpTopic.row(name, command.configuration.abstract, 14, columns)
        } else {
          others.append(name)
        }
      }
      if !others.isEmpty {
        let isAll = others.count == group.subcommands.count
        lines += HelpTopic.wrapped(
          (isAll ? "" : "and ") + others.joined(separator: ", "), columns: columns, indent: 2)
      }
    }
    lines += [
      "", "Examples:", "  emojiart new bees --canvas 800x600",
      "  emojiart add bees 🐝 🌸 --at 50%,50% --size 64", "  emojiart show bees", "",
      "emojiart help COMMAND explains a command, emojiart help commands lists them all.",
      "Other pages of emojiart help: " + HelpTopic.all.map(\.name).joined(separator: ", ") + ".",
    ]
    return lines.flatMap { line in
      line.hasPrefix(" ") ? [line] : HelpTopic.wrapped(line, columns: columns, indent: 0)
    }
    .joined(separator: "\n")
  }

  static func commands(columns: Int) -> String {
    var lines: [String] = []
    for group in Emojiart.configuration.groupedSubcommands {
      if !lines.isEmpty { lines.append("") }
      lines.append("\(group.name):")
      for command in group.subcommands {
        lines += HelpTopic.row(
          command.configuration.commandName ?? "", command.configuration.abstract, 14, columns)
      }
    }
    return lines.joined(separator: "\n")
  }
}
