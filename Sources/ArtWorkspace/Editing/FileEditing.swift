// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import ArtModel
import ArtStore

/// A command that goes along the log.
protocol StepCommand: EditCommand {
  var doc: String { get }
  var direction: UndoDirection { get }
  var count: String { get }
}

extension StepCommand {
  func run() throws { try options.step(direction, steps(), on: doc) }

  /// How many steps its words ask for. Throws `badValue`.
  func steps() throws(ArtError) -> Int {
    guard let count = Int(count), (1...1_000).contains(count) else {
      throw ArtError(.badValue, "\(shown(count)) is no count; give a number from 1 to 1,000")
    }
    return count
  }
}

/// What a number of steps did.
private struct StepResult {
  var titles: [String] = []
  var left = 0
  /// What is to be told of backgrounds whose bytes are not kept any more.
  var lost: [String] = []
  var revision = 0
}

extension EditOptions {
  /// Goes a number of steps along the log in one save; each step is an edit of its own.
  func step(_ direction: UndoDirection, _ count: Int, on document: String) throws(ArtError) {
    var author = try thisAuthor()
    let revision = try expectedRevision()
    let result = try fileToEdit(document).edit(expecting: revision) {
      (transaction) throws(ArtError) in
      try Self.go(direction, count, on: transaction, by: &author)
    }
    Output.tell(of: "the \(direction.rawValue) itself is saved")
    for note in direction.notes(done: result.titles.count, of: count, left: result.left) + result.lost {
      Output.complain(note)
    }
    guard !common.json else {
      let done = JSON.array(result.titles.map(JSON.string))
      return try Output.json(.object(["done": done, "revision": .integer(result.revision)]))
    }
    for title in result.titles { try Output.line(safe(title)) }
  }

  private static func go(
    _ direction: UndoDirection, _ count: Int, on transaction: DocumentTransaction, by author: inout Author
  ) throws(ArtError) -> StepResult {
    var result = StepResult()
    let time = millisecondsSince1970()
    var steps = try UndoSteps(direction, in: transaction)
    while result.titles.count < count, let plan = try steps.next(in: transaction) {
      let done = try transaction.perform(plan, stamp: author.stamp(at: time))
      steps.performed(done.entry)
      result.left += done.left
      result.lost += done.lost.map { $0.lossWords(pending: transaction.pending) }
      result.titles.append(done.entry.title)
    }
    guard !result.titles.isEmpty else { throw .nothingTo(direction.rawValue) }
    result.revision = transaction.revision
    return result
  }
}

extension UndoDirection {
  /// What a person should know of steps that were done.
  func notes(done: Int, of count: Int, left: Int) -> [String] {
    var notes: [String] = []
    if left > 0 {
      let changes = left == 1 ? "1 change stays as it is" : "\(left) changes stay as they are"
      notes.append("\(changes): later edits were about the same")
    }
    if done < count { notes.append("only \(done) of \(count): nothing more to \(rawValue)") }
    return notes
  }
}
