// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtStore

/// What a number of steps did.
private struct StepResult {
  var titles: [String] = []
  var left = 0
  var revision = 0
}

extension EditOptions {
  /// Goes a number of steps along the log in one save; each step is an edit of its own.
  func step(_ direction: UndoDirection, _ typed: String, on document: String) throws(ArtError) {
    guard let count = Int(typed), (1...1_000).contains(count) else {
      throw ArtError(.badValue, "\(shown(typed)) is no count; give a number from 1 to 1,000")
    }
    let author = try thisAuthor()
    let revision = try expectedRevision()
    let result = try fileToEdit(document).edit(expecting: revision) {
      (transaction) throws(ArtError) in
      try Self.go(direction, count, on: transaction, by: author)
    }
    Output.tell(of: "the \(direction.rawValue) itself is saved")
    if result.left > 0 {
      let changes = result.left == 1 ? "1 change stays as it is" : "\(result.left) changes stay as they are"
      Output.complain("\(changes): later edits were about the same")
    }
    if result.titles.count < count {
      Output.complain("only \(result.titles.count) of \(count): nothing more to \(direction.rawValue)")
    }
    guard !common.json else {
      let done = JSON.array(result.titles.map(JSON.string))
      return try Output.json(.object(["done": done, "revision": .integer(result.revision)]))
    }
    for title in result.titles { try Output.line(safe(title)) }
  }

  private static func go(
    _ direction: UndoDirection, _ count: Int, on transaction: DocumentTransaction, by author: Author
  ) throws(ArtError) -> StepResult {
    var author = author
    var result = StepResult()
    let time = millisecondsSince1970()
    var steps = try UndoSteps(direction, in: transaction)
    while result.titles.count < count, let plan = try steps.next(in: transaction) {
      let done = try transaction.perform(plan, stamp: author.stamp(at: time))
      steps.performed(done.entry)
      result.left += done.left
      result.titles.append(done.entry.title)
    }
    guard !result.titles.isEmpty else { throw .nothingTo(direction.rawValue) }
    result.revision = transaction.revision
    return result
  }
}
