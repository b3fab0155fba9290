// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@testable import ArtModel
@testable import ArtStore

/// Changes of a document by other programs.
@Suite struct ForeignTests {
  private func runRepair(_ file: DocumentFile, _ mode: RepairMode) throws -> RepairReport? {
    var maker = try EditMaker(seed: 99, name: "Ada")
    return try file.repair(mode, stamp: maker.stamp())
  }

  private func sample(_ folder: Workspace) throws -> DocumentFile {
    let file = try folder.document()
    try file.fill(emojis: 12, edits: 4, imageBytes: 9_000, seed: 12)
    return file
  }

  @Test("F4 a document in WAL mode is refused, and repair switches it back")
  func wal() throws {
    let folder = try Workspace()
    let file = try sample(folder)
    let content = try file.read()
    try shell(file.path, "PRAGMA journal_mode=wal")
    for error in [
      failure { try file.read() }, failure { try file.add(seed: 1) }, failure { try file.summary() },
    ] {
      #expect(error?.code == .damaged && error?.cause.contains("WAL") == true)
    }
    #expect(try folder.names == ["bees.emojiart"])
    #expect(try file.check().faults.count == 1)
    _ = try #require(try runRepair(file, .repair))
    let now = try file.read()
    #expect(now.emojisInOrder() == content.emojisInOrder())
    #expect(now.log.dropLast() == content.log[...] && now.log.last?.kind == .repair)
    #expect(try folder.names == ["bees.emojiart"])
  }

  @Test("F4 a document with a -wal file beside it is refused, and repair moves the -wal file away")
  func strayWal() throws {
    let folder = try Workspace()
    let file = try sample(folder)
    let content = try file.read()
    try write([UInt8](repeating: 7, count: 5_000), to: file.path + "-wal")
    #expect(failure { try file.read() }?.code == .damaged)
    #expect(failure { try file.add(seed: 1) }?.code == .damaged)
    _ = try runRepair(file, .repair)
    #expect(try file.read().emojisInOrder() == content.emojisInOrder())
    #expect(try folder.names == ["bees.emojiart"])
  }

  @Test("F1 a document stays valid and editable after ANALYZE, VACUUM and other maintenance of SQLite")
  func tolerated() throws {
    let statements = [
      "ANALYZE", "VACUUM", "ANALYZE; VACUUM", "REINDEX", "PRAGMA page_size=8192; VACUUM",
      "PRAGMA page_size=512; VACUUM", "PRAGMA auto_vacuum=FULL; VACUUM", "PRAGMA optimize",
    ]
    for sql in statements {
      let folder = try Workspace()
      let file = try sample(folder)
      let content = try file.read()
      try shell(file.path, sql)
      #expect(try file.read() == content, "\(sql)")
      #expect(try file.summary().emojiCount == content.emojiCount, "\(sql)")
      try file.add(seed: 6)
      #expect(try file.read().emojiCount == content.emojiCount + 1, "\(sql)")
      #expect(try file.check().faults == [], "\(sql)")
    }
  }

  @Test("F1 a document with any change of its schema is refused, and repair restores the schema")
  func altered() throws {
    let schema = "PRAGMA writable_schema=ON; UPDATE sqlite_schema SET"
    let statements = [
      "CREATE TABLE mine(a)", "CREATE INDEX mine ON emoji(json)", "CREATE VIEW mine AS SELECT 1",
      "CREATE TRIGGER mine AFTER INSERT ON emoji BEGIN DELETE FROM emoji; END", "DROP VIEW document",
      "DROP INDEX emoji_z", "ALTER TABLE origin ADD COLUMN more TEXT", "DROP TABLE aside",
      "\(schema) sql = replace(sql, 'sum INTEGER NOT NULL', 'sum INTEGER  NOT NULL') WHERE name = 'emoji'",
      "\(schema) sql = replace(sql, 'CHECK(one = 1)', 'CHECK(one < 2)') WHERE name = 'art'",
      "\(schema) sql = replace(sql, 'ORDER BY z, id', 'ORDER BY id') WHERE name = 'document'",
      "CREATE TABLE t(a); \(schema) name = 'sqliteXstat1' WHERE name = 't'",
      "CREATE TABLE t(a); \(schema) name = 'sqlite_stat1', tbl_name = 'sqlite_stat1', "
        + "sql = 'CREATE TABLE sqlite_stat1(tbl,idx,stat,more)' WHERE name = 't'",
    ]
    for sql in statements {
      let folder = try Workspace()
      let file = try sample(folder)
      let content = try file.read()
      let whole = try bytes(file.path)
      // The defensive mode of newer shells forbids it.
      let ended = try run("sqlite3", ["-unsafe-testing", file.path, sql])
      if ended.status != 0 { _ = try run("sqlite3", [file.path, ".dbconfig defensive off", sql]) }
      try #require(try bytes(file.path) != whole, "\(sql)")
      #expect(failure { try file.read() }?.code == .damaged, "\(sql)")
      #expect(failure { try file.add(seed: 6) }?.code == .damaged, "\(sql)")
      #expect(try file.check().faults.isEmpty == false, "\(sql)")
      _ = try runRepair(file, .repair)
      #expect(try file.read().emojisInOrder() == content.emojisInOrder(), "\(sql)")
    }
  }

  @Test(
    "F9 rows of another program are refused, with both possible causes in the error, and adopt accepts the valid ones"
  )
  func adoption() throws {
    let folder = try Workspace()
    let file = try sample(folder)
    let content = try file.read()
    let first = try #require(content.bottom())
    let last = try #require(content.top())
    try shell(
      file.path,
      """
      UPDATE emoji SET json = '{"size":50,"text":"🌻","x":1,"y":2}' WHERE id = '\(first.id)';
      UPDATE emoji SET json = '{"size":-1,"text":"🌻","x":1,"y":2}' WHERE id = '\(last.id)';
      INSERT INTO emoji VALUES('zzzzzzz0', 5, '{"size":9,"text":"🌵","x":3,"y":4}', 0);
      """)
    for error in [
      failure { try file.read() }, failure { try file.edit { t throws(ArtError) in _ = try t.top() } },
    ] {
      #expect(error?.code == .damaged && error?.cause.contains("or another program wrote it") == true)
    }
    let report = try #require(try runRepair(file, .adopt))
    #expect(report.adopted.count == 2 && report.quarantined.count == 1)
    #expect(try bytes(report.original).count > 0)
    let now = try file.read()
    #expect(now.emoji(first.id)?.text.string == "🌻" && now.emoji(first.id)?.size.pixels == 50)
    #expect(now.emoji(last.id) == nil && now.emojiCount == content.emojiCount)
    #expect(now.revision == content.revision + 1 && now.head != content.head)
    let quarantined = try shell(file.path, "SELECT source, row FROM aside")
    #expect(quarantined.hasPrefix("emoji|[\"\(last.id)\","))
    #expect(try runRepair(file, .adopt) == nil)
    // The repair cannot be undone, and editing continues after it.
    try file.add(seed: 5)
    #expect(try file.check().faults == [])
  }

  @Test("F9 a document with removed rows is refused, and adopt continues without them")
  func deletion() throws {
    let folder = try Workspace()
    let file = try sample(folder)
    let content = try file.read()
    let first = try #require(content.bottom())
    try shell(file.path, "DELETE FROM emoji WHERE id = '\(first.id)'")
    #expect(failure { try file.read() }?.code == .damaged)
    _ = try #require(try runRepair(file, .adopt))
    #expect(try file.read().emojiCount == content.emojiCount - 1)
  }

  @Test("F9 repair moves every kind of row that does not match its sum to the quarantine")
  func repair() throws {
    for (table, change) in [
      ("emoji", "UPDATE emoji SET z = z + 1 WHERE id = (SELECT min(id) FROM emoji)"),
      ("edit", "UPDATE edit SET time = 1 WHERE revision = 2"),
      ("edit", "UPDATE edit SET name = CAST(x'ff41' AS TEXT) WHERE revision = 2"),
      ("image", "UPDATE image SET bytes = zeroblob(100)"),
      ("origin", "INSERT INTO origin VALUES('k3m9abcd0f2z', 4, 1)"),
      ("art", "UPDATE art SET revision = 9007199254740992"),
      ("art", "UPDATE art SET canvas = 'x'"),
      ("aside", "INSERT INTO aside VALUES(9223372036854775807, 'emoji', 'x', 'y', 1, 1)"),
      ("archive", "INSERT INTO archive VALUES(5, 1, 1, '[]', 1)"),
      ("version", "INSERT INTO version VALUES('k3m9abcd0f2z:1', 'x', 1, NULL, NULL, 1, '{}', 1)"),
    ] {
      let folder = try Workspace()
      let file = try sample(folder)
      try shell(file.path, change)
      #expect(failure { try file.read() }?.code == .damaged, "\(change)")
      let report = try #require(try runRepair(file, .repair))
      #expect(report.quarantined.count == 1, "\(change)")
      #expect(try file.check().faults == [], "\(change)")
      #expect(try shell(file.path, "SELECT source FROM aside") == table + "\n", "\(change)")
      try file.add(seed: 2)
      #expect(try file.check().faults == [], "\(change)")
    }
  }

  @Test("F9 repair finds the rows of a document whose first page is lost")
  func firstPage() throws {
    let folder = try Workspace()
    let file = try sample(folder)
    let content = try file.read()
    var broken = try bytes(file.path)
    for index in 100..<4096 { broken[index] = 0 }
    try write(broken, to: file.path)
    #expect(failure { try file.read() }?.code == .damaged)
    #expect(try #require(try runRepair(file, .repair)).quarantined.isEmpty)
    let now = try file.read()
    #expect(now.emojisInOrder() == content.emojisInOrder() && now.id == content.id)
    #expect(now.log.dropLast() == content.log[...])
  }

  @Test("F9 a file in which no row can be read is not repaired, and stays as it is")
  func nothingLeft() throws {
    let folder = try Workspace()
    let file = try sample(folder)
    var broken = try bytes(file.path)
    for index in 100..<broken.count { broken[index] = 0 }
    try write(broken, to: file.path)
    #expect(failure { try runRepair(file, .repair) }?.code == .damaged)
    #expect(failure { try runRepair(file, .adopt) }?.code == .damaged)
    try write(Array(broken.prefix(60)), to: file.path)
    #expect(failure { try runRepair(file, .repair) }?.code == .damaged)
    #expect(try bytes(file.path) == Array(broken.prefix(60)))
    #expect(try folder.names == ["bees.emojiart"])
  }

  @Test("F9 a document whose format number is lost is repaired")
  func formatNumber() throws {
    let folder = try Workspace()
    let file = try sample(folder)
    let content = try file.read()
    try shell(file.path, "PRAGMA user_version=0")
    #expect(try file.check().faults.count == 1)
    _ = try runRepair(file, .repair)
    #expect(try file.read().emojisInOrder() == content.emojisInOrder())
  }

  @Test("F10 the repaired file has the mode and the owner of the old one, whatever the umask")
  func mode() throws {
    let folder = try Workspace()
    let file = try sample(folder)
    try shell(file.path, "DELETE FROM edit")
    chmod(file.path, 0o664)
    let isRoot = isRoot(for: "F10 the owner of a repaired file")
    if isRoot { #expect(chown(file.path, 1_234, 4_321) == 0) }
    let ended = try run(
      "/bin/sh", ["-c", "umask 077; exec '\(emojiart)' check --adopt --yes '\(file.path)'"])
    #expect(ended.status == 0, "\(ended.errors)")
    var status = stat()
    #expect(stat(file.path, &status) == 0)
    #expect(status.st_mode & 0o7777 == 0o664)
    if isRoot { #expect(status.st_uid == 1_234 && status.st_gid == 4_321) }
    #expect(try file.check().faults == [])
  }

  @Test("F10 a repair waits for a writer, and loses nothing of its edit")
  func repairMeetsWriter() throws {
    let folder = try Workspace()
    let file = try sample(folder)
    var maker = try EditMaker(seed: 1)
    let stamp = maker.stamp()
    let shortTimeout = DocumentFile(file.path, timeout: .milliseconds(50))
    try file.edit { (transaction: DocumentTransaction) throws(ArtError) in
      let error = failure { try shortTimeout.repair(.repair, stamp: stamp) }
      if error?.code != .busy { throw .busy("repair did not wait: \(error as Any)") }
      _ = try transaction.perform(
        Edit(name: "canvas", changes: [.setCanvas(try Canvas(width: 9, height: 9))]), stamp: stamp)
    }
    #expect(try file.read().canvas.width == 9)
  }
}
