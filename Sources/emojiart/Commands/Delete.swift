// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import ArtModel
import ArtSystem
import ArtWorkspace
import Glibc

struct Delete: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "delete",
    abstract: "Move documents to the trash, or back.",
    usage: "emojiart delete <doc> ... [--undo]",
    discussion: """
      A document goes to the trash that file managers show, with its history. --undo brings back the one that was deleted \
      last from that path. If one of several is not there, or is no document, none is deleted. Emoji of a document are removed by \
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
    let documents = Documents(by: try .ofCommand)
    var results: [JSON] = []
    do {
      if undo {
        for doc in docs { try bringBack(doc, documents, &results) }
      } else {
        for file in try checked() { try delete(file, documents, &results) }
      }
    } catch  where common.json && !results.isEmpty {
      try Output.json(.array(results))
      throw error
    }
    if common.json { try Output.json(.array(results)) }
    try Output.flush()
  }

  private func delete(_ file: DocumentFile, _ documents: Documents, _ results: inout [JSON]) throws {
    let trashed = try documents.delete(file)
    Output.addToErrors("what is printed is in the trash")
    guard !common.json else {
      return results.append(.object(["deleted": .string(file.path), "trash": .string(trashed.path)]))
    }
    let word = ArtError.Remedy.documentWord(file.path)
    try Output.line(safe("\(file.path) is in the trash; `emojiart delete \(word) --undo` brings it back"))
  }

  private func bringBack(_ doc: String, _ documents: Documents, _ results: inout [JSON]) throws {
    let (trashed, path) = try newest(doc)
    do throws(ArtError) {
      try documents.undelete(trashed, notice: common.file(doc).notice)
    } catch {
      guard error.code == .exists else { throw error }
      let word = ArtError.Remedy.documentWord(path)
      throw ArtError(
        .exists, "\(error.cause); rename that one first: `emojiart rename \(word) NAME`",
        about: error.subject)
    }
    Output.addToErrors("what is printed is back")
    guard !common.json else { return results.append(.object(["restored": .string(path)])) }
    try Output.path(path, isJSON: false)
  }

  /// The document that was deleted last from that path, or, since a document may have another ending than ours, from the path as it was typed.
  private func newest(_ doc: String) throws(ArtError) -> (document: TrashedDocument, path: String) {
    let typed = try CommonOptions.path(doc) { () throws(ArtError) in try common.currentFolder() }
    let path = DocumentName.withEnding(typed)
    do throws(ArtError) { return try newest(from: path) } catch {
      guard error.code == .noSuchDocument, !DocumentName.hasEnding(typed) else { throw error }
      let missing = error
      do throws(ArtError) { return try newest(from: typed) } catch {
        // The message has the name with the ending.
        throw error.code == .noSuchDocument ? missing : error
      }
    }
  }

  private func newest(from path: String) throws(ArtError) -> (document: TrashedDocument, path: String) {
    let document = try Trash().newest(from: path)
    return (document, FilePath(path).prefix + FilePath(document.original).name)
  }

  /// The documents, each once, after a look at all of them: an error keeps every document in its place. Throws `usage` for emoji among
  /// several words; for a file that is no document, what reading it throws.
  private func checked() throws(ArtError) -> [DocumentFile] {
    var files: [DocumentFile] = []
    for doc in docs {
      let file = try common.file(doc)
      if access(file.path, F_OK) != 0, docs.count > 1,
        doc.contains(where: EmojiText.isEmoji) || doc.hasPrefix(":")
      {
        let words = docs.map { ArtError.Remedy.shellWord($0) }.joined(separator: " ")
        throw ArtError(
          .usage, "delete moves whole documents to the trash; `emojiart remove \(words)` removes emoji")
      }
      try file.checkNoLink()
      _ = try file.stamp()
      // A damaged document may be deleted. Something else that a pattern has found may not, such as a file that is larger than any document.
      do throws(ArtError) {
        _ = try file.summary()
      } catch {
        let mayBeDocument = !FileStatus.isFolder(at: file.path) && DocumentName.hasEnding(file.path)
        guard mayBeDocument, error.code != .tooLarge else { throw error }
      }
      if !files.contains(where: { FileStatus.isSameFile($0.path, file.path) }) { files.append(file) }
    }
    return files
  }
}

extension Output {
  /// Prints the path of a document, or `{"path":"bees.emojiart"}`.
  static func path(_ path: String, isJSON: Bool) throws(ArtError) {
    if isJSON { try json(.object(["path": .string(path)])) } else { try line(safe(path)) }
  }
}
