// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import ArtModel
@testable import ArtStore

/// Another document is copied over one that is being saved, as `cp` does: into the open file, without a lock.
@Suite struct CopiedOverTests {
  @Test(
    "F16 an edit of a file that another document is copied over is made in that document, and the two are not mixed"
  )
  func copiedOver() throws {
    let folder = try Workspace()
    let file = try folder.document()
    try file.fill(emojis: 400, edits: 2, seed: 3)
    let other = try folder.document("other.emojiart", seed: 2)
    try other.fill(emojis: 500, edits: 2, seed: 4)
    let (stranger, before) = (try bytes(other.path), try other.read())
    var maker = try EditMaker(seed: 5)
    let (added, stamp) = (try maker.emoji(), maker.stamp())
    var runs = 0
    try file.edit { (transaction: DocumentTransaction) throws(ArtError) in
      _ = try transaction.perform(Edit(name: "add", changes: [.add(added)]), stamp: stamp)
      runs += 1
      guard runs == 1 else { return }
      // The body ends before anything is written.
      do { try write(stranger, to: file.path) } catch { throw .busy("the other document") }
    }
    #expect(runs == 2)
    let after = try file.read()
    #expect(after.id == before.id && after.revision == before.revision + 1)
    #expect(after.emojisInOrder().filter { $0.id != added.id } == before.emojisInOrder())
    #expect(try file.check().faults == [] && folder.names == ["bees.emojiart", "other.emojiart"])
  }
}
