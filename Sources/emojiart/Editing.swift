// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import ArtModel
import ArtStore

/// A command about one document that a stream knows, too: there its first word stands for itself.
protocol EditCommand: ParsableCommand {
  var options: EditOptions { get }
}

/// A command that does one action.
protocol ActionCommand: EditCommand {
  var doc: String { get }
  /// What its words ask for. Throws `usage`, `badValue`, `badText`.
  func action() throws(ArtError) -> Action
  /// What it prints of an emoji that it was about.
  func line(_ emoji: Emoji) -> String
}

extension ActionCommand {
  func run() throws { try options.write(options.perform(action(), on: doc), line: line) }
}

extension EditOptions {
  /// Does an action on a document: one command, one edit.
  func perform(_ action: Action, on document: String) throws(ArtError) -> PerformedAction {
    var author = try thisAuthor()
    let time = millisecondsSince1970()
    let revision = try expectedRevision()
    return try fileToEdit(document).perform(action, by: &author, at: time, expecting: revision)
  }

  /// The file of a document, which then has the edits of programs that were killed.
  func fileToEdit(_ document: String) throws(ArtError) -> DocumentFile {
    let file = try common.file(document)
    try Restoring.restoreFirst(file)
    return file
  }

  /// Writes a line for each emoji, or all as JSON.
  func write(_ result: PerformedAction, line: (Emoji) -> String) throws(ArtError) {
    Output.tell(of: "the edit itself is saved")
    guard common.json else {
      for emoji in result.emojis { try Output.line(line(emoji)) }
      return
    }
    var writer = JSONWriter(urls: .shown)
    writer.object {
      $0.key("emojis")
      $0.array { for emoji in result.emojis { emoji.write(to: &$0) } }
      $0.key("revision")
      $0.integer(result.revision)
    }
    try Output.line(writer.text)
  }
}
