// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import ArtModel
import ArtWorkspace

struct Copy: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "copy",
    abstract: "Copy a document.",
    usage: "emojiart copy <doc> [<name>]",
    discussion: """
      Prints the path of the copy, which has an id of its own and the same history. Without a name it is called like the \
      document, with `copy` behind. An existing file is never replaced. Emoji are copied by `emojiart duplicate`.

      Examples:
        emojiart copy bees
        emojiart copy bees bees-with-hats
      """)

  @Argument(help: "The document.", completion: .custom(Completion.documents)) var doc: String
  @Argument(help: "The name of the copy, or its path.", completion: .directory) var name: String?
  @OptionGroup var common: CommonOptions

  func run() throws {
    let file = try common.file(doc)
    let documents = Documents(by: try .ofCommand)
    let copy: DocumentFile
    if let name {
      let path = try file.sibling(name)
      guard DocumentName.isValid(path) else { throw ArtError.badDocumentName(name) }
      copy = DocumentFile(DocumentName.withEnding(path), notice: file.notice)
      try documents.duplicate(file, as: copy)
    } else {
      copy = try documents.duplicate(file)
    }
    Output.addToErrors("the copy is there")
    try Output.path(copy.path, isJSON: common.json)
  }
}
