// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import ArtModel

struct Import: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "import",
    abstract: "Bring in documents of the EmojiArt apps, or JSON of one's own.",
    usage: """
      emojiart import <file> ... [--as <doc>] [--into <folder>]
               [--recursive] [--offline] [--allow-private]
               [--warn <when> | --suppress-warnings]
      """,
    discussion: """
      Each FILE becomes a new document, whole or not at all; the file itself stays as it is. FILE is a document of an \
      EmojiArt app of Stanford's course CS193p (2017, 2020, 2021 or 2023), JSON that `show --json` or `export` wrote, a \
      folder of these, or - for stdin. What it is is told by its content. Prints what each became, and what was left out \
      or changed. A background that is named by a URL is fetched; when that fails the emoji come in all the same.

      Examples:
        emojiart import old/bees.json
        emojiart import bees.emojiart --as bees2
        emojiart import old --recursive --into new
        jq . bees.json | emojiart import - --as bees
      """)

  @Argument(
    help: ArgumentHelp("Files, or folders of files; - for stdin.", valueName: "file"), completion: .file())
  var files: [String]
  @Option(
    name: .customLong("as"), parsing: .unconditional,
    help: ArgumentHelp("What the document is called, of one FILE.", valueName: "doc"), completion: .directory)
  var name: String?
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("The folder for the documents; made where it is missing.", valueName: "folder"),
    completion: .directory)
  var into: String?
  @Flag(help: "The folders in folders, too; the documents keep them.") var recursive = false
  @Flag(help: "Fetch no background; it is fetched when somebody asks.") var offline = false
  @Flag(help: "Fetch from addresses of this machine and its network, too.") var allowPrivate = false
  @OptionGroup var warnings: WarningOptions
  @OptionGroup var common: CommonOptions

  func run() throws {
    let settings = try ImportSettings(self)
    var importing = Importing(settings, try settings.list())
    try importing.run()
    try Output.flush()
    if importing.status != .done { throw ExitCode(importing.status.rawValue) }
  }
}
