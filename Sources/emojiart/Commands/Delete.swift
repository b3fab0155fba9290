// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import ArtModel
import ArtWorkspace
import Glibc

struct Delete: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "delete",
    abstract: "Move documents to the trash, or back.",
    usage: "emojiart delete <doc> ... [--undo]",
    discussion: """
      A document goes to the trash that file managers show, with its history. --undo brings back the one that was deleted \
      last from that path. If one of several documents is not there, none is deleted. Emoji of a document are removed by \
      `emojiart remove`.

      Examples:
        emojiart delete bees
        emojiart delete sheet-*
        emojiart delete bees --undo
      """)

  @Argument(
    help: ArgumentHelp("A document, or several.", valueName: "doc"),
    completion: .custom(Completion.documents))
  var docs: [String]
  @Flag(help: "Bring the document back from the trash.") var undo = false
  @OptionGroup var common: CommonOptions

  func run() throws {
    let files = try docs.map { (doc) throws(ArtError) in try common.file(doc) }
    let documents = Documents(by: try .ofCommand)
    if undo {
      for file in files { try bringBack(file, documents) }
    } else {
      try check(files)
      for file in files { try delete(file, documents) }
    }
    try Output.flush()
  }

  private func delete(_ file: DocumentFile, _ documents: Documents) throws {
    let trashed = try documents.delete(file)
    Output.addToErrors("what is printed is in the trash")
    if common.json {
      return try Output.json(.object(["deleted": .string(file.path), "trash": .string(trashed.path)]))
    }
    let word = ArtError.Remedy.documentWord(file.path)
    try Output.line(safe("\(file.path) is in the trash; `emojiart delete \(word) --undo` brings it back"))
  }

  private func bringBack(_ file: DocumentFile, _ documents: Documents) throws {
    let trashed = try Trash().newest(from: file.path)
    do throws(ArtError) {
      try documents.undelete(trashed)
    } catch {
      guard error.code == .exists else { throw error }
      let word = ArtError.Remedy.documentWord(file.path)
      throw ArtError(
        .exists, "\(error.cause); rename that one first: `emojiart rename \(word) NAME`",
        about: error.subject)
    }
    Output.addToErrors("what is printed is back")
    try Output.path(file.path, as: "restored", isJSON: common.json)
  }

  /// Throws `usage` for emoji among several words, and `noSuchDocument` for a document that is not there, so that nothing is deleted then.
  private func check(_ files: [DocumentFile]) throws(ArtError) {
    guard files.count > 1 else { return }
    for (doc, file) in zip(docs, files) {
      guard access(file.path, F_OK) != 0 else { continue }
      if doc.contains(where: EmojiText.isEmoji) || doc.hasPrefix(":") {
        let words = docs.map { ArtError.Remedy.shellWord($0) }.joined(separator: " ")
        throw ArtError(
          .usage, "delete moves whole documents to the trash; `emojiart remove \(words)` removes emoji")
      }
      _ = try file.stamp()
    }
  }
}

extension Output {
  /// Prints the path of a document, or `{"path":"bees.emojiart"}` with that key.
  static func path(_ path: String, as key: String = "path", isJSON: Bool) throws(ArtError) {
    if isJSON { try json(.object([key: .string(path)])) } else { try line(safe(path)) }
  }
}
