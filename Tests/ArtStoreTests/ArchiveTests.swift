// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import ArtModel
@testable import ArtStore

@Suite("The archive of edits that have left the log") struct ArchiveTests {
  /// Moves an emoji once for each of these names, so many edits in a save.
  private func move(
    _ file: DocumentFile, _ id: EmojiID, _ names: [String], perSave: Int, _ maker: inout EditMaker
  ) throws {
    var rest = names[...]
    while !rest.isEmpty {
      let saved = rest.prefix(perSave).map { (name: $0, stamp: maker.stamp()) }
      rest = rest.dropFirst(perSave)
      try file.edit { (transaction: DocumentTransaction) throws(ArtError) in
        for (name, stamp) in saved {
          let x = Double(transaction.revision % 1_000)
          _ = try transaction.perform(
            Edit(name: name, changes: [.move(id, to: try Point(x: x, y: 1))]), stamp: stamp)
        }
      }
    }
  }

  /// Saves that many moves in one save, as an open document does.
  private func saveAtOnce(_ count: Int, _ file: DocumentFile, _ id: EmojiID, _ maker: inout EditMaker) throws
  {
    var content = try file.read()
    let base = DocumentBase(content)
    var unsaved = UnsavedEdits()
    for number in 0..<count {
      let applied = try content.apply([.move(id, to: try Point(x: Double(number), y: 2))])
      let entry = LoggedEdit(
        maker.stamp(), revision: content.revision + 1, save: base.revision + 1, kind: .edit,
        edit: Edit(name: "move", changes: applied.changes), inverse: applied.inverse)
      content.append(entry)
      unsaved.append(entry)
    }
    _ = try file.save(NetEdits(unsaved, of: content, since: base), isJournalled: false)
  }

  private struct Row {
    let entries: [LoggedEdit]
    let bytes: Int
  }

  /// The archive's rows, whose sums and meaning are verified, and the log.
  private func read(_ file: DocumentFile) throws -> (rows: [Row], log: [LoggedEdit]) {
    try file.read { (transaction: DocumentTransaction) throws(ArtError) in
      let statement = try transaction.statement("\(PlainTable.archive.select) ORDER BY revision")
      var rows: [Row] = []
      try statement.bind()
      while try statement.step() {
        _ = try PlainTable.archive.verify(statement, of: "archive")
        rows.append(
          Row(entries: try ArchiveRow.entries(statement, of: "archive"), bytes: try statement.integer(2)))
      }
      return (rows, try transaction.load().log)
    }
  }

  @Test("F28 the archive and the log together have every edit once, whatever the saves were")
  func everyEdit() throws {
    let folder = try Workspace()
    var names = (0..<1_300).map { "move \($0)" }
    // Some are large, at the beginning and at the end of a block and within one.
    for place in [0, 62, 63, 70, 126, 130] {
      names[place] = String(repeating: "x", count: 9_000) + "\(place)"
    }
    var first: [[Int]]?
    for perSave in [5, 64, 1_300] {
      let file = try folder.document("archive\(perSave).emojiart")
      let id = try file.add(seed: 3)
      var maker = try EditMaker(seed: 4)
      var followed: [LoggedEdit] = try file.read().log
      try move(file, id, Array(names.prefix(900)), perSave: perSave, &maker)
      followed = try file.read().log
      try move(file, id, Array(names.dropFirst(900)), perSave: perSave, &maker)
      let (rows, log) = try read(file)
      let all = rows.flatMap(\.entries) + log
      #expect(all.map(\.revision) == Array(1...1_301))
      #expect(all.dropFirst().map(\.edit.name) == names)
      #expect(Array(all.prefix(followed.count)).map(\.edit) == followed.map(\.edit))
      #expect(try file.check().faults.isEmpty)
      let revisions = rows.map { $0.entries.map(\.revision) }
      #expect(revisions == first ?? revisions, "\(perSave) edits in a save")
      first = revisions
    }
    // The large ones of the archive are rows of their own, and divide those of their blocks.
    #expect(first?.map(\.count) == [1, 1, 61, 1, 1, 6, 1, 55, 1, 3, 1, 59, 64])
  }

  @Test("F28 the archive keeps 20,000 edits and 8 MiB, and the oldest leave it")
  func capacity() throws {
    let folder = try Workspace()
    let file = try folder.document()
    let id = try file.add(seed: 3)
    var maker = try EditMaker(seed: 4)
    let name = String(repeating: "x", count: 60_000)
    try move(file, id, Array(repeating: name, count: 300), perSave: 50, &maker)
    var (rows, log) = try read(file)
    #expect(rows.reduce(0) { $0 + $1.bytes } <= 8 << 20)
    #expect(rows.reduce(0) { $0 + $1.bytes } > (8 << 20) - 61_000)
    #expect(log.reduce(0) { $0 + $1.logBytes } <= 8 << 20)
    #expect(try #require(rows.last?.entries.last).revision + 1 == #require(log.first).revision)
    try move(file, id, Array(repeating: "move", count: 23_000), perSave: 500, &maker)
    (rows, log) = try read(file)
    let edits = rows.reduce(0) { $0 + $1.entries.count }
    #expect(edits <= 20_000 && edits > 20_000 - 64)
    #expect(try #require(rows.last?.entries.last).revision + 1 == #require(log.first).revision)
    #expect(try file.check().faults.isEmpty)
  }

  @Test("F28 an edit that is too large for the archive empties it")
  func tooLarge() throws {
    let folder = try Workspace()
    let file = try folder.document()
    let id = try file.add(seed: 3)
    var maker = try EditMaker(seed: 4)
    try move(file, id, Array(repeating: "move", count: 1_100), perSave: 100, &maker)
    #expect(try !read(file).rows.isEmpty)
    try move(file, id, [String(repeating: "x", count: 9 << 20)], perSave: 1, &maker)
    #expect(try read(file).rows.flatMap(\.entries).count == 1_101)
    #expect(try read(file).log.count == 1)
    try move(file, id, ["move"], perSave: 1, &maker)
    #expect(try read(file).rows.isEmpty)
    #expect(try read(file).log.map(\.revision) == [1_103])
    #expect(try file.check().faults.isEmpty)
  }

  @Test("F28 a save that does not hold each of its edits forgets those before them")
  func skipped() throws {
    let folder = try Workspace()
    let file = try folder.document()
    let id = try file.add(seed: 3)
    var maker = try EditMaker(seed: 4)
    try move(file, id, Array(repeating: "move", count: 1_200), perSave: 100, &maker)
    try saveAtOnce(2_500, file, id, &maker)
    let (rows, log) = try read(file)
    let revisions = (rows.flatMap(\.entries) + log).map(\.revision)
    #expect(revisions.last == 3_701 && revisions.count >= 1_000 && revisions.count <= 1_200)
    #expect(revisions == Array((3_702 - revisions.count)...3_701))
    #expect(try file.read().emoji(id)?.position.x == 2_499)
    #expect(try file.check().faults.isEmpty)
  }

  @Test("F28 edits that were unsaved for long, but are known one by one, forget none before them")
  func manyUnsaved() throws {
    let folder = try Workspace()
    let file = try folder.document()
    let id = try file.add(seed: 3)
    var maker = try EditMaker(seed: 4)
    try move(file, id, Array(repeating: "move", count: 1_200), perSave: 100, &maker)
    try saveAtOnce(1_150, file, id, &maker)
    let (rows, log) = try read(file)
    #expect((rows.flatMap(\.entries) + log).map(\.revision) == Array(1...2_351))
    #expect(try file.check().faults.isEmpty)
  }

  @Test(
    "F28 an archive that cannot be continued is cleared, and the save succeeds",
    arguments: ["rows = '[[1]]'", "revision = 9000"])
  func unreadable(_ change: String) throws {
    let folder = try Workspace()
    let file = try folder.document()
    let id = try file.add(seed: 3)
    var maker = try EditMaker(seed: 4)
    try move(file, id, Array(repeating: "move", count: 1_100), perSave: 1_100, &maker)
    try falsify(file, change)
    try move(file, id, Array(repeating: "move", count: 200), perSave: 50, &maker)
    let (rows, log) = try read(file)
    #expect(rows.first?.entries.first?.revision == 64)
    #expect((rows.flatMap(\.entries) + log).map(\.revision) == Array(64...1_301))
    #expect(try file.check().faults.isEmpty)
  }

  @Test("F28 a repair drops the archive, which no merge can use any more")
  func repaired() throws {
    let folder = try Workspace()
    let file = try folder.document()
    let id = try file.add(seed: 3)
    var maker = try EditMaker(seed: 4)
    try move(file, id, Array(repeating: "move", count: 1_100), perSave: 100, &maker)
    try shell(file.path, "UPDATE emoji SET z = z + 1")
    #expect(failure { try file.read() }?.code == .damaged)
    _ = try file.repair(.repair, stamp: maker.stamp())
    #expect(try read(file).rows.isEmpty && file.read().log.count < 1_064)
    #expect(try file.check().faults.isEmpty)
  }

  @Test(
    "F28 an edit for which a file is too large takes the room of the archive, and is refused only without one"
  )
  func fullFile() throws {
    let folder = try Workspace()
    let file = try folder.document()
    let picture = [UInt8](repeating: 5, count: 62 << 20)
    try file.edit { (transaction: DocumentTransaction) throws(ArtError) in
      do {
        for number in 1...4 { try transaction.insertImage(number, picture + [UInt8(number)]) }
        let row = String(repeating: " ", count: 6 << 20)
        try transaction.insertPlain(.archive, [.integer(1), .integer(1), .integer(6 << 20), .text(row)])
      } catch { throw .busy("rows") }
    }
    func add(_ number: Int, _ bytes: Int) -> ArtError? {
      failure {
        try file.edit { (transaction: DocumentTransaction) throws(ArtError) in
          do { try transaction.insertImage(number, Array(picture.prefix(bytes))) } catch {
            throw .busy("image")
          }
        }
      }
    }
    func rows() throws -> String {
      try shell(file.path, "SELECT (SELECT count(*) FROM archive), (SELECT count(*) FROM image)")
    }
    #expect(add(5, 1 << 20) == nil)
    #expect(try rows() == "1|5\n")
    // Even without the archive there is no room for this one, so the archive stays.
    #expect(add(6, 9 << 20)?.code == .tooLarge)
    #expect(try rows() == "1|5\n")
    #expect(add(6, 4 << 20) == nil)
    #expect(try rows() == "0|6\n")
    #expect(add(7, 4 << 20)?.code == .tooLarge)
  }

  @Test("F28 an edit that is too large for the archive is not parsed when it leaves the log")
  func notParsed() throws {
    let folder = try Workspace()
    let file = try folder.document()
    let id = try file.add(seed: 3)
    var maker = try EditMaker(seed: 4)
    try move(file, id, ["move", String(repeating: "x", count: 9 << 20)], perSave: 2, &maker)
    // Its sum fits, but its changes cannot be read.
    try file.edit { (transaction: DocumentTransaction) throws(ArtError) in
      let row = try transaction.statement("\(EditRow.select) WHERE length(name) > 1000000")
      try row.bind()
      guard try row.step() else { throw .busy("the edit") }
      let old = try row.integer(14)
      row.reset()
      try transaction.connection.execute(
        "UPDATE edit SET changes = '[[\"grow\"' || substr(changes, 9) WHERE length(name) > 1000000")
      try row.bind()
      guard try row.step() else { throw .busy("the edit") }
      let (new, count) = (try EditRow.sum(row), try row.utf8(11).count)
      row.reset()
      try transaction.statement("UPDATE edit SET sum = ?1 WHERE length(name) > 1000000").run(.integer(new))
      transaction.art.digest.remove(old)
      transaction.art.digest.add(new)
      #expect(count > 0)
    }
    try move(file, id, ["move"], perSave: 1, &maker)
    let (rows, log) = try read(file)
    #expect(rows.isEmpty && log.map(\.edit.name) == ["move"])
    #expect(try file.check().faults.isEmpty)
  }

  @Test("F28 an edit is archived as another program has spelled it, also if it cannot be understood")
  func spelling() throws {
    let folder = try Workspace()
    let file = try folder.document()
    let id = try file.add(seed: 3)
    var maker = try EditMaker(seed: 4)
    try move(file, id, Array(repeating: "move", count: 1_000), perSave: 100, &maker)
    let (row, before) = ("WHERE revision = 30", try read(file).log)
    // With spaces, an escape, and a change that is none.
    try respell(
      file, row, "changes = ' ' || replace(replace(changes, '\"m', '\"\\u006d'), ',', ' , ') || ' '")
    try move(file, id, Array(repeating: "move", count: 100), perSave: 50, &maker)
    let (rows, _) = try read(file)
    #expect(rows.flatMap(\.entries).map(\.edit) == before.prefix(63).map(\.edit))
    #expect(
      try shell(file.path, "SELECT instr(rows, '[[\"\\u006dove\" , \"') > 0 FROM archive WHERE revision = 1")
        == "1\n")
    #expect(try file.check().faults.isEmpty)
    try respell(file, "WHERE revision = 80", "changes = '[[\"grow\",{\"much\":1e3}]]'")
    try move(file, id, Array(repeating: "move", count: 64), perSave: 16, &maker)
    #expect(try !file.check().faults.isEmpty)
    #expect(try file.read().log.first?.revision == 128)
  }

  /// Changes a row of the log, with a sum and a size that fit.
  private func respell(_ file: DocumentFile, _ condition: String, _ change: String) throws {
    try file.edit { (transaction: DocumentTransaction) throws(ArtError) in
      let row = try transaction.statement("\(EditRow.select) \(condition)")
      func counted() throws(ArtError) -> (sum: Int, bytes: Int) {
        try row.bind()
        defer { row.reset() }
        guard try row.step() else { throw .busy("the edit") }
        var bytes = 0
        for column in EditRow.Column.counted where !row.isNull(column) {
          bytes += try row.utf8(column).count
        }
        return (try EditRow.sum(row), bytes)
      }
      let old = try counted()
      try transaction.connection.execute("UPDATE edit SET \(change) \(condition)")
      let new = try counted()
      try transaction.statement("UPDATE edit SET sum = ?1 \(condition)").run(.integer(new.sum))
      transaction.art.logBytes += new.bytes - old.bytes
      transaction.art.digest.remove(old.sum)
      transaction.art.digest.add(new.sum)
    }
  }

  @Test(
    "F3 the log in memory has the edits that the log in the file has",
    arguments: [1_000, 1_023, 1_024, 1_087, 1_088])
  func inMemory(_ count: Int) throws {
    let folder = try Workspace()
    let file = try folder.document()
    let id = try file.add(seed: 3)
    var maker = try EditMaker(seed: 4)
    try move(file, id, Array(repeating: "move", count: count - 1), perSave: count, &maker)
    var content = DocumentContent(id: try file.read().id, canvas: .standard)
    for revision in 1...count {
      content.append(
        LoggedEdit(
          maker.stamp(), revision: revision, save: 1, kind: .edit, edit: Edit(name: "", changes: []),
          inverse: []))
    }
    content.trimLog()
    #expect(try content.log.map(\.revision) == file.read().log.map(\.revision))
    #expect(content.log.count >= min(count, 1_000) && content.log.count < 1_064)
  }

  @Test(
    "F9 an edit of another program whose name or author has U+0000 is damage", arguments: ["name", "author"])
  func nul(_ column: String) throws {
    let folder = try Workspace()
    let file = try folder.document()
    try file.add(seed: 3)
    try file.edit { (transaction: DocumentTransaction) throws(ArtError) in
      let row = try transaction.statement(EditRow.select)
      try row.bind()
      guard try row.step() else { throw .busy("the edit") }
      let (old, before) = try EditRow.verifiedSum(row, of: "bees")
      row.reset()
      try transaction.connection.execute("UPDATE edit SET \(column) = 'a' || char(0) || 'b'")
      try row.bind()
      guard try row.step() else { throw .busy("the edit") }
      let new = try EditRow.sum(row)
      row.reset()
      try transaction.statement("UPDATE edit SET sum = ?1").run(.integer(new))
      try row.bind()
      guard try row.step() else { throw .busy("the edit") }
      transaction.art.logBytes += try EditRow.verifiedSum(row, of: "bees").bytes - before
      row.reset()
      transaction.art.digest.remove(old)
      transaction.art.digest.add(new)
    }
    let error = failure { try file.read() }
    #expect(error?.code == .damaged && error?.cause.contains("U+0000") == true)
    #expect(try !file.check().faults.isEmpty)
  }

  @Test(
    "F28 an archived row that is not what its columns say is damage, although it fits its sum",
    arguments: [
      "edits = edits + 1", "bytes = bytes - 1", "revision = revision + 1", "rows = '[]'", "rows = '[[1]]'",
      "rows = replace(rows, '\"edit\"', '\"redo\"')", "rows = replace(rows, '[\"move\"', '[\"grow\"')",
    ])
  func meaning(_ change: String) throws {
    let folder = try Workspace()
    let file = try folder.document()
    let id = try file.add(seed: 3)
    var maker = try EditMaker(seed: 4)
    try move(file, id, Array(repeating: "move", count: 1_100), perSave: 1_100, &maker)
    try falsify(file, change)
    // Who opens the document need not read what is archived.
    _ = try file.read()
    #expect(try !file.check().faults.isEmpty)
  }

  /// Changes the only row of the archive, with a sum that fits.
  private func falsify(_ file: DocumentFile, _ change: String) throws {
    try file.edit { (transaction: DocumentTransaction) throws(ArtError) in
      let row = try transaction.statement(PlainTable.archive.select)
      try row.bind()
      guard try row.step() else { throw .busy("an archive") }
      let old = try row.integer(4)
      row.reset()
      try transaction.connection.execute("UPDATE archive SET \(change)")
      try row.bind()
      guard try row.step() else { throw .busy("an archive") }
      let new = try PlainTable.archive.expectedSum(row)
      row.reset()
      try transaction.statement("UPDATE archive SET sum = ?1").run(.integer(new))
      transaction.art.digest.remove(old)
      transaction.art.digest.add(new)
    }
  }
}

@Suite("Named versions in a file") struct VersionRowTests {
  private static let background =
    #"{"digest":"\#(EditMaker.picture)","height":480,"mediaType":"image/png","width":640}"#

  private func values(
    _ key: String = "k3m9abcd0f2z:3", name: Statement.Value = .text("before the party"),
    content: Statement.Value = .text(
      #"{"background":null,"canvas":{"height":1,"width":1},"emojis":[],"revision":1}"#)
  ) -> [Statement.Value] {
    [
      .text(key), name, .integer(1), .text("k3m9abcd0f2z:2"), .text("Ada"), .integer(1_800_000_000_000),
      content,
    ]
  }

  private func insert(_ values: [Statement.Value], into file: DocumentFile) throws {
    try file.edit { (transaction: DocumentTransaction) throws(ArtError) in
      do { try transaction.insertPlain(.version, values) } catch { throw .busy("version") }
    }
  }

  @Test("F29 a version and the trace of a removed one are part of a whole document")
  func whole() throws {
    let folder = try Workspace()
    let file = try folder.document()
    try insert(values(), into: file)
    try insert(values("k3m9abcd0f2z:4", name: .null, content: .null), into: file)
    #expect(try file.check().faults.isEmpty)
    try file.add(seed: 5)
    #expect(try file.check().faults.isEmpty)
    try shell(file.path, "UPDATE version SET name = 'other'")
    #expect(failure { try file.read() }?.code == .damaged)
  }

  @Test("F29 a version that cannot be read is damage, although it fits its sum")
  func meaning() throws {
    let bad = [
      values("k3m9"), values(name: .null), values(content: .null), values(name: .text("")),
      values(name: .text("a\u{1B}")), values(name: .text(String(repeating: "x", count: 257))),
      values(content: .text("[]")), values(content: .text(#"{"background":{}}"#)),
    ]
    for values in bad {
      let folder = try Workspace()
      let file = try folder.document()
      try insert(values, into: file)
      #expect(try !file.check().faults.isEmpty, "\(values)")
    }
  }

  @Test("F29 the picture of a version stays, whatever backgrounds come after it")
  func pinned() throws {
    let folder = try Workspace()
    let file = try folder.document()
    var maker = try EditMaker(seed: 6)
    let pictures = try (1...7).map { try picture($0, bytes: 1_000) }
    try file.set(pictures[0], from: url(1), maker.stamp())
    let content =
      #"{"background":{"digest":"\#(pictures[0].digest)","height":1,"mediaType":"image/png","width":1}}"#
    try insert(values(content: .text(content)), into: file)
    for (number, picture) in pictures.enumerated().dropFirst() {
      try file.set(picture, from: url(number), maker.stamp())
    }
    for (number, picture) in pictures.enumerated() {
      #expect(try (file.picture(picture.digest) != nil) == (number == 0 || number > 2), "picture \(number)")
    }
    #expect(try file.check().faults.isEmpty)
  }
}
