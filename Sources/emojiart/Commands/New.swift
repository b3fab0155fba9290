// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import ArtModel
import ArtWorkspace

struct New: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "new",
    abstract: "Create a document.",
    usage: "emojiart new <doc> [--canvas <widthxheight>] [--background <source>]",
    discussion: """
      Prints its path. An existing file is never replaced. With --background (a URL, a path, or - for stdin) the \
      canvas takes the picture's size, unless --canvas is given. If the picture is refused, no document is created.

      Examples:
        emojiart new bees
        emojiart new posters/spring --canvas 2048x1536
        emojiart new worksheet --canvas a4
        emojiart new meadow --background https://example.org/meadow.jpg
      """)

  @Argument(help: "The document.", completion: .directory) var doc: String
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "Its size in pixels (default: 1024x768, or the picture's), or one of \(Canvas.named.map(\.name).joined(separator: ", ")).",
      valueName: "widthxheight"),
    completion: .list(Canvas.named.map(\.name))
  )
  var canvas: String?
  @Option(
    parsing: .unconditional, help: ArgumentHelp("The picture behind the emoji.", valueName: "source"),
    completion: .file())
  var background: String?
  @OptionGroup var common: CommonOptions

  func run() throws {
    let canvas = try canvas.map { (typed) throws(ArtError) in try Canvas(typed: typed) }
    let file = try common.newFile(doc)
    if let background {
      try NewWithBackground(file: file, canvas: canvas, isJSON: common.json).run(background)
    } else {
      try Documents(by: .ofCommand).create(file, canvas: canvas)
      Output.addToErrors("the document itself is there")
      if common.json {
        try Output.json(.object(["path": .string(file.path), "revision": .integer(0)]))
      } else {
        try Output.line(safe(file.path))
      }
    }
  }
}
