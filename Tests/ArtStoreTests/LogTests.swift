// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import ArtModel
@testable import ArtStore

@Suite struct LogTests {
  @Test(
    "F2 after every edit the sums, the digest and SQLite's check hold, and the file equals the content in memory"
  )
  func digestIsKeptUp() throws {
    let folder = try Workspace()
    for seed in UInt64(1)...5 {
      let file = try folder.document("log\(seed).emojiart", seed: seed)
      var maker = try EditMaker(seed: seed, name: seed == 2 ? "Ada" : nil)
      var memory = try file.read()
      for _ in 0..<40 {
        let stamp = maker.stamp()
        let step = maker.random.below(6)
        let edit = try maker.edit(on: memory)
        let before = memory
        var copy = memory
        try file.edit { (transaction: DocumentTransaction) throws(ArtError) in
          if step == 0, let plan = try UndoPlan.undo(in: transaction) {
            let entry = try transaction.perform(plan, stamp: stamp).entry
            _ = try copy.apply(plan.changes)
            copy.append(entry)
          } else if step == 1, let plan = try UndoPlan.redo(in: transaction) {
            let entry = try transaction.perform(plan, stamp: stamp).entry
            _ = try copy.apply(plan.changes)
            copy.append(entry)
          } else if let entry = try transaction.perform(edit, stamp: stamp) {
            _ = try copy.apply(edit.changes)
            copy.append(entry)
          }
        }
        memory = copy
        let found = try file.read()
        try #require(found == memory, "seed \(seed), revision \(before.revision)")
        #expect(try file.check().faults.isEmpty)
      }
    }
  }

  @Test("F3 the log keeps the newest 1,000 edits, and edits leave it in blocks of 64 revisions")
  func countOfEdits() throws {
    let folder = try Workspace()
    let file = try folder.document()
    let id = try file.add(seed: 3)
    var maker = try EditMaker(seed: 4)
    var stamps: [EditStamp] = []
    for _ in 0..<1_100 { stamps.append(maker.stamp()) }
    // One save of many edits, then one of a single edit: both cut the log.
    for stamps in [stamps.dropLast(), stamps.suffix(1)] {
      try file.edit { (transaction: DocumentTransaction) throws(ArtError) in
        for stamp in stamps {
          let x = Double(stamp.id.sequence)
          let edit = Edit(name: "move 🐝", changes: [.move(id, to: try Point(x: x, y: 0))])
          _ = try transaction.perform(edit, stamp: stamp)
        }
      }
    }
    let log = try file.read().log
    #expect(log.count == 1_038)
    #expect(log.first?.revision == 64 && log.last?.revision == 1_101)
    #expect(log.last?.save == 1_101 && log.first?.save == 2)
  }

  @Test("F3 the log keeps at most 8 MiB, and the newest edit whatever its size")
  func bytesOfEdits() throws {
    let folder = try Workspace()
    let file = try folder.document()
    var maker = try EditMaker(seed: 5)
    let small = maker.stamp()
    let large = maker.stamp()
    let last = maker.stamp()
    let name = String(repeating: "x", count: 9 << 20)
    try file.edit { (transaction: DocumentTransaction) throws(ArtError) in
      let edit = Edit(name: "canvas", changes: [.setCanvas(try Canvas(width: 2, height: 2))])
      _ = try transaction.perform(edit, stamp: small)
    }
    try file.edit { (transaction: DocumentTransaction) throws(ArtError) in
      let edit = Edit(name: name, changes: [.setCanvas(try Canvas(width: 3, height: 3))])
      _ = try transaction.perform(edit, stamp: large)
    }
    #expect(try file.read().log.map(\.revision) == [2])
    try file.edit { (transaction: DocumentTransaction) throws(ArtError) in
      let edit = Edit(name: "canvas", changes: [.setCanvas(try Canvas(width: 4, height: 4))])
      _ = try transaction.perform(edit, stamp: last)
    }
    #expect(try file.read().log.map(\.revision) == [3])
    #expect(try file.check().faults.isEmpty)
  }

  @Test("F2 the digest stays right for rows whose JSON another program formatted differently")
  func otherSpelling() throws {
    let folder = try Workspace()
    let file = try folder.document()
    let id = try file.add(seed: 6)
    try file.edit { (transaction: DocumentTransaction) throws(ArtError) in
      // A row with a matching sum whose JSON is not formatted as this program does.
      guard let old = try transaction.row(id) else { throw .noSuchEmoji("\(id)") }
      let fields = #" {"x":1.50e1, "y":-0, "text":"\ud83d\udc1d", "size":4.0e1} "#
      var sum = RowSum("emoji")
      sum.text(id.description)
      sum.integer(old.emoji.z)
      sum.text(fields)
      try transaction.statement("UPDATE emoji SET json = ?2, sum = ?3 WHERE id = ?1")
        .run(.text(id.description), .text(fields), .integer(sum.value))
      transaction.art.digest.remove(old.sum)
      transaction.art.digest.add(sum.value)
    }
    #expect(try file.read().emoji(id)?.position == Point(x: 15, y: 0))
    var maker = try EditMaker(seed: 7)
    for change in [Change.move(id, to: try Point(x: 1, y: 1)), .remove(id)] {
      let stamp = maker.stamp()
      try file.edit { (transaction: DocumentTransaction) throws(ArtError) in
        _ = try transaction.perform(Edit(name: "e", changes: [change]), stamp: stamp)
      }
      #expect(try file.check().faults.isEmpty)
    }
  }

  @Test("F4 a document whose revision cannot be counted further refuses an edit")
  func lastRevision() throws {
    let folder = try Workspace()
    let file = try folder.document()
    try file.edit { (transaction: DocumentTransaction) throws(ArtError) in
      transaction.art.revision = Format.largestNumber
    }
    #expect(failure { try file.add(seed: 1) }?.code == .tooLarge)
    #expect(try file.summary().revision == Format.largestNumber)
  }
}

extension LogTests {
  @Test("F7 an undo on a log whose newest rows are lost is refused")
  func lostNewest() throws {
    let folder = try Workspace()
    let file = try folder.document()
    for seed in UInt64(1)...4 { try file.add(seed: seed) }
    for sql in ["DELETE FROM edit WHERE revision = 4", "DELETE FROM edit"] {
      try shell(file.path, sql)
      var maker = try EditMaker(seed: 9)
      let stamp = maker.stamp()
      let error = failure {
        try file.edit { (transaction: DocumentTransaction) throws(ArtError) in
          if let plan = try UndoPlan.undo(in: transaction) { _ = try transaction.perform(plan, stamp: stamp) }
        }
      }
      #expect(error?.code == .damaged, "\(sql)")
    }
  }
}
