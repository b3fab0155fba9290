// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import ArtModel
import ArtSystem
import ArtWorkspace

struct Rename: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "rename",
    abstract: "Rename a document, or move it to another folder.",
    usage: "emojiart rename <doc> <name>",
    discussion: """
      Prints the new path. A name without a slash is one in the document's folder. An existing file is never replaced. \
      The history goes with the document, and programs that have it open follow. Emoji are moved by `emojiart move`.

      Examples:
        emojiart rename bees wasps
        emojiart rename bees posters/bees
      """)

  @Argument(help: "The document.", completion: .custom(Completion.documents)) var doc: String
  @Argument(help: "Its new name, or path.", completion: .directory) var name: String
  @OptionGroup var common: CommonOptions

  func run() throws {
    let file = try common.file(doc)
    let moved = try Documents(by: .ofCommand).rename(file, to: file.sibling(name))
    Output.addToErrors("the document is renamed")
    try Output.path(moved.path, isJSON: common.json)
  }
}

extension DocumentFile {
  /// The path of a name in the same folder; a path stays as it is.
  func sibling(_ name: String) throws(ArtError) -> String {
    FilePath(name).hasSlash || name.isEmpty
      ? try TypedPath.inExistingFolder(name) : FilePath(path).prefix + name
  }
}
