// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@testable import ArtModel
@testable import ArtStore

/// What an edit reads and relies on, and how it is made again in another file.
@Suite struct EditOnceTests {
  @Test(
    "F16 an edit that is made again in another file has the next number, and gives its emoji the same ids")
  func madeAgain() throws {
    let folder = try Workspace()
    let file = try folder.document()
    let other = try folder.document("other.emojiart", seed: 2)
    try other.fill(emojis: 3, edits: 0, seed: 2)
    var random = SplitMix64(seed: 7)
    var author = try Author(origin: Origin(using: &random), name: nil)
    let texts = [try EmojiText("🐝"), try EmojiText("🌸")]
    let action = Action.add(texts, at: .point(x: 10, y: 20), size: .standard)
    let old = folder["old.emojiart"]
    var runs = 0
    let result = try file.perform(
      action, by: &author, at: 5, expecting: nil, using: SystemRandomNumberGenerator(),
      beforeCommit: {
        runs += 1
        guard runs == 1 else { return }
        // As a program does that saves by renaming and keeps a backup.
        link(file.path, old)
        rename(other.path, file.path)
      })
    #expect(runs == 2)
    let ids = result.emojis.map(\.id)
    let (first, second) = (try DocumentFile(old).read(), try file.read())
    #expect(ids.count == 2 && ids.allSatisfy { first.emoji($0) != nil && second.emoji($0) != nil })
    #expect(first.emojiCount == 2 && second.emojiCount == 5)
    #expect(first.head == EditID(origin: author.origin, sequence: 1))
    #expect(second.head == EditID(origin: author.origin, sequence: 2))
  }

  @Test("F16 an edit whose file is replaced before its first write is made in the new file")
  func replacedEarly() throws {
    let folder = try Workspace()
    let file = try folder.document()
    let other = try folder.document("other.emojiart", seed: 2)
    var maker = try EditMaker(seed: 3)
    let (edit, stamp) = (Edit(name: "add", changes: [.add(try maker.emoji())]), maker.stamp())
    var runs = 0
    try file.edit { (transaction: DocumentTransaction) throws(ArtError) in
      runs += 1
      if runs == 1 { rename(other.path, file.path) }
      _ = try transaction.perform(edit, stamp: stamp)
    }
    #expect(try runs == 2 && file.read().emojiCount == 1)
  }

  @Test("F8 an edit that uses the z-order refuses an index that contradicts the rows")
  func damagedIndex() throws {
    let folder = try Workspace()
    let file = try folder.document()
    try file.fill(emojis: 12, edits: 0, seed: 3)
    let whole = try bytes(file.path)
    let all = try file.read().emojisInOrder()
    let root =
      Int(try shell(file.path, "SELECT rootpage FROM sqlite_schema WHERE name = 'emoji_z'").dropLast()) ?? 0
    let page = (root - 1) * Format.pageSize
    let count = Int(whole[page + 3]) << 8 | Int(whole[page + 4])
    try #require(whole[page] == 0x0A && count == 12)
    /// The index with two of its entries exchanged.
    func swapping(_ one: Int, _ other: Int) -> [UInt8] {
      var file = whole
      for byte in 0..<2 { file.swapAt(page + 8 + 2 * one + byte, page + 8 + 2 * other + byte) }
      return file
    }
    try write(swapping(10, 11), to: file.path)
    #expect(
      failure { try file.edit { (t: DocumentTransaction) throws(ArtError) in try t.top() } }?.code == .damaged
    )
    try write(swapping(0, 1), to: file.path)
    #expect(
      failure { try file.edit { (t: DocumentTransaction) throws(ArtError) in try t.bottom() } }?.code
        == .damaged)
    try write(swapping(5, 6), to: file.path)
    #expect(
      failure { try file.edit { (t: DocumentTransaction) throws(ArtError) in try t.next(above: all[4]) } }?
        .code
        == .damaged)
    // Reading does not depend on the index, and check reports the contradiction.
    #expect(try file.read().emojisInOrder() == all)
    #expect(try file.check().faults.isEmpty == false)
    try write(whole, to: file.path)
    #expect(try file.edit { (t: DocumentTransaction) throws(ArtError) in try t.top() } == all.last)
  }

  @Test("F22 a save reads equally little of a log with a large edit and of one without")
  func largeEdit() throws {
    let folder = try Workspace()
    var reads: [Int] = []
    for (name, count) in [("small.emojiart", 10), ("large.emojiart", 20_000)] {
      let file = try folder.document(name)
      try file.fill(emojis: count, edits: 0, seed: 5)
      let id = try #require(try file.read().top()?.id)
      _ = try run(emojiart, ["move", file.path, id.description, "--by", "1,1"])
      let trace = folder[name + ".trace"]
      let ended = try run(
        "strace",
        ["-f", "-o", trace, "-e", "trace=pread64", "-P", file.path, emojiart]
          + ["move", file.path, id.description, "--by", "1,1"])
      #expect(ended.status == 0, "\(ended.errors)")
      reads.append(try String(contentsOfFile: trace, encoding: .utf8).split(separator: "\n").count)
    }
    print("F22 reads of a move: \(reads[0]) beside a small edit, \(reads[1]) beside one of 20,000 emoji")
    #expect(reads[1] <= 30 && reads[0] > 5)
  }

  @Test(
    "F5 an edit with too many changes is refused, in memory and in the file, before it takes memory"
  )
  func manyChanges() throws {
    let folder = try Workspace()
    let file = try folder.document()
    let change = try Change.setCanvas(Canvas(width: 7, height: 7))
    var changes = [Change](repeating: change, count: Limits.editChanges + 1)
    var maker = try EditMaker(seed: 1)
    let stamp = maker.stamp()
    let error = failure {
      try file.edit { (transaction: DocumentTransaction) throws(ArtError) in
        _ = try transaction.perform(Edit(name: "many", changes: changes), stamp: stamp)
      }
    }
    #expect(error?.code == .tooLarge)
    var content = try file.read()
    #expect(failure { try content.apply(changes) }?.code == .tooLarge)
    // JSON with as many changes is refused before they are read.
    changes = []
    var text = Array("[".utf8)
    let one = Array(#"["fill",null],"#.utf8)
    text.reserveCapacity((Limits.editChanges + 1) * one.count + 1)
    for _ in 0...Limits.editChanges { text += one }
    text[text.count - 1] = UInt8(ascii: "]")
    let refusal = failure { try text.withUnsafeBufferPointer { try [Change](json: $0) } }
    #expect(refusal?.code == .badJSON && refusal?.cause.contains("7000004 changes") == true)
    #expect(try file.read().revision == 0)
  }
}
