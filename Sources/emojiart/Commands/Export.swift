// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import ArtModel
import ArtWorkspace

struct Export: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "export",
    abstract: "Write a document as JSON, or as the EmojiArt apps read it.",
    usage: """
      emojiart export <doc> --format <format> [-o <file>]
               [--strict] [--at <rev|name>]
      """,
    discussion: """
      FORMAT is json, which contains all of the document but its history, or the format of an EmojiArt app of Stanford's \
      course CS193p: emojiart-2017, emojiart-2020, emojiart-2021a, emojiart-2021b or emojiart-2023. A report lists what \
      the format cannot hold; with --strict nothing is written then. FILE appears whole or not at all, and replaces an \
      existing file in one of these formats. Without FILE the document is written to stdout and the report to stderr.

      Examples:
        emojiart export bees --format json -o bees.json
        emojiart export bees --format emojiart-2021b --strict -o bees.json
        emojiart export bees --format emojiart-2023 | jq '.emojis | length'
      """)

  @Argument(help: "The document.", completion: .custom(Completion.documents)) var doc: String
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("The format that is written.", valueName: "format"),
    completion: .list(Dialect.allCases.map(\.rawValue)))
  var format: String
  @Option(
    name: [.customShort("o"), .long], parsing: .unconditional,
    help: ArgumentHelp("The file that is written, or - for stdout.", valueName: "file"),
    completion: .file(extensions: ["json"]))
  var output: String?
  @Flag(help: "Write nothing if the format cannot hold everything.") var strict = false
  @OptionGroup var state: StateOptions
  @OptionGroup var common: CommonOptions

  func run() throws {
    let exporting = try Exporting(self)
    let status = try exporting.run()
    try Output.flush()
    if status != .done { throw ExitCode(status.rawValue) }
  }
}
