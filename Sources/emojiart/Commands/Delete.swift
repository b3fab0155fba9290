// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import ArtModel
import ArtWorkspace
import Glibc

struct Delete: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "delete",
    abstract: "Move a document to the trash, or back.",
    usage: "emojiart delete <doc> [--undo]",
    discussion: """
      The document goes to the trash that file managers show, with its history. --undo brings back the one that was deleted \
      last from that path. Emoji of a document are removed by `emojiart remove`.

      Examples:
        emojiart delete bees
        emojiart delete bees --undo
      """)

  @Argument(help: "The document.", completion: .custom(Completion.documents)) var doc: String
  @Argument(help: .hidden) var more: [String] = []
  @Flag(help: "Bring the document back from the trash.") var undo = false
  @OptionGroup var common: CommonOptions

  func run() throws {
    try checkMore()
    let file = try common.file(doc)
    let documents = Documents(by: try .ofCommand)
    guard undo else {
      let trashed = try documents.delete(file)
      Output.addToErrors("the document is in the trash")
      guard !common.json else {
        return try Output.json(
          .object(["deleted": .string(file.path), "trash": .string(trashed.path)]))
      }
      let word = ArtError.Remedy.documentWord(file.path)
      return try Output.line(
        safe("\(file.path) is in the trash; `emojiart delete \(word) --undo` brings it back"))
    }
    let trashed = try Trash().newest(from: file.path)
    do throws(ArtError) {
      try documents.undelete(trashed)
    } catch {
      guard error.code == .exists else { throw error }
      let word = ArtError.Remedy.shellWord(DocumentName.withoutEnding(file.path))
      throw ArtError(
        .exists, "\(error.cause); rename that one first: `emojiart rename \(word) NAME`",
        about: error.subject)
    }
    Output.addToErrors("the document is back")
    try Output.path(file.path, as: "restored", isJSON: common.json)
  }

  /// Throws `usage` for more than one word, with what was probably meant.
  private func checkMore() throws(ArtError) {
    guard let other = more.first else { return }
    if !other.isEmpty, access(try common.file(other).path, F_OK) == 0 {
      throw ArtError(
        .usage, "delete moves one document at a time to the trash; nothing is deleted, give one of them")
    }
    let words = ([doc] + more).map { ArtError.Remedy.shellWord($0) }.joined(separator: " ")
    throw ArtError(
      .usage, "delete moves one whole document to the trash; `emojiart remove \(words)` removes emoji")
  }
}

extension Output {
  /// Prints the path of a document, or `{"path":"bees.emojiart"}` with that key.
  static func path(_ path: String, as key: String = "path", isJSON: Bool) throws(ArtError) {
    if isJSON { try json(.object([key: .string(path)])) } else { try line(safe(path)) }
  }
}
