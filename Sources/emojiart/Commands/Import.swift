// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import ArtModel

struct Import: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "import",
    abstract: "Import documents of the EmojiArt apps, or JSON.",
    usage: """
      emojiart import <file> ... [--as <doc>] [--into <folder>]
               [--recursive] [--strict] [--skip-existing]
               [--offline] [--allow-private]
               [--warn <when> | --suppress-warnings]
      """,
    discussion: """
      Each FILE becomes a new document, whole or not at all; the file itself stays as it is. FILE is a document of an \
      EmojiArt app of Stanford's course CS193p (2017, 2020, 2021 or 2023), JSON that `show --json` or `export` wrote, a \
      folder of these, or - for stdin. Its format is recognised by its content. Prints each document, and what was left \
      out or changed; where all emoji would be left out, no document is made. A background that is given by a URL is fetched; if that fails, the emoji are imported without it.

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
    help: ArgumentHelp("The name of the document, if there is one FILE.", valueName: "doc"),
    completion: .directory)
  var name: String?
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("The folder for the documents; it is created if it is missing.", valueName: "folder"),
    completion: .directory)
  var into: String?
  @Flag(help: "Import subfolders, too, into subfolders of the same names.") var recursive = false
  @Flag(help: "Import nothing of a file of which something must be left out.") var strict = false
  @Flag(help: "Pass over files whose documents are there already.") var skipExisting = false
  @Flag(help: "Fetch no background; it stays pending until you fetch it.") var offline = false
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
