// SPDX-License-Identifier: Apache-2.0

import ArtModel

/// What an action did to a document's file.
public struct PerformedAction: Sendable {
  /// The emoji that it was about, as they are now; removed ones as they were.
  public let emojis: [Emoji]
  /// The document's revision with it.
  public let revision: Int
}

extension DocumentFile {
  /// Does an action as one durable edit. Where the file is replaced while it is saved, the action is made again in the file that
  /// stands there then: as another edit, with the author's next number, for the first file may come back; its new emoji have the same
  /// ids. Throws what `edit` and planning throw.
  public func perform(
    _ action: Action, by author: inout Author, at time: Int, expecting revision: Int? = nil,
    using generator: some RandomNumberGenerator = SystemRandomNumberGenerator()
  ) throws(ArtError) -> PerformedAction {
    try perform(action, by: &author, at: time, expecting: revision, using: generator) {}
  }

  /// The same; `made` is called each time when the action is made and not committed yet.
  func perform(
    _ action: Action, by author: inout Author, at time: Int, expecting revision: Int?,
    using generator: some RandomNumberGenerator, made: () -> Void
  ) throws(ArtError) -> PerformedAction {
    var random = ReplayedGenerator(generator)
    return try edit(expecting: revision) { (transaction) throws(ArtError) in
      random.restart()
      let plan = try action.plan(on: transaction, using: &random)
      _ = try transaction.perform(plan.edit, stamp: author.stamp(at: time))
      var emojis: [Emoji] = []
      emojis.reserveCapacity(plan.subjects.count)
      for subject in plan.subjects { emojis.append(try transaction.emoji(subject.id) ?? subject) }
      made()
      return PerformedAction(emojis: emojis, revision: transaction.revision)
    }
  }
}
