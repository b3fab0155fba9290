// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import ArtModel
import ArtStore

struct Emojiart: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "emojiart",
    abstract: "Make, edit and look at emoji art documents.",
    discussion: """
      A document is a picture's size, a background and emoji, each at a place and in a size; it is one file, \
      NAME.emojiart. Every edit is kept when its command ends, and can be undone.

      DOC is a path, or a name in the folder: --folder, else EMOJIART_FOLDER, else the current one. REF names an \
      emoji: its id or the beginning of it, the emoji itself or its :name: where only one such is there, 🐝:2 for \
      the second from below, or @last for the one that came in last.

      Examples:
        emojiart new bees --canvas 800x600
        emojiart add bees 🐝 🌸 --at 50%,50% --size 64
        emojiart move bees 🐝 --by -40,0
        emojiart show bees
        emojiart undo bees

      Exit status: 0 done, 64 usage, 65 bad data or value, 66 no such document, emoji or background, 69 something outside \
      cannot be reached, 73 exists already, 74 reading or writing failed, 75 busy or moved on: try again, \
      77 not permitted.
      """,
    version: "\(Version.current) (SQLite \(SQLiteLibrary.version))",
    subcommands: [
      New.self, Add.self, Move.self, Resize.self, Remove.self, Order.self, SetBackground.self, Undo.self,
      Redo.self, Find.self, PaletteCommand.self, Show.self, Render.self, List.self, GalleryCommand.self,
      Import.self, Export.self, History.self, Check.self, Edit.self, Watch.self, Warnings.self, Restore.self,
    ])

  static var commandNames: [String] {
    configuration.subcommands.compactMap { $0.configuration.commandName } + ["help"]
  }
}
