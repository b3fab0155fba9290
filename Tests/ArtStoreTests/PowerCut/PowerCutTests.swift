// SPDX-License-Identifier: Apache-2.0

import CStore
import Foundation
import TestSupport
import Testing

@testable import ArtModel
@testable import ArtStore

/// Saves of the real program, replayed onto a disk that loses its power.
@Suite struct PowerCutTests {
  private static let name = "cut.emojiart"

  /// The content that the library reads; nil when there is no document.
  private static func content(_ folder: String) throws -> DocumentContent? {
    guard access("\(folder)/\(name)", F_OK) == 0 else { return nil }
    // No other program has the file.
    return try DocumentFile("\(folder)/\(name)", timeout: .zero).read()
  }

  /// `new` and 12 saves: small ones, some of many pages, some that free pages and use them again.
  private static func saves(of path: String) -> [[String]] {
    let many = Array(repeating: "🐝", count: 120)
    return [
      ["new", path], ["add", path, "🐝"], ["add", path, "🌸", "🏳️‍🌈", "--at", "10,20"], ["add", path] + many,
      ["move", "--all", path, "--by", "1,1"], ["resize", path, "@last", "--to", "48"],
      ["remove", path, "--all"], ["add", path, "👩‍🚀"], ["undo", path, "2"],
      ["order", path, "🌸", "--front"],
      ["remove", path, "🌸"], ["undo", path], ["add", path, "❤️", "--size", "64"],
    ]
  }

  /// An edit after the cut: it repairs the document and leaves nothing beside it.
  private static func edit(_ remains: PowerCut.Remains, _ found: DocumentContent?) throws {
    guard remains.number.isMultiple(of: 4), let found else { return }
    let file = DocumentFile("\(remains.folder)/\(name)")
    let id = try file.add(seed: 100_000 + UInt64(remains.number))
    let after = try file.read()
    guard after.revision == found.revision + 1,
      after.emojisInOrder().filter({ $0.id != id }) == found.emojisInOrder()
    else { throw TraceError(what: "the edit after it changed more") }
    let names = try FileManager.default.contentsOfDirectory(atPath: remains.folder)
    guard names == [name] else { throw TraceError(what: "the edit after it left \(names)") }
    // In a long run the quarantine would fill the disk.
    for kept in try TestState.asideFiles() where kept.contains("-\(name)") { unlink(kept) }
  }

  @Test("F15 an acknowledged save is there after a power cut, and no cut tears a document")
  func saves() throws {
    let folder = try Workspace()
    var recording = try Recording(of: folder.path)
    for arguments in Self.saves(of: folder[Self.name]) { try recording.record(emojiart, arguments) }
    let power = try PowerCut(recording)
    let states = try AcknowledgedStates(recording, read: Self.content)
    let campaign = Campaign("power-cuts", smoke: 100)
    let outcome = try power.cut(campaign) { remains in
      try states.judge(remains) { try Self.edit(remains, $0) }
    }
    let control = try PowerCut(recording.withoutSyncs).cut(campaign) { try states.judge($0) }
    print(
      "F15 power cut: \(outcome.cuts) cuts in \(recording.events.count) steps of \(power.answers) saves: lost "
        + "\(outcome.lost), torn \(outcome.torn); \(outcome.withJournal) left a journal; control without syncs: lost "
        + "\(control.lost), torn \(control.torn)")
    campaign.report(tried: outcome.cuts)
    #expect(outcome.faults == [])
    #expect(power.answers == 13 && outcome.cuts == campaign.count && outcome.withJournal > outcome.cuts / 10)
    #expect(control.lost > 0 && control.torn > 0, "the control finds losses and torn documents")
  }

  @Test("F15 a power cut while an interrupted save is rolled back leaves it interrupted or rolled back")
  func recovery() throws {
    let folder = try Workspace()
    _ = try folder.crashed(Self.name)
    var recording = try Recording(of: folder.path)
    try recording.record(emojiart, ["add", folder[Self.name], "🐝"])
    let power = try PowerCut(recording)
    let states = try AcknowledgedStates(recording, read: Self.content)
    let campaign = Campaign("power-cuts-of-a-recovery", smoke: 40)
    let outcome = try power.cut(campaign) { remains in
      try states.judge(remains) { try Self.edit(remains, $0) }
    }
    print(
      "F15 power cut in a recovery: \(outcome.cuts) cuts in \(recording.events.count) steps: lost \(outcome.lost), "
        + "torn \(outcome.torn)")
    campaign.report(tried: outcome.cuts)
    #expect(outcome.faults == [])
    #expect(power.answers == 1 && outcome.cuts == campaign.count && outcome.withJournal > 0)
  }

  /// The same number of transactions of about the same size.
  private static let transactions = [
    insert(1), insert(2), insert(120), "UPDATE emoji SET z = z + 1", "UPDATE emoji SET z = 48 WHERE id = 3",
    "DELETE FROM emoji", insert(1), insert(123), "UPDATE emoji SET z = 1000 WHERE id = 2",
    "DELETE FROM emoji WHERE id = 2", insert(1), "UPDATE emoji SET json = '64' WHERE id = 5",
  ]

  private static func insert(_ count: Int) -> String {
    """
    WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(count))
    INSERT INTO emoji(z, json) SELECT i, printf('{"size":40,"text":"🐝","x":%d,"y":200}', i) FROM n
    """
  }

  /// The content of the database as SQLite reads it, and the number of the last transaction.
  private static func rows(_ folder: String) throws -> String {
    var handle: OpaquePointer?
    defer { sqlite3_close(handle) }
    guard sqlite3_open_v2("\(folder)/plain.db", &handle, SQLITE_OPEN_READWRITE, nil) == SQLITE_OK else {
      throw TraceError(what: "SQLite cannot open it")
    }
    let sql = """
      SELECT (SELECT n FROM done) || ' ' || (SELECT integrity_check FROM pragma_integrity_check) || ' '
        || ifnull((SELECT group_concat(id || ' ' || z || json) FROM emoji), '')
      """
    var statement: OpaquePointer?
    defer { sqlite3_finalize(statement) }
    guard sqlite3_prepare_v2(handle, sql, -1, &statement, nil) == SQLITE_OK,
      sqlite3_step(statement) == SQLITE_ROW, let text = sqlite3_column_text(statement, 0)
    else { throw TraceError(what: String(cString: sqlite3_errmsg(handle))) }
    return String(cString: text)
  }

  private static func plain(_ campaign: Campaign, synchronous: String) throws -> PowerCut.Outcome {
    let folder = try Workspace()
    let path = folder["plain.db"]
    try shell(
      path,
      """
      CREATE TABLE emoji(id INTEGER PRIMARY KEY, z INTEGER, json TEXT);
      CREATE INDEX by_z ON emoji(z); CREATE TABLE done(n); INSERT INTO done VALUES(0)
      """)
    var recording = try Recording(of: folder.path)
    for transaction in transactions {
      let sql = """
        PRAGMA synchronous=\(synchronous); BEGIN IMMEDIATE; \(transaction); UPDATE done SET n = n + 1; COMMIT;
        SELECT 'saved'
        """
      try recording.record("sqlite3", ["-bail", path, sql])
    }
    let power = try PowerCut(recording)
    #expect(power.answers == transactions.count)
    let states = try AcknowledgedStates(recording, read: rows)
    return try power.cut(campaign) { try states.judge($0) }
  }

  @Test("F15 the control: the same cuts of SQLite with DELETE and FULL lose acknowledged transactions")
  func control() throws {
    let campaign = Campaign("power-cuts-of-sqlite", smoke: 100)
    let lossy = try Self.plain(campaign, synchronous: "FULL")
    let safe = try Self.plain(campaign, synchronous: "EXTRA")
    let percent = (1_000 * lossy.lost / lossy.cuts + 5) / 10
    print(
      "F15 control with FULL, the sqlite3 shell with 12 transactions: lost \(lossy.lost) of \(lossy.cuts) "
        + "(\(percent) %), torn \(lossy.torn); with EXTRA: lost \(safe.lost), torn \(safe.torn)")
    campaign.report(tried: lossy.cuts)
    #expect(lossy.lost > 0 && lossy.torn == 0)
    #expect(safe.faults == [])
  }
}
