// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization
import TestSupport
import Testing

@testable import ArtModel
@testable import ArtStore

@Suite("Restoring into a new document") struct RestoreApartTests {
  private func apart(_ sample: JournalSample, on source: DocumentFile?) throws -> (
    DocumentFile, RestoreReport
  ) {
    var random = SplitMix64(seed: 12)
    let new = DocumentFile(sample.space["saved.emojiart"])
    var maker = try EditMaker(seed: 5)
    let reports = try new.create(
      from: [try sample.lockedOrphan()], on: source, stamp: { maker.stamp() }, using: &random)
    try #require(reports.count == 1)
    return (new, reports[0])
  }

  @Test(
    "K11 a new document has the old one's content, pictures and log with the restored edits, and an id of its own"
  )
  func withSource() throws {
    let sample = try JournalSample()
    try sample.file.edit { (transaction: DocumentTransaction) throws(ArtError) in
      do { try transaction.insertImage(1, Array(0..<200)) } catch { throw .busy("image") }
    }
    try sample.file.edit { (transaction: DocumentTransaction) throws(ArtError) in
      do { try transaction.insertVersions() } catch { throw .busy("version") }
    }
    try sample.abandonJournal(after: 8, saved: 3)
    let before = try sample.file.read()
    let (new, report) = try apart(sample, on: sample.file)
    #expect(try shell(new.path, "SELECT id, name FROM version") == "k3m9abcd0f2z:3|before the party\n")
    let content = try new.read()
    #expect(values(content) == values(sample.content))
    #expect(content.id != before.id && content.revision == before.revision + 1)
    #expect(content.log.dropLast() == before.log[...])
    #expect(report.edits == 5 && content.log.last?.author == "ada")
    #expect(try new.check().faults.isEmpty)
    #expect(try shell(new.path, "SELECT count(*), sum(length(bytes)) FROM image") == "1|200\n")
    #expect(try shell(new.path, "SELECT count(*) FROM origin") == "0\n")
    #expect(try sample.file.read() == before)
    #expect(try shell(sample.file.path, "SELECT count(*) FROM origin") == "0\n")
    #expect(try sample.names.isEmpty)
    try new.add(seed: 3)
  }

  @Test(
    "U6 a duplicate has the pictures and the named versions, and neither archive nor traces of removed versions"
  )
  func duplicate() throws {
    let folder = try Workspace()
    let file = try folder.document()
    try file.fill(emojis: 3, edits: 5, imageBytes: 300, seed: 2)
    try file.edit { (transaction: DocumentTransaction) throws(ArtError) in
      do {
        try transaction.insertVersions()
        try transaction.insertPlain(.archive, [.integer(1), .integer(1), .integer(0), .text("[]")])
        try transaction.insertPlain(
          .aside, [.integer(1), .text("emoji"), .text("[]"), .text("why"), .integer(5)])
      } catch { throw .busy("rows") }
    }
    let before = try file.read()
    let new = DocumentFile(folder["copy.emojiart"])
    var random = SplitMix64(seed: 12)
    var maker = try EditMaker(seed: 5)
    let reports = try new.create(duplicating: file, with: [], stamp: { maker.stamp() }, using: &random)
    let copy = try new.read()
    #expect(reports.isEmpty && copy.id != before.id && copy.log == before.log && copy.fill == before.fill)
    #expect(copy.emojisInOrder() == before.emojisInOrder())
    #expect(try new.check().faults.isEmpty)
    #expect(try shell(new.path, "SELECT id, name FROM version") == "k3m9abcd0f2z:3|before the party\n")
    #expect(try shell(new.path, "SELECT sum(length(bytes)) FROM image") == "300\n")
    let counts = "SELECT (SELECT count(*) FROM archive), (SELECT count(*) FROM aside)"
    #expect(try shell(new.path, counts) == "0|0\n")
    #expect(try shell(file.path, counts) == "1|1\n")
  }

  @Test(
    "K11 without the old document a new one has the content that the edits define, and the other changes are reported"
  )
  func withoutSource() throws {
    let sample = try JournalSample(emojis: 3, edits: 0)
    let ids = sample.content.emojisInOrder().map(\.id)
    let (fresh, canvas) = (try sample.maker.emoji(), try Canvas(width: 30, height: 40))
    let journal = try sample.journal()
    let removed = try sample.perform("remove", [.remove(ids[1])])
    let entries = [
      try sample.perform("add", [.add(fresh)]),
      try sample.perform("move", [.move(fresh.id, to: try Point(x: 3, y: 3))]),
      try sample.perform("move", [.move(ids[0], to: try Point(x: 9, y: 9))]),
      try sample.perform("canvas", [.setCanvas(canvas)]),
    ].compactMap { $0 }
    let gone = try #require(removed)
    let undo = try #require(try sample.perform("remove", gone.inverse, kind: .undo(gone.id)))
    try journal.append([gone] + entries + [undo], on: sample.base)
    journal.abandon()
    try FileManager.default.removeItem(atPath: sample.file.path)
    let (new, report) = try apart(sample, on: nil)
    let content = try new.read()
    #expect(Set(content.emojisInOrder().map(\.id)) == [fresh.id, ids[1]])
    #expect(content.emoji(fresh.id)?.position == (try Point(x: 3, y: 3)))
    #expect(content.emoji(ids[1]) == sample.content.emoji(ids[1]))
    #expect(content.canvas == canvas)
    #expect(report.dropped == [.move(ids[0], to: try Point(x: 9, y: 9))])
    #expect(content.revision == 1 && content.log.last?.dropped == report.dropped)
    #expect(content.log.last?.edit.name == "restore 6 edits")
    #expect(try new.check().faults.isEmpty)
    #expect(try sample.names.isEmpty)
  }

  @Test(
    "K11 a new document replaces no file, and the journal stays when it cannot be created")
  func existingFile() throws {
    let sample = try JournalSample()
    try sample.abandonJournal(after: 4)
    let names = try sample.names
    try write([1, 2], to: sample.space["saved.emojiart"])
    #expect(failure { try apart(sample, on: sample.file) }?.code == .exists)
    #expect(try bytes(sample.space["saved.emojiart"]) == [1, 2])
    #expect(try sample.names == names)
  }

  @Test("K11 the readable edits of a damaged journal are saved apart, and the journal is kept")
  func damagedJournal() throws {
    let sample = try JournalSample()
    try sample.abandonJournal(after: 4)
    var segment = try bytes(sample.segment())
    segment[segment.count - 9] ^= 1
    try write(segment, to: sample.segment())
    let names = try sample.names
    let (new, report) = try apart(sample, on: sample.file)
    #expect(report.edits == 3 && report.damage?.contains("line 5") == true)
    #expect(try new.read().emojiCount > 0)
    #expect(try sample.names == names)
    try FileManager.default.removeItem(atPath: new.path)
    segment[30] ^= 1
    try write(segment, to: sample.segment())
    #expect(failure { try apart(sample, on: nil) }?.code == .damaged, "no edit can be read")
    #expect(try sample.names == names)
  }

  @Test("K11 the earlier state that is derived from edits gives their result again")
  func earlierState() throws {
    for seed in 1...40 {
      let sample = try JournalSample(emojis: 0, seed: UInt64(seed))
      let entries = try sample.edits(30)
      let start = try EarlierState(of: entries, id: sample.content.id).content
      #expect(start.emojiCount == 0)
      let plan = try RestorePlan(entries, on: start)
      #expect(plan.dropped.isEmpty && values(plan.content) == values(sample.content))
    }
  }

  @Test("K11 an old document that cannot be read is ignored, with a notice")
  func damagedSource() throws {
    let sample = try JournalSample(emojis: 0)
    try sample.abandonJournal(after: 6)
    try write(Array("not a document".utf8), to: sample.file.path)
    let notices = Mutex<[String]>([])
    let new = DocumentFile(
      sample.space["saved.emojiart"], notice: { line in notices.withLock { $0.append("\(line)") } })
    var random = SplitMix64(seed: 12)
    var maker = try EditMaker(seed: 5)
    _ = try new.create(
      from: [try sample.lockedOrphan()], on: sample.file, stamp: { maker.stamp() }, using: &random)
    #expect(try values(new.read()) == values(sample.content))
    #expect(notices.withLock { $0.first?.contains("from the edits alone") } == true)
  }

  @Test(
    "K11 edits of several programs are saved into one new document, as one entry of its log each")
  func severalJournals() throws {
    for hasSource in [true, false] {
      let one = try JournalSample(emojis: 0)
      let two = try JournalSample(emojis: 0, seed: 3, author: "bob", in: one.space, of: one.file)
      try one.abandonJournal(after: 5)
      try two.abandonJournal(after: 4)
      let journals = try one.folder.lockOrphans()
      #expect(journals.count == 2)
      let new = DocumentFile(one.space["saved.emojiart"])
      var random = SplitMix64(seed: 12)
      var maker = try EditMaker(seed: 5)
      let reports = try new.create(
        from: journals, on: hasSource ? one.file : nil, stamp: { maker.stamp() }, using: &random)
      #expect(Set(reports.map(\.edits)) == [5, 4])
      let content = try new.read()
      #expect(Set(content.log.compactMap(\.author)) == ["ada", "bob"] && content.revision == 2)
      let ids = Set((one.content.emojisInOrder() + two.content.emojisInOrder()).map(\.id))
      #expect(Set(content.emojisInOrder().map(\.id)) == ids)
      #expect(try new.check().faults.isEmpty)
      #expect(try one.names.isEmpty)
    }
  }
}
