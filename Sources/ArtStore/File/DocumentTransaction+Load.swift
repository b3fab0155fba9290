// SPDX-License-Identifier: Apache-2.0

import ArtModel

extension DocumentTransaction {
  /// Throws `damaged` when the tables are not those of a document, in any order: VACUUM makes one of its own.
  /// SQLite's own statistics may be there.
  static func checkSchema(_ connection: Connection) throws(ArtError) {
    let rows = try Statement("SELECT name, sql, rootpage FROM sqlite_schema", on: connection)
    var missing = Format.schema
    var roots: [Int] = []
    while try rows.step() {
      let (name, sql) = (try rows.text(0), try rows.optionalText(1))
      // A view has none.
      let root = try rows.integer(2)
      if root != 0 { roots.append(root) }
      if Format.statistics.contains(where: { $0.name == name && $0.sql == sql }) { continue }
      guard let index = missing.firstIndex(where: { $0.name == name && $0.sql == sql }) else {
        throw .damaged(connection.name, "its tables are not those of a document")
      }
      missing.remove(at: index)
    }
    guard missing.isEmpty else { throw .damaged(connection.name, "it lacks tables of a document") }
    connection.roots = roots
  }

  static func readArt(_ connection: Connection) throws(ArtError) -> ArtRow {
    let rows = try Statement(ArtRow.select, on: connection)
    guard try rows.step() else { throw .damaged(connection.name, "the document's own row is missing") }
    let stored = try ArtRow.stored(rows)
    guard stored.sum == stored.expectedSum else {
      throw .damaged(connection.name, "the document's own row does not fit its sum")
    }
    do {
      return try ArtRow(stored)
    } catch {
      throw .damaged(connection.name, error.message)
    }
  }
}

extension DocumentTransaction {
  /// Reads and verifies the whole document: every row of every table against its sum, all of them against the digest, and the use
  /// of every page. Throws `damaged`.
  public func load() throws(ArtError) -> DocumentContent {
    if let loaded, loaded.art == art { return loaded.content }
    if !connection.isBeingMade, !hasChanges { try PageMap.verify(connection) }
    var digest = Digest()
    let emojis = try loadEmojis(&digest)
    let log = try loadLog(&digest)
    var pictures: Set<String> = []
    var room = try connection.rowRoom
    for table in PlainTable.allCases {
      let rows = try Statement("\(table.select) ORDER BY 1", on: connection)
      var last: Statement.Value?
      while try rows.step() {
        let key = try rows.value(0)
        if let last, !(last < key) { throw outOfOrder("\(table.name)") }
        last = key
        room -= 1
        guard room >= 0 else { throw .damaged(name, "it has more rows than fit into it") }
        digest.add(try table.verify(rows, of: name))
        if table == .image { pictures.insert(try rows.text(1)) }
      }
    }
    guard digest == art.digest else {
      throw .damaged(name, "rows are missing or too many: the digest does not fit")
    }
    let content = DocumentContent(
      id: art.id, canvas: art.canvas, background: art.background, pending: art.pending, emojis: emojis,
      log: log,
      revision: art.revision, head: art.head, pictures: pictures)
    guard let content, emojis.count == art.emojiCount else {
      throw .damaged(name, "the count of emoji does not fit")
    }
    try checkHead(log.last)
    loaded = (art, content)
    return content
  }

  /// What SQLite's own check finds wrong with tables and indexes. It passes over the free list, which `PageMap` verifies.
  static func structureFaults(_ connection: Connection) throws(ArtError) -> [String] {
    let rows = try Statement("PRAGMA integrity_check(20)", on: connection)
    var faults: [String] = []
    while try rows.step() { faults.append(try rows.text(0)) }
    return faults == ["ok"] ? [] : faults
  }

  /// Pages can stand in each other's places: every sum fits then, and so does the digest, which knows no order.
  func outOfOrder(_ table: String) -> ArtError {
    .damaged(name, "the rows of the table \(table) are out of order")
  }

  /// Throws `damaged` when the newest edit is not the one that the document's own row names.
  func checkHead(_ newest: LoggedEdit?) throws(ArtError) {
    guard newest?.id == art.head, newest.map({ $0.revision == art.revision }) ?? true else {
      throw .damaged(name, "the last edit is not the document's head")
    }
  }

  private func loadEmojis(_ digest: inout Digest) throws(ArtError) -> [Emoji] {
    var emojis: [Emoji] = []
    emojis.reserveCapacity(art.emojiCount)
    let rows = try Statement("\(EmojiRow.select) ORDER BY id", on: connection)
    while try rows.step() {
      let row = try EmojiRow(rows, of: name)
      guard emojis.count < art.emojiCount else { throw .damaged(name, "the count of emoji does not fit") }
      if let last = emojis.last, last.id >= row.emoji.id { throw outOfOrder("emoji") }
      digest.add(row.sum)
      emojis.append(row.emoji)
    }
    return emojis
  }

  private func loadLog(_ digest: inout Digest) throws(ArtError) -> [LoggedEdit] {
    var log: [LoggedEdit] = []
    let mostEdits = Format.logEdits + art.revision - found.revision
    let rows = try Statement("\(EditRow.select) ORDER BY revision", on: connection)
    var bytes = 0
    while try rows.step() {
      let row = try EditRow(rows, of: name)
      digest.add(row.sum)
      bytes += row.bytes
      guard log.count < mostEdits else { throw .damaged(name, "the log is too long") }
      if let last = log.last, last.revision >= row.entry.revision { throw outOfOrder("edit") }
      log.append(row.entry)
    }
    guard bytes == art.logBytes else { throw .damaged(name, "the size of the log does not fit") }
    return log
  }
}
