// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import ArtModel

/// The words behind a command, as POSIX names them: options with their values, and operands.
///
/// The argument parser takes each word with a dash for options, letter by letter: `-Schuhe` would ask for help. Here only `-h` and
/// `--help` do, a word with a blank in it is an operand, and each other word that is no option of the command is an error.
struct CommandArguments {
  /// The options with their values, as the parser reads them.
  private(set) var options: [String] = []
  /// The operands, among them the words that look like options and are none.
  private(set) var operands: [String] = []
  /// Whether `-h` or `--help` is among the options.
  private(set) var isHelpRequested = false
  /// The index of the first operand that looks like an option.
  private var mistaken: Int?
  /// Whether the last option lacks its value.
  private var isValueMissing = false
  private let declared: DeclaredArguments

  init(_ words: some Sequence<String>, of declared: DeclaredArguments) {
    self.declared = declared
    var rest = Array(words)[...]
    while let word = rest.popFirst() {
      if word == "--" {
        operands += rest
        return
      }
      guard word.hasPrefix("-"), word != "-" else {
        operands.append(word)
        continue
      }
      if word == "-h" || word == "--help" {
        isHelpRequested = true
        continue
      }
      let (name, glued) = Self.parts(of: word)
      if let value = declared.options[name], glued == nil || value != .none || name.hasPrefix("--") {
        addOption(name, value, glued, word, &rest)
      } else {
        if mistaken == nil, !word.contains(where: \.isWhitespace) { mistaken = operands.count }
        operands.append(word)
      }
    }
  }

  /// The name of an option, and what is glued to it: `--at=top`, `-oa.png`.
  private static func parts(of word: String) -> (name: String, glued: Substring?) {
    guard word.hasPrefix("--") else {
      return (String(word.prefix(2)), word.count > 2 ? word.dropFirst(2) : nil)
    }
    let name = word.prefix { $0 != "=" }
    return (String(name), name.endIndex < word.endIndex ? word[name.endIndex...] : nil)
  }

  private mutating func addOption(
    _ name: String, _ value: DeclaredArguments.OptionValue, _ glued: Substring?, _ word: String,
    _ rest: inout ArraySlice<String>
  ) {
    isValueMissing = false
    if let glued {
      // The parser knows no value right behind a short name, and would take the next word for an empty one.
      options +=
        glued == "="
        ? [name, ""] : name.hasPrefix("--") || glued.hasPrefix("=") ? [word] : [name, String(glued)]
      return
    }
    options.append(name)
    switch value {
    case .none: break
    case .next where rest.first.map { $0.hasPrefix("-") && $0 != "-" } != false, .any where rest.isEmpty:
      isValueMissing = true
    case .next, .any: if let value = rest.popFirst() { options.append(value) }
    case .several:
      let values = rest.prefix { !$0.hasPrefix("-") }
      options += values
      rest.removeFirst(values.count)
      isValueMissing = values.isEmpty
    }
  }

  /// Whether a word looks like an option and is none.
  var isMistaken: Bool { mistaken != nil }

  /// Removes the first operand, if there is one.
  mutating func removeFirstOperand() {
    guard !operands.isEmpty else { return }
    operands.removeFirst()
    mistaken = mistaken.flatMap { $0 > 0 ? $0 - 1 : nil }
  }

  /// The words for the parser, with nothing among the operands that it takes for an option. `first` are operands before the others.
  func words(behind first: [String] = []) -> [String] {
    if isHelpRequested { return ["--help"] }
    // The parser would take `--` for the value.
    return isValueMissing ? options : options + ["--"] + first + operands
  }

  /// Throws `usage` for a word that looks like an option and is none, with what to type. `line` makes a command line of its words, and
  /// `given` operands stand before these.
  func check(behind given: Int = 0, help: String, line: ([String]) -> String) throws(ArtError) {
    guard let mistaken else { return }
    let word = operands[mistaken]
    let what = "unknown option '\(word)'"
    let name = Self.parts(of: word).name
    let near = nearest(
      to: word.hasPrefix("--") ? name : word, among: declared.options.keys.filter { $0.hasPrefix("--") })
    if let near = near.first { throw ArtError(.usage, "\(what); did you mean \(near)?", about: word) }
    switch operand(at: given + mistaken) {
    case "doc" where !word.hasPrefix("--"):
      throw ArtError(
        .usage, "\(what); a name that begins with a dash is written ./\(word); see \(help)", about: word)
    case let operand? where Self.texts.contains(operand) || operand == "ref" && !word.hasPrefix("--"):
      let words = Array(operands[..<mistaken]) + options + ["--"] + operands[mistaken...]
      throw ArtError(
        .usage, "\(what); see \(help), or, if it is text, type `\(line(words))`", about: word)
    default: throw ArtError(.usage, "\(what); see \(help)", about: word)
    }
  }

  /// The name of the operand at an index; nil for one too many.
  private func operand(at index: Int) -> String? {
    index < declared.operands.count
      ? declared.operands[index] : declared.isLastRepeated ? declared.operands.last : nil
  }

  /// Operands that may be any text.
  private static let texts: Set = ["name", "source", "text", "value", "word"]
}

extension CommandArguments {
  /// The arguments of this program for its parser, which begin with the command. Throws `usage` for a word that looks like an option and
  /// is none.
  static func forParser(_ arguments: [String]) throws(ArtError) -> [String] {
    // The scripts of shells pass on what is typed, as it is.
    guard let first = arguments.first, first != "help", !first.hasPrefix("---"),
      arguments.contains(where: { $0.hasPrefix("-") })
    else {
      return arguments
    }
    var (path, type) = ([String](), Emojiart.self as any ParsableCommand.Type)
    for word in arguments {
      guard let next = type.configuration.subcommands.first(where: { $0.configuration.commandName == word })
      else { break }
      path.append(word)
      type = next
    }
    guard !path.isEmpty else { return try beforeCommand(arguments) }
    let rest = arguments.dropFirst(path.count)
    let command = path.joined(separator: " ")
    var behind: [String] = []
    if let standard = type.configuration.defaultSubcommand {
      behind = [standard.configuration.commandName ?? ""]
      type = standard
    }
    // The parser has this option for the programs that make man pages.
    guard !rest.contains("--experimental-dump-help") else { return arguments }
    // The parser gives each command the option of the program.
    let words = CommandArguments(rest, of: .of(type).adding("--version"))
    guard !words.isHelpRequested else { return path + ["--help"] }
    try words.check(help: "`emojiart \(command) --help`") { words in
      "emojiart \(command) " + words.map(ArtError.Remedy.shellWord).joined(separator: " ")
    }
    return path + behind + words.words()
  }

  /// Throws `usage` for a word that the parser would take for several options.
  private static func beforeCommand(_ arguments: [String]) throws(ArtError) -> [String] {
    if let word = arguments.first(where: { $0.hasPrefix("-") && !$0.hasPrefix("--") && $0.count > 2 }) {
      throw ArtError(.usage, "unknown option '\(word)'; see `emojiart --help`", about: word)
    }
    return arguments
  }
}
