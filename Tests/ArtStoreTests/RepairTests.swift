// SPDX-License-Identifier: Apache-2.0

import ArtSystem
import Foundation
import TestSupport
import Testing

@testable import ArtModel
@testable import ArtStore

@Suite("Repair") struct RepairTests {
  private let folder: Workspace
  private var maker: EditMaker

  init() throws {
    folder = try Workspace()
    maker = try EditMaker(seed: 77)
  }

  @Test("F9 an interrupted save of a document with an unverified row is rolled back before the repair")
  mutating func journalAndDoubt() throws {
    let live = try folder.document("live.emojiart")
    try live.fill(emojis: 400, edits: 2, seed: 3)
    try shell(live.path, "UPDATE emoji SET z = z + 1 WHERE id = (SELECT id FROM emoji LIMIT 1)")
    let copies = ["", "-journal"].map { "cp '\(live.path)\($0)' '\(folder["bees.emojiart"])\($0)'" }
    let ended = try run(
      "sqlite3",
      [
        "-bail", live.path, "PRAGMA cache_size=2", "BEGIN IMMEDIATE", "UPDATE emoji SET json = json || ' '",
        ".shell \(copies.joined(separator: " && "))", "ROLLBACK",
      ])
    try #require(ended.status == 0, "\(ended.errors)")
    let file = DocumentFile(folder["bees.emojiart"])
    #expect(failure { try file.read() }?.code == .damaged)
    let report = try #require(try file.repair(.repair, stamp: maker.stamp()))
    #expect(report.quarantined.count == 1, "\(report.quarantined)")
    #expect(try file.read().emojiCount >= 398)
    #expect(try folder.names.contains("bees.emojiart-journal") == false)
  }

  @Test(
    "F10 a repair of a document with very many rows of removed versions looks at each row once",
    .timeLimit(.minutes(5)))
  mutating func removedVersions() throws {
    let file = try folder.document()
    try file.fill(emojis: 3, edits: 2, seed: 3)
    // Comparing each row with each one takes hours.
    let count = 100_000
    let origin = Origin(lowBits: 77)
    try file.edit { (transaction: DocumentTransaction) throws(ArtError) in
      let insertion = try transaction.statement("INSERT INTO version VALUES(?,?,?,?,?,?,?,?)")
      for number in 1...count {
        let values: [Statement.Value] = [
          .text("\(origin):\(number)"), .null, .integer(1), .null, .null, .integer(number), .null,
        ]
        let sum = PlainTable.version.sum(of: values)
        try insertion.bind(values + [.integer(sum)])
        while try insertion.step() {}
        transaction.art.digest.add(sum)
      }
    }
    try shell(file.path, "UPDATE emoji SET sum = 1 WHERE id = (SELECT id FROM emoji LIMIT 1)")
    let report = try #require(try file.repair(.repair, stamp: maker.stamp()))
    #expect(report.quarantined.count == 1)
    #expect(try shell(file.path, "SELECT count(*) FROM version") == "\(count)\n")
  }

  @Test(
    "F9 of two verified rows of one emoji, repair keeps the row of the newest edit and moves the other to the quarantine"
  )
  mutating func twice() throws {
    let file = try folder.document()
    try file.fill(emojis: 200, edits: 0, seed: 4)
    let old = try bytes(file.path)
    let place = try Point(x: 777, y: 777)
    let edit = Edit(
      name: "move all", changes: try file.read().emojisInOrder().map { .move($0.id, to: place) })
    let stamp = maker.stamp()
    try file.edit { (transaction: DocumentTransaction) throws(ArtError) in
      _ = try transaction.perform(edit, stamp: stamp)
    }
    var mixed = try bytes(file.path)
    let leaves = (0..<min(old.count, mixed.count) / 4096).filter {
      // Leaves of WITHOUT ROWID tables and of indexes, with as many cells before as after.
      let page = $0 * 4096
      return $0 > 0 && mixed[page] == 0x0A && old[page] == 0x0A
        && old[page..<page + 4096] != mixed[page..<page + 4096]
    }
    var (stands, expected) = (0, 0)
    for (first, second) in zip(leaves, leaves.dropFirst()) {
      var torn = mixed
      torn.replaceSubrange(second * 4096..<(second + 1) * 4096, with: old[first * 4096..<(first + 1) * 4096])
      try write(torn, to: file.path)
      let copies = try file.check().faults.filter { $0.contains("stands twice") }.count
      guard copies > 0 else { continue }
      expected += copies
      let report = try #require(try file.repair(.repair, stamp: maker.stamp()))
      #expect(report.quarantined.filter { $0.contains("stands twice") }.count == copies)
      let repaired = try file.read()
      #expect(repaired.emojisInOrder().allSatisfy { $0.position == place })
      stands += repaired.emojiCount
    }
    mixed = []
    print("stale copies: \(expected) rows stood twice, \(stands) emoji stand as the newest edit left them")
    #expect(expected >= 20)
  }

  @Test(
    "F9 a repair without the document's own row keeps the id, takes the canvas from the log, and reports what is lost"
  )
  mutating func ownRow() throws {
    let file = try folder.document()
    let id = try file.read().id
    let stamp = maker.stamp()
    let canvas = try Canvas(width: 320, height: 200)
    try file.edit { (transaction: DocumentTransaction) throws(ArtError) in
      _ = try transaction.perform(
        Edit(name: "resize the canvas", changes: [.setCanvas(canvas)]), stamp: stamp)
    }
    try shell(file.path, "UPDATE art SET revision = 9")
    let report = try #require(try file.repair(.repair, stamp: maker.stamp()))
    #expect(report.lost.count == 1 && report.lost[0].contains("320 x 200"), "\(report.lost)")
    #expect(try file.read().id == id)
    #expect(try file.read().canvas == canvas)
  }

  @Test("F9 a background whose picture is damaged is removed, and the report names it")
  mutating func picture() throws {
    let file = try folder.document()
    let picture = Array("a picture".utf8)
    let digest = picture.withUnsafeBufferPointer { ContentDigest.of($0) }
    let background = try Background(digest: digest, mediaType: "image/png", size: .standard, url: nil)
    let stamp = maker.stamp()
    try file.edit { (transaction: DocumentTransaction) throws(ArtError) in
      do { try transaction.insertImage(1, picture) } catch { throw error as? ArtError ?? .busy("image") }
      _ = try transaction.perform(Edit(name: "set", changes: [.setBackground(background)]), stamp: stamp)
    }
    try shell(file.path, "UPDATE image SET bytes = x'00ff'")
    let report = try #require(try file.repair(.repair, stamp: maker.stamp()))
    #expect(report.lost.count == 1 && report.lost[0].contains("picture"), "\(report.lost)")
    #expect(try file.read().background == nil)
  }

  @Test("F9 adopt accepts only texts that a user may type")
  mutating func adoptedText() throws {
    let file = try folder.document()
    try file.add(seed: 1)
    try file.add("🌸", seed: 2)
    try shell(
      file.path, "UPDATE emoji SET json = json_set(json, '$.text', 'hello') WHERE json ->> 'text' = '🐝'")
    try shell(file.path, "UPDATE emoji SET json = json_set(json, '$.text', '🦋') WHERE json ->> 'text' = '🌸'")
    let report = try #require(try file.repair(.adopt, stamp: maker.stamp()))
    #expect(report.quarantined.count == 1 && report.quarantined[0].contains("hello"))
    #expect(try file.read().emojisInOrder().map(\.text.string) == ["🦋"])
  }

  @Test("F44 adopt takes over no revision that leaves no room for edits")
  mutating func adoptedRevision() throws {
    for (revision, isTaken) in [(1 << 52 - 1, true), (1 << 52, false), (1 << 53 - 2, false)] {
      let file = try folder.document("\(revision).emojiart")
      try file.add(seed: 1)
      try shell(
        file.path,
        "UPDATE edit SET revision = \(revision), save = \(revision); UPDATE art SET revision = \(revision)")
      let before = try bytes(file.path)
      let stamp = maker.stamp()
      let error = failure { try file.repair(.adopt, stamp: stamp) }
      #expect(error?.code == (isTaken ? nil : .tooLarge), "\(revision)")
      guard !isTaken else {
        #expect(try file.read().revision == revision + 1)
        try file.add(seed: 2)
        continue
      }
      // Its emoji can still be saved.
      #expect(try bytes(file.path) == before)
      _ = try file.repair(.repair, stamp: maker.stamp())
      #expect(try file.read().revision < 9 && file.read().emojiCount == 1)
    }
  }

  @Test("F9 check shows the values of another program beside those of the log")
  mutating func differences() throws {
    let file = try folder.document()
    let id = try file.add(seed: 1)
    let stamp = maker.stamp()
    let place = try Point(x: 12, y: 34)
    try file.edit { (transaction: DocumentTransaction) throws(ArtError) in
      _ = try transaction.perform(Edit(name: "move", changes: [.move(id, to: place)]), stamp: stamp)
    }
    try shell(file.path, "UPDATE emoji SET z = 5, json = json_set(json, '$.x', 99, '$.text', '🦋')")
    let faults = try file.check().faults
    #expect(faults.count == 1, "\(faults)")
    #expect(faults.first?.contains("now 🦋 at 99,34") == true, "\(faults)")
    #expect(
      faults.first?.contains("by the log at 12,34, 🐝, at another place in the order)") == true, "\(faults)")
  }

  @Test("F9 rows in the quarantine get free numbers, whatever numbers are taken")
  mutating func quarantineNumbers() throws {
    let file = try folder.document()
    try file.add(seed: 1)
    try file.edit { (transaction: DocumentTransaction) throws(ArtError) in
      for number in [1, Format.largestNumber] {
        do {
          try transaction.insertPlain(
            .aside, [.integer(number), .text("emoji"), .text("[]"), .text("test"), .integer(0)])
        } catch {
          throw error as? ArtError ?? .busy("aside")
        }
      }
    }
    try shell(file.path, "UPDATE emoji SET z = 5")
    _ = try #require(try file.repair(.repair, stamp: maker.stamp()))
    #expect(
      try shell(file.path, "SELECT number FROM aside ORDER BY number") == "1\n2\n\(Format.largestNumber)\n")
  }

  @Test(
    "F11 a name whose first character combines with the slash before it is found in its folder",
    arguments: ["🏽 bees", "\u{301}bees"])
  mutating func combiningNames(_ name: String) throws {
    try FileManager.default.createDirectory(atPath: folder["g"], withIntermediateDirectories: false)
    let path = folder.path + "/g/" + name + ".emojiart"
    #expect(FilePath(path).folder == folder["g"])
    #expect(FilePath(path).name == name + ".emojiart")
    let file = DocumentFile(path)
    var random = SplitMix64(seed: 1)
    _ = try file.create(canvas: .standard, using: &random)
    try file.add(seed: 1)
    try shell(path, "UPDATE emoji SET z = 5")
    _ = try #require(try file.repair(.repair, stamp: maker.stamp()))
    #expect(try file.check().faults == [])
  }

  @Test("F23 a hot journal of a document with a long name is resolved")
  func longName() throws {
    let name = String(repeating: "👨‍👩‍👧‍👦", count: 9) + ".emojiart"
    #expect(name.utf8.count == 234)
    let (file, _) = try folder.crashed("bees.emojiart")
    let long = DocumentFile(folder[name])
    rename(file.path, long.path)
    rename(file.path + "-journal", long.path + "-journal")
    let before = try long.read()
    try long.add(seed: 9)
    #expect(try long.read().revision == before.revision + 1)
    #expect(try folder.names == [name])
  }

  @Test("F12 a new document is not created beside a -wal file of another program")
  func leftovers() throws {
    try write([1, 2, 3], to: folder["bees.emojiart-wal"])
    var random = SplitMix64(seed: 1)
    let file = DocumentFile(folder["bees.emojiart"])
    #expect(failure { try file.create(canvas: .standard, using: &random) }?.code == .exists)
    #expect(try folder.names == ["bees.emojiart-wal"])
  }
}
