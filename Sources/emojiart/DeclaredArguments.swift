// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import ArtModel
import Synchronization

/// The options and operands of a command, as the argument parser knows them. It tells them only in its description of a command, which is
/// JSON.
struct DeclaredArguments {
  /// How many words behind the name of an option belong to it.
  enum OptionValue {
    /// None: it is a flag.
    case none
    /// The next one, unless that begins with a dash.
    case next
    /// The next one, whatever it is.
    case any
    /// All up to one that begins with a dash.
    case several
  }

  /// The options by their names, such as `--at` and `-o`.
  private(set) var options: [String: OptionValue] = [:]
  /// The names of the operands that the help shows, in order.
  private(set) var operands: [String] = []
  /// Whether the last operand may stand for several words.
  private(set) var isLastRepeated = false

  /// The options that take a value.
  var optionsWithValue: Set<String> { Set(options.filter { $1 != .none }.keys) }

  /// Those of a command; none for a word that is no command.
  static func of(_ command: String) -> DeclaredArguments {
    let type = Emojiart.configuration.subcommands.first { $0.configuration.commandName == command }
    return type.map { of($0) } ?? DeclaredArguments()
  }

  /// Those of a command's type. They are read once: a script has a thousand lines with one command.
  static func of(_ type: any ParsableCommand.Type) -> DeclaredArguments {
    let key = ObjectIdentifier(type)
    if let declared = known.withLock({ $0[key] }) { return declared }
    var declared = DeclaredArguments()
    do throws(ArtError) {
      try JSONReader.read(type._dumpHelp()) { (reader) throws(ArtError) in
        try reader.member("command") { (reader) throws(ArtError) in
          try reader.member("arguments") { (reader) throws(ArtError) in
            try reader.array { (reader) throws(ArtError) in declared.add(try Argument(from: &reader)) }
          }
        }
      }
    } catch {
      // The parser writes this text: a test sees that it can be read.
    }
    known.withLock { [declared] in $0[key] = declared }
    return declared
  }

  /// The same, and a flag.
  func adding(_ flag: String) -> DeclaredArguments {
    var declared = self
    declared.options[flag] = OptionValue.none
    return declared
  }

  private static let known = Mutex<[ObjectIdentifier: DeclaredArguments]>([:])

  private mutating func add(_ argument: Argument) {
    // A request of help is none of a command's own options.
    guard !argument.names.contains("--help") else { return }
    switch argument.kind {
    case "positional":
      guard argument.isShown else { return }
      operands.append(argument.valueName)
      isLastRepeated = argument.isRepeated
    case "flag": for name in argument.names { options[name] = OptionValue.none }
    default:
      let value: OptionValue =
        switch argument.strategy {
        case "unconditional": .any
        case "upToNextOption": .several
        default: .next
        }
      for name in argument.names { options[name] = value }
    }
  }

  /// One argument in the description.
  private struct Argument {
    var (kind, valueName, strategy) = ("", "", "")
    var (isShown, isRepeated) = (true, false)
    var names: [String] = []

    init(from reader: inout JSONReader) throws(ArtError) {
      try reader.object { (key, reader) throws(ArtError) in
        switch key {
        case "kind": kind = try reader.string()
        case "valueName": valueName = try reader.string()
        case "parsingStrategy": strategy = try reader.string()
        case "shouldDisplay": isShown = try reader.boolean()
        case "isRepeating": isRepeated = try reader.boolean()
        case "names": try reader.array { (reader) throws(ArtError) in names.append(try reader.optionName()) }
        default: try reader.skip()
        }
      }
    }
  }
}

extension JSONReader {
  /// Reads one member of an object, and skips the others.
  fileprivate mutating func member(
    _ name: String, _ body: (inout JSONReader) throws(ArtError) -> Void
  ) throws(ArtError) {
    try object { (key, reader) throws(ArtError) in
      if key == name { try body(&reader) } else { try reader.skip() }
    }
  }

  /// Reads `{"kind":"long","name":"at"}`.
  fileprivate mutating func optionName() throws(ArtError) -> String {
    var (kind, name) = ("", "")
    try object { (key, reader) throws(ArtError) in
      switch key {
      case "kind": kind = try reader.string()
      case "name": name = try reader.string()
      default: try reader.skip()
      }
    }
    return (kind == "long" ? "--" : "-") + name
  }
}
