// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@testable import ArtModel
@testable import ArtStore

extension JournalSample {
  /// Leaves an orphaned journal with acknowledged edits, of which the file holds `saved`.
  func abandonJournal(after count: Int, saved: Int = 0) throws {
    let journal = try journal()
    let entries = try edits(count)
    if saved > 0 {
      try journal.append(Array(entries.prefix(saved)), on: base)
      _ = journal.cut()
      var then = try file.read()
      for entry in entries.prefix(saved) {
        _ = try then.apply(entry.edit.changes)
        then.append(entry)
      }
      _ = try file.save(
        NetEdits(UnsavedEdits(entries.prefix(saved)), of: then, since: base), isJournalled: true)
    }
    try journal.append(Array(entries.dropFirst(saved)), on: base)
    journal.abandon()
  }

  /// The stamp of an edit by another program.
  func stamp(seed: UInt64 = 5) throws -> EditStamp {
    var maker = try EditMaker(seed: seed)
    return maker.stamp()
  }
}

/// Emoji, canvas and backgrounds, without the log.
func values(_ content: DocumentContent) -> [String] {
  content.emojisInOrder().map { "\($0)" }
    + [
      "\(content.canvas)", "\(String(describing: content.background))",
      "\(String(describing: content.pending))",
    ]
}

@Suite("Restoring") struct RestoreTests {
  @Test("K7 orphaned edits are restored into the document as one edit in the name of their author")
  func restored() throws {
    let sample = try JournalSample()
    try sample.abandonJournal(after: 12)
    let before = try sample.file.read()
    let stamp = try sample.stamp()
    let report = try sample.file.restore(sample.lockedOrphan(), stamp: stamp)
    let content = try sample.file.read()
    #expect(values(content) == values(sample.content))
    #expect(content.revision == before.revision + 1 && report.revision == content.revision)
    let entry = try #require(content.log.last)
    #expect(
      entry.id == sample.made.last?.id.forRestore && entry.time == stamp.time && entry.author == "ada"
        && entry.edit.name == "restore 12 edits")
    #expect(report.edits == 12 && report.dropped.isEmpty && report.author == "ada" && report.damage == nil)
    #expect(report.changes == entry.edit.changes.count)
    #expect(try sample.names.isEmpty)
    #expect(try shell(sample.file.path, "SELECT count(*) FROM origin") == "0\n")
    var undone = content
    _ = try undone.apply(entry.inverse)
    #expect(values(undone) == values(before), "one undo takes the restored edit back")
  }

  @Test("M25 the edits of several clients are restored as one edit each, with its name, session and tags")
  func clients() throws {
    let sample = try JournalSample(emojis: 0)
    let journal = try sample.journal()
    let clients = try [
      DocumentClient(author: "ada", session: SessionID(lowBits: 1)),
      DocumentClient(author: nil, session: SessionID(lowBits: 2)), DocumentClient(author: "bob"),
    ]
    for number in 0..<9 {
      let emoji = try sample.maker.emoji()
      let tag = number < 6 ? RequestTag("request-\(number)") : nil
      try sample.perform("add", [.add(emoji)], by: clients[number % 3], tag: tag)
    }
    try journal.append(sample.made, on: sample.base)
    journal.abandon()
    let shown = try sample.file.read(
      with: [sample.lockedOrphan()], restoredBy: Author(origin: Origin(lowBits: 5)))
    let report = try sample.file.restore(sample.lockedOrphan(), stamp: sample.stamp())
    let content = try sample.file.read()
    #expect(values(content) == values(sample.content))
    #expect(report.edits == 9 && report.changes == 9 && report.author == "ada, bob")
    #expect(content.log.map(\.author) == ["ada", nil, "bob"])
    #expect(content.log.map(\.session) == clients.map(\.session))
    let tags = [["request-0", "request-3"], ["request-1", "request-4"], ["request-2", "request-5"]]
    #expect(content.log.map { $0.stamp.tags.map(\.description) } == tags)
    #expect(content.log.map(\.id) == shown.content.log.map(\.id), "a reader shows the same edits")
    #expect(content.log.restoredSequence(of: sample.origin) == 9)
    #expect(try sample.file.check().faults == [])
    // Undo is by session after a restart, too.
    let plan = try #require(try UndoPlan.undo(in: content, by: .session(SessionID(lowBits: 2))))
    #expect(plan.kind == .undo(content.log[1].id))
  }

  @Test("K9 edits that a save holds already are not restored again")
  func partlySaved() throws {
    for saved in [1, 5, 8] {
      let sample = try JournalSample(seed: UInt64(saved))
      try sample.abandonJournal(after: 8, saved: saved)
      let before = try sample.file.read()
      let report = try sample.file.restore(sample.lockedOrphan(), stamp: sample.stamp())
      let content = try sample.file.read()
      #expect(values(content) == values(sample.content))
      #expect(report.edits == 8 - saved)
      #expect(content.revision == before.revision + (saved == 8 ? 0 : 1))
      #expect(try sample.names.isEmpty)
      #expect(try shell(sample.file.path, "SELECT count(*) FROM origin") == "0\n")
    }
  }

  @Test(
    "K9 a restore that is interrupted at any step is finished by the next one, and no edit is restored twice")
  func killed() throws {
    for step in RestoreStep.allCases {
      for saved in [0, 3] {
        let sample = try JournalSample()
        try sample.abandonJournal(after: 6, saved: saved)
        let before = try sample.file.read()
        #expect(throws: ArtError.self) {
          try sample.file.restore(sample.lockedOrphan(), stamp: sample.stamp()) {
            (reached) throws(ArtError) in
            if reached == step { throw ArtError(.closed, "killed") }
          }
        }
        for journal in try sample.folder.lockOrphans() {
          _ = try sample.file.restore(journal, stamp: sample.stamp(seed: 6))
        }
        let content = try sample.file.read()
        #expect(values(content) == values(sample.content))
        #expect(content.revision == before.revision + 1)
        #expect(try sample.names.isEmpty)
        #expect(try shell(sample.file.path, "SELECT count(*) FROM origin") == "0\n", "\(step)")
      }
    }
  }

  @Test("K9 a restore whose journal cannot be removed is told as done, and the next one removes the journal")
  func journalThatStays() throws {
    let sample = try JournalSample()
    try sample.abandonJournal(after: 6)
    let notices = NoticeLog()
    let file = DocumentFile(sample.file.path, notice: { notices.append("\($0)") })
    let segment = sample.segment()
    let report = try file.restore(sample.lockedOrphan(), stamp: sample.stamp()) {
      (reached) throws(ArtError) in
      guard reached == .saved else { return }
      // A folder cannot be unlinked.
      #expect(rename(segment, segment + ".away") == 0 && mkdir(segment, 0o700) == 0)
    }
    #expect(try report.edits == 6 && values(file.read()) == values(sample.content))
    #expect(notices.lines.count == 1 && notices.lines[0].contains("stays: "), "\(notices.lines)")
    #expect(rmdir(segment) == 0 && rename(segment + ".away", segment) == 0)
    #expect(try file.restore(sample.lockedOrphan(), stamp: sample.stamp(seed: 6)).edits == 0)
    #expect(try sample.names.isEmpty && values(file.read()) == values(sample.content))
  }

  @Test("M24 changes that are left out are reported once for each field, however many edits there are")
  func manyLeftOut() throws {
    let sample = try JournalSample(emojis: 3, edits: 50)
    let id = try #require(sample.content.top()).id
    let journal = try sample.journal()
    var entries: [LoggedEdit] = []
    for x in 0..<20_000 {
      entries.append(try #require(try sample.perform("move", [.move(id, to: Point(x: Double(x + 5), y: 0))])))
    }
    try journal.append(entries, on: sample.base)
    journal.abandon()
    var maker = try EditMaker(seed: 99)
    let theirs = Change.move(id, to: try Point(x: -3, y: -3))
    try sample.file.edit { (transaction: DocumentTransaction) throws(ArtError) in
      _ = try transaction.perform(Edit(name: "move", changes: [theirs]), stamp: maker.stamp())
    }
    let before = try sample.file.read().log.count
    let report = try sample.file.restore(sample.lockedOrphan(), stamp: maker.stamp())
    #expect(report.edits == 20_000)
    #expect(report.dropped == [.move(id, to: try Point(x: 20_004, y: 0))])
    let log = try sample.file.read().log
    #expect(log.count == before + 1 && log.last?.dropped == report.dropped)
  }

  @Test(
    "K14 a lock file without segments names its document, and is removed with the document's row of origin")
  func lockAlone() throws {
    let sample = try JournalSample()
    try sample.abandonJournal(after: 6, saved: 6)
    for name in try sample.names where name.hasSuffix(".journal") { unlink(sample.folder.path(of: name)) }
    #expect(try shell(sample.file.path, "SELECT count(*) FROM origin") == "1\n")
    let before = try sample.file.read()
    #expect(try sample.folder.peek().isEmpty)
    let listing = try sample.folder.listing(of: DocumentID(lowBits: 1))
    #expect(try listing.files.isEmpty && sample.folder.lockOrphans(listing).isEmpty)
    #expect(try sample.names.count == 1)
    for journal in try sample.folder.lockOrphans() {
      #expect(try sample.file.restore(journal, stamp: sample.stamp(seed: 6)).edits == 0)
    }
    #expect(try sample.file.read() == before)
    #expect(try shell(sample.file.path, "SELECT count(*) FROM origin") == "0\n")
    #expect(try sample.names.isEmpty)
  }

  @Test("K14 a lock file without segments is removed when its document does not exist")
  func lockOfNothing() throws {
    let sample = try JournalSample()
    try sample.abandonJournal(after: 6, saved: 6)
    for name in try sample.names where name.hasSuffix(".journal") { unlink(sample.folder.path(of: name)) }
    unlink(sample.file.path)
    try sample.folder.removeEmptyJournals { _ in true }
    #expect(try sample.names.isEmpty)
  }

  @Test(
    "K14 a lock file without segments stays while its document is locked, and is removed with its row later"
  )
  func lockOfHeldDocument() throws {
    let sample = try JournalSample()
    try sample.abandonJournal(after: 6, saved: 6)
    for name in try sample.names where name.hasSuffix(".journal") { unlink(sample.folder.path(of: name)) }
    for begin in ["BEGIN IMMEDIATE", "BEGIN EXCLUSIVE"] {
      let holder = try DocumentFile.connect(try sample.file.locate(), .readWrite, Deadline(.zero))
      try holder.execute(begin)
      try sample.folder.removeEmptyJournals { _ in true }
      #expect(try sample.names.count == 1, "\(begin)")
      try holder.execute("ROLLBACK")
    }
    #expect(try shell(sample.file.path, "SELECT count(*) FROM origin") == "1\n")
    try sample.folder.removeEmptyJournals { _ in true }
    #expect(try sample.names.isEmpty)
    #expect(try shell(sample.file.path, "SELECT count(*) FROM origin") == "0\n")
  }

  @Test("K9 restored edits are not saved again by their program if it is still running")
  func programLives() throws {
    for isEndKnown in [true, false] {
      let sample = try JournalSample()
      let journal = try sample.journal()
      try journal.append(try sample.edits(4), on: sample.base)
      // As for a lock that is not visible elsewhere.
      journal.abandon()
      if !isEndKnown {
        sample.folder = JournalFolder(
          sample.folder.path,
          host: JournalHost(home: JournalHome(machine: nil, boot: nil, namespace: nil, processStart: nil)))
      }
      let orphan = try sample.lockedOrphan()
      #expect(orphan.isEndKnown == isEndKnown)
      let restored = try sample.file.restore(orphan, stamp: sample.stamp())
      #expect(restored.edits == 4)
      let rows = try shell(sample.file.path, "SELECT count(*) FROM origin")
      #expect(
        rows == (isEndKnown ? "0\n" : "1\n"), "the document keeps the row while the program may be running")
      let before = try sample.file.read()
      #expect(values(before) == values(sample.content))
      _ = try sample.edits(2)
      let edits = NetEdits(UnsavedEdits(sample.made[...]), of: sample.content, since: sample.base)
      let outcome = try sample.file.save(edits, isJournalled: true)
      #expect(outcome.rebased?.own.renamed.isEmpty == true)
      let after = try sample.file.read()
      #expect(values(after) == values(sample.content))
      #expect(after.log.suffix(2).map(\.id) == sample.made.suffix(2).map(\.id))
      #expect(after.revision == before.revision + 2)
    }
  }

  @Test(
    "K7 the report of a restore says when the log has no capacity to undo it after the next edit")
  func beyondLog() throws {
    for isLarge in [false, true] {
      let sample = try JournalSample(emojis: 0)
      let journal = try sample.journal()
      let text = try EmojiText(String(repeating: "👩‍👩‍👧‍👦", count: 10))
      var adds: [Change] = []
      for _ in 0..<(isLarge ? 30_000 : 10) {
        let emoji = try sample.maker.emoji()
        adds.append(
          .add(Emoji(id: emoji.id, text: text, position: emoji.position, size: emoji.size, z: emoji.z)))
      }
      try journal.append([try #require(try sample.perform("add", adds))], on: sample.base)
      journal.abandon()
      let before = try sample.file.read()
      let report = try sample.file.restore(sample.lockedOrphan(), stamp: sample.stamp())
      #expect(report.isBeyondLog == isLarge)
      let entry = try #require(try sample.file.read().log.last)
      #expect(entry.id.origin == sample.origin.forRestores, "it can be undone until then")
      var undone = try sample.file.read()
      _ = try undone.apply(entry.inverse)
      #expect(values(undone) == values(before))
      try sample.file.add(seed: 70)
      #expect(try sample.file.read().log.contains { $0.id == entry.id } == !isLarge)
    }
  }

  @Test(
    "M24 fields that others have changed since stay, and the dropped changes are in the report and the log")
  func dropped() throws {
    let sample = try JournalSample(emojis: 0)
    let emoji = try sample.maker.emoji()
    let other = try sample.maker.emoji()
    var maker = sample.maker
    try sample.file.edit { (transaction: DocumentTransaction) throws(ArtError) in
      _ = try transaction.perform(
        Edit(name: "add", changes: [.add(emoji), .add(other)]), stamp: maker.stamp())
    }
    sample.content = try sample.file.read()
    sample.base = DocumentBase(sample.content)
    let journal = try sample.journal()
    let size = try FontSize(99)
    let entries = [
      try sample.perform("move", [.move(emoji.id, to: try Point(x: 1, y: 1))]),
      try sample.perform("resize", [.resize(emoji.id, to: size)]),
      try sample.perform("remove", [.remove(other.id)]),
    ].compactMap { $0 }
    try journal.append(entries, on: sample.base)
    journal.abandon()
    let (here, text) = (try Point(x: 7, y: 7), try EmojiText("🌻"))
    try sample.file.edit { (transaction: DocumentTransaction) throws(ArtError) in
      _ = try transaction.perform(
        Edit(name: "other", changes: [.move(emoji.id, to: here), .setText(other.id, to: text)]),
        stamp: maker.stamp())
    }
    let report = try sample.file.restore(sample.lockedOrphan(), stamp: sample.stamp())
    let content = try sample.file.read()
    #expect(content.emoji(emoji.id)?.position == here && content.emoji(emoji.id)?.size == size)
    #expect(content.emoji(other.id)?.text == text)
    #expect(report.edits == 3 && report.changes == 1)
    #expect(Set(report.dropped) == [.move(emoji.id, to: try Point(x: 1, y: 1)), .remove(other.id)])
    #expect(content.log.last?.dropped == report.dropped)
  }

  @Test("M24 a restore that drops every change is an entry of the log, and removes the journal")
  func allDropped() throws {
    let sample = try JournalSample(emojis: 1, edits: 0)
    let id = try #require(sample.content.bottom()?.id)
    let journal = try sample.journal()
    let entry = try #require(try sample.perform("resize", [.resize(id, to: try FontSize(99))]))
    try journal.append([entry], on: sample.base)
    journal.abandon()
    try sample.file.edit { (transaction: DocumentTransaction) throws(ArtError) in
      _ = try transaction.perform(Edit(name: "remove", changes: [.remove(id)]), stamp: sample.maker.stamp())
    }
    let before = try sample.file.read()
    let report = try sample.file.restore(sample.lockedOrphan(), stamp: sample.stamp())
    #expect(report.edits == 1 && report.changes == 0 && report.dropped.count == 1)
    let content = try sample.file.read()
    #expect(content.revision == before.revision + 1 && content.log.last?.edit.name == "restore 1 edit")
    #expect(try sample.names.isEmpty)
  }

  @Test(
    "K10 a restore into another or damaged document changes nothing, and the journal stays")
  func failures() throws {
    let sample = try JournalSample()
    try sample.abandonJournal(after: 4)
    let names = try sample.names
    let other = try sample.space.document("other.emojiart", seed: 99)
    let print = try fingerprint(other.path)
    #expect(failure { try other.restore(sample.lockedOrphan(), stamp: sample.stamp()) }?.code == .replaced)
    #expect(try fingerprint(other.path) == print)
    let good = try bytes(sample.file.path)
    var bad = good
    bad[2 * Format.pageSize - 20] ^= 1
    try write(bad, to: sample.file.path)
    #expect(
      failure { try sample.file.restore(sample.lockedOrphan(), stamp: sample.stamp()) }?.code == .damaged)
    try write([], to: sample.file.path)
    #expect(
      failure { try sample.file.restore(sample.lockedOrphan(), stamp: sample.stamp()) }?.code == .notADocument
    )
    try FileManager.default.removeItem(atPath: sample.file.path)
    #expect(
      failure { try sample.file.restore(sample.lockedOrphan(), stamp: sample.stamp()) }?.code
        == .noSuchDocument)
    #expect(try sample.names == names)
    try write(good, to: sample.file.path)
    _ = try sample.file.restore(sample.lockedOrphan(), stamp: sample.stamp())
    #expect(try values(sample.file.read()) == values(sample.content))
  }

  @Test("K10 a restore of a damaged journal names it, keeps it, and does not write the document")
  func damagedJournal() throws {
    let sample = try JournalSample()
    try sample.abandonJournal(after: 4)
    var segment = try bytes(sample.segment())
    segment[segment.count - 9] ^= 1
    try write(segment, to: sample.segment())
    let (names, print) = (try sample.names, try fingerprint(sample.file.path))
    let error = failure { try sample.file.restore(sample.lockedOrphan(), stamp: sample.stamp()) }
    #expect(error?.code == .damaged && error?.cause.contains("line 5 of") == true)
    #expect(error?.remedy == .restoreApart)
    #expect(try sample.names == names && fingerprint(sample.file.path) == print)
  }

  @Test("K8 a reader shows a document as a restore would make it, and writes nothing")
  func showing() throws {
    let sample = try JournalSample()
    try sample.abandonJournal(after: 7, saved: 2)
    let paths = [
      sample.file.path, sample.space.path, sample.folder.path, sample.segment(1), sample.segment(2),
    ]
    let prints = try paths.map(fingerprint)
    let found = sample.file.journals(among: try sample.folder.peek())
    #expect(found.own.count == 1 && found.kept.isEmpty)
    var random = SplitMix64(seed: 8)
    let author = try Author(origin: Origin(using: &random))
    let shown = try sample.file.read(with: found.own, restoredBy: author)
    #expect(values(shown.content) == values(sample.content))
    #expect(try paths.map(fingerprint) == prints)
    #expect(shown.reports.map(\.edits) == [5] && shown.kept.isEmpty)
    let names = try sample.names
    #expect(failure { try sample.file.restore(found.own[0], stamp: sample.stamp()) } != nil)
    #expect(try sample.names == names, "a journal that is only read is not removed")
  }

  @Test("K8 a reader shows exactly the content and report of the restore")
  func showingIsRestoring() throws {
    let sample = try JournalSample()
    try sample.abandonJournal(after: 9)
    try sample.file.add(seed: 44)
    var random = SplitMix64(seed: 8)
    let author = try Author(origin: Origin(using: &random))
    let shown = try sample.file.read(with: try sample.folder.peek(), restoredBy: author)
    var same = author
    let report = try sample.file.restore(
      sample.lockedOrphan(), stamp: same.stamp(at: shown.reports[0].modified))
    #expect(try sample.file.read() == shown.content)
    #expect([report] == shown.reports)
  }

  @Test("K10 discarding removes the journal and the document's row of origin")
  func discarding() throws {
    let sample = try JournalSample()
    try sample.abandonJournal(after: 6, saved: 2)
    let before = try sample.file.read()
    #expect(try shell(sample.file.path, "SELECT count(*) FROM origin") == "1\n")
    try sample.lockedOrphan().discard(knownTo: sample.file)
    #expect(try sample.names.isEmpty)
    #expect(try sample.file.read() == before)
    #expect(try shell(sample.file.path, "SELECT count(*) FROM origin") == "0\n")
  }
}
