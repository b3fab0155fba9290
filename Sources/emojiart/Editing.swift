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

/// What an editing command did.
struct EditResult {
  /// The emoji that it was about, as they are now; removed ones as they were.
  var emojis: [Emoji]
  var revision: Int
}

extension EditOptions {
  /// Does an action on a document: one command, one edit.
  func perform(_ action: Action, on document: String) throws(ArtError) -> EditResult {
    var author = try thisAuthor()
    let stamp = author.stamp(at: millisecondsSince1970())
    let revision = try expectedRevision()
    return try fileToEdit(document).edit(expecting: revision) { (transaction) throws(ArtError) in
      var random = SystemRandomNumberGenerator()
      let plan = try action.plan(on: transaction, using: &random)
      _ = try transaction.perform(plan.edit, stamp: stamp)
      var emojis: [Emoji] = []
      emojis.reserveCapacity(plan.subjects.count)
      for subject in plan.subjects { emojis.append(try transaction.emoji(subject.id) ?? subject) }
      return EditResult(emojis: emojis, revision: transaction.revision)
    }
  }

  /// The file of a document, which then has the edits of programs that were killed.
  func fileToEdit(_ document: String) throws(ArtError) -> DocumentFile {
    let file = try common.file(document)
    try Restoring.restoreFirst(file)
    return file
  }

  /// Writes a line for each emoji, or all as JSON.
  func write(_ result: EditResult, line: (Emoji) -> String) throws(ArtError) {
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
