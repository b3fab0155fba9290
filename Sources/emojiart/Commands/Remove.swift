// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import ArtModel

struct Remove: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "remove",
    abstract: "Remove emoji.",
    usage: "emojiart remove <doc> (<ref> ... | --all)",
    discussion: """
      Prints a line each: id and emoji. `emojiart undo` brings them back.

      Examples:
        emojiart remove bees 🐝
        emojiart remove bees --all
      """)

  @Argument(help: "The document.", completion: .custom(Completion.documents)) var doc: String
  @OptionGroup var which: SelectionArguments
  @OptionGroup var options: EditOptions

  func run() throws {
    try options.write(options.perform(.remove(which.selection()), on: doc)) {
      "\($0.id) \(safe($0.text.string))"
    }
  }
}
