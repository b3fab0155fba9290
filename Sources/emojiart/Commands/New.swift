// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import ArtModel
import ArtStore

struct New: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "new",
    abstract: "Create a document.",
    usage: "emojiart new <doc> [--canvas <widthxheight>]",
    discussion: """
      Prints its path. An existing file is never replaced.

      Examples:
        emojiart new bees
        emojiart new posters/spring --canvas 2048x1536
      """)

  @Argument(help: "The document.", completion: .directory) var doc: String
  @Option(parsing: .unconditional, help: ArgumentHelp("Its size in pixels.", valueName: "widthxheight"))
  var canvas: String = "1024x768"
  @OptionGroup var common: CommonOptions

  func run() throws {
    let canvas = try Canvas(typed: canvas)
    let name = PathParts(doc).name
    guard !doc.hasSuffix("/"), !["", ".", "..", ".emojiart"].contains(name),
      !name.unicodeScalars.contains(where: \.isUnsafeOnTerminal)
    else { throw ArtError(.badValue, "\"\(doc)\" is no name for a document; give a plain one, such as bees") }
    var random = SystemRandomNumberGenerator()
    let path = name.hasSuffix(".emojiart") ? doc : doc + ".emojiart"
    let file = try common.file(path)
    _ = try file.create(canvas: canvas, using: &random)
    Output.tell(of: "the document itself is there")
    if common.json {
      try Output.json(.object(["path": .string(file.path), "revision": .integer(0)]))
    } else {
      try Output.line(safe(file.path))
    }
  }
}
