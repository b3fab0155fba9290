// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import ArtModel
import Synchronization

/// The options of commands, as the argument parser knows them. It tells them only in its description of a command, which is JSON.
enum DeclaredOptions {
  /// The options of a command that take a value, such as `--at` and `-o`; empty for a word that is no command.
  static func withValue(of command: String) -> Set<String> {
    if let options = known.withLock({ $0[command] }) { return options }
    let type = Emojiart.configuration.subcommands.first { $0.configuration.commandName == command }
    guard let options = type.map({ withValue(of: $0) }) else { return [] }
    known.withLock { $0[command] = options }
    return options
  }

  /// What was read before: a script has a thousand lines with one command.
  private static let known = Mutex<[String: Set<String>]>([:])

  /// The index of the first word that is neither an option nor the value of one, among the words behind a command's name.
  static func firstPositional(in words: ArraySlice<String>, of command: String) -> Int? {
    let options = withValue(of: command)
    var index = words.startIndex
    while index < words.endIndex {
      let word = words[index]
      if word == "--" { return index + 1 < words.endIndex ? index + 1 : nil }
      guard word.hasPrefix("-"), word != "-" else { return index }
      index += options.contains(word) ? 2 : 1
    }
    return nil
  }

  private static func withValue(of type: any ParsableCommand.Type) -> Set<String> {
    var names: Set<String> = []
    do throws(ArtError) {
      try JSONReader.read(type._dumpHelp()) { (reader) throws(ArtError) in
        try reader.member("command") { (reader) throws(ArtError) in
          try reader.member("arguments") { (reader) throws(ArtError) in
            try reader.array { (reader) throws(ArtError) in names.formUnion(try reader.optionWithValue()) }
          }
        }
      }
    } catch {
      // The parser writes this text: a test sees that it can be read.
      return []
    }
    return names
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

  /// Reads the description of an argument. Returns its names if it is an option with a value, else none.
  fileprivate mutating func optionWithValue() throws(ArtError) -> [String] {
    var (kind, names) = ("", [String]())
    try object { (key, reader) throws(ArtError) in
      switch key {
      case "kind": kind = try reader.string()
      case "names": try reader.array { (reader) throws(ArtError) in names.append(try reader.optionName()) }
      default: try reader.skip()
      }
    }
    return kind == "option" ? names : []
  }

  /// Reads `{"kind":"long","name":"at"}`.
  private mutating func optionName() throws(ArtError) -> String {
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
