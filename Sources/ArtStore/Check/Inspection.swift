// SPDX-License-Identifier: Apache-2.0

import ArtModel
import CStore

/// Everything that can be read of a document, divided into verified rows, rows that are valid but do not
/// match their sums, and invalid rows. Made on a private copy, so that the inspection changes nothing.
struct Inspection {
  /// A row that does not match its sum, or is invalid.
  struct UnverifiedRow {
    let table: String
    /// The columns as JSON, for the table `aside` and for messages.
    let row: String
    let reason: String
    /// Its content, if it is valid.
    let content: Content?
  }

  enum Content {
    case art(ArtRow)
    case emoji(Emoji)
    case edit(LoggedEdit)
    case plain(PlainTable, [Statement.Value])
  }

  /// The rows that match their sums.
  var art: ArtRow?
  var emojis: [EmojiID: Emoji] = [:]
  var log: [Int: LoggedEdit] = [:]
  var plain: [(table: PlainTable, values: [Statement.Value])] = []
  /// The other rows.
  var unverified: [UnverifiedRow] = []
  /// Whether the schema is not that of a document.
  private(set) var isForeign = false
  /// The faults of the document as a whole, a line each.
  var faults: [String] = []

  private var digest = Digest()
  private var changesByEmoji: [EmojiID: [Change]]?

  /// Inspects a copy with this known fault.
  init(_ connection: Connection, fault: String? = nil) {
    if let fault { faults.append(fault) }
    readTable("art", ArtRow.select, connection) { (found, row) throws(ArtError) in try found.readArt(row) }
    readBothWays("edit", EditRow.select, by: "revision", connection) { (found, row) throws(ArtError) in
      try found.readEdit(row)
    }
    readBothWays("emoji", EmojiRow.select, by: "id", connection) { (found, row) throws(ArtError) in
      try found.readEmoji(row)
    }
    for table in PlainTable.allCases {
      readTable("\(table.name)", table.select, connection) { (found, row) throws(ArtError) in
        try found.readPlain(table, row)
      }
    }
    compare(connection)
  }

  /// The number of verified rows.
  var verifiedRows: Int { (art == nil ? 0 : 1) + emojis.count + log.count + plain.count }

  /// Whether a verified row has the picture with that digest.
  private func hasPicture(_ digest: String) -> Bool {
    plain.contains { $0.table == .image && $0.values.count > 1 && $0.values[1] == .text(digest) }
  }
}

// MARK: - Reading

extension Inspection {
  private typealias RowReader = (inout Inspection, Statement) throws(ArtError) -> Void

  /// Reads the rows of a table to its end. If that is not possible, records a fault and returns false.
  @discardableResult
  private mutating func readTable(
    _ name: String, _ sql: String, _ connection: Connection, _ read: RowReader
  ) -> Bool {
    do throws(ArtError) {
      let rows = try Statement(sql, on: connection)
      var room = try connection.maximumRows
      while try rows.step() {
        room -= 1
        guard room >= 0 else { throw .damaged(connection.name, "it has more rows than fit into it") }
        try read(&self, rows)
      }
      return true
    } catch {
      let fault = "the table \(name) cannot be read to its end"
      if !faults.contains(fault) { faults.append(fault) }
      return false
    }
  }

  /// The same. A table that cannot be read to its end is read backwards, too.
  private mutating func readBothWays(
    _ name: String, _ select: String, by key: String, _ connection: Connection, _ read: RowReader
  ) {
    var seen: Set<String> = []
    for direction in ["ASC", "DESC"] {
      let isWhole = readTable(name, "\(select) ORDER BY \(key) \(direction)", connection) {
        (found, row) throws(ArtError) in
        if seen.insert(row.columnsAsJSON).inserted { try read(&found, row) }
      }
      if isWhole { return }
    }
  }

  private mutating func readArt(_ row: Statement) throws(ArtError) {
    do throws(ArtError) {
      let stored = try ArtRow.stored(row)
      let content = try ArtRow(stored)
      if stored.sum == stored.expectedSum {
        art = content
      } else {
        addUnverified("art", row, Salvage.artReason, .art(content))
      }
    } catch {
      addUnverified("art", row, "the document's own row cannot be read", nil)
    }
  }

  private mutating func readEmoji(_ row: Statement) throws(ArtError) {
    do throws(ArtError) {
      let (id, z, fields) = (try row.utf8(0), try row.integer(1), try row.utf8(2))
      let emoji = try EmojiRow.emoji(id: id, z: z, fields: fields, of: "")
      let sum = EmojiRow.sum(id: id, z: z, fields: fields)
      if try row.integer(3) == sum {
        digest.add(sum)
        addVerified(emoji)
      } else {
        addUnverified(
          "emoji", row,
          "emoji \(emoji.id) (now \(Self.describe(emoji))\(difference(of: emoji))) does not fit its sum",
          .emoji(emoji))
      }
    } catch {
      addUnverified("emoji", row, "an emoji's row cannot be read", nil)
    }
  }

  /// Adds an emoji of a verified row. If there are two, as when a page has an older state, the one that
  /// matches the newest edit of that emoji is used.
  private mutating func addVerified(_ emoji: Emoji) {
    guard let other = emojis[emoji.id], other != emoji else {
      emojis[emoji.id] = emoji
      return
    }
    let (newer, older) = isNewer(emoji, than: other) ? (emoji, other) : (other, emoji)
    emojis[emoji.id] = newer
    let reason = "emoji \(emoji.id) stands twice; the older one: \(Self.describe(older))"
    let row = EmojiRow(older)
    unverified.append(UnverifiedRow(table: "emoji", row: row.json, reason: reason, content: nil))
  }

  private mutating func isNewer(_ emoji: Emoji, than other: Emoji) -> Bool {
    for change in newestChanges(of: emoji.id) {
      let (fits, otherFits) = (change.matches(emoji), change.matches(other))
      if fits != otherFits { return fits }
    }
    return false
  }

  /// The changes of an emoji in the log, newest first. Collected for all emoji at the first call.
  private mutating func newestChanges(of id: EmojiID) -> [Change] {
    if changesByEmoji == nil {
      var gathered: [EmojiID: [Change]] = [:]
      for entry in log.values.sorted(by: { $0.revision > $1.revision }) {
        for change in entry.edit.changes.reversed() {
          if let emoji = change.field.emoji { gathered[emoji, default: []].append(change) }
        }
      }
      changesByEmoji = gathered
    }
    return changesByEmoji?[id] ?? []
  }

  /// How an emoji differs from the log: the newest change of each of its values that it does not match.
  private mutating func difference(of emoji: Emoji) -> String {
    var reported: Set<Field> = []
    var before: [String] = []
    for change in newestChanges(of: emoji.id) {
      for set in change.fieldByField where reported.insert(set.field).inserted && !set.matches(emoji) {
        before.append(Self.describe(set))
      }
    }
    return before.isEmpty ? "" : "; by the log \(before.joined(separator: ", "))"
  }

  private static func describe(_ change: Change) -> String {
    guard case .set(_, let value) = change else { return "removed" }
    return switch value {
    case .position(let place): "at \(numberText(place.x)),\(numberText(place.y))"
    case .size(let size): "size \(numberText(size.pixels))"
    case .text(let text): "\(text)"
    case .order: "at another place in the order"
    case .rotation(let rotation): "turned by \(numberText(rotation.degrees))°"
    case .mirroring(let isMirrored): isMirrored ? "mirrored" : "not mirrored"
    case .color(let color): "in \(color.ofLetters?.description ?? "black")"
    }
  }

  private static func describe(_ emoji: Emoji) -> String {
    let place = "\(numberText(emoji.position.x)),\(numberText(emoji.position.y))"
    return "\(emoji.text) at \(place), size \(numberText(emoji.size.pixels))"
  }

  private mutating func readEdit(_ row: Statement) throws(ArtError) {
    do throws(ArtError) {
      let content = try EditRow(unverified: row, of: "")
      if try EditRow.sum(row) == content.sum {
        digest.add(content.sum)
        guard log[content.entry.revision] == nil else {
          return addUnverified("edit", row, "edit \(content.entry.revision) stands twice", nil)
        }
        log[content.entry.revision] = content.entry
      } else {
        let entry = content.entry
        addUnverified(
          "edit", row, "edit \(entry.revision) (\(entry.title)) does not fit its sum", .edit(entry))
      }
    } catch {
      addUnverified("edit", row, "an edit's row cannot be read", nil)
    }
  }

  private mutating func readPlain(_ table: PlainTable, _ row: Statement) throws(ArtError) {
    var content: Content?
    do throws(ArtError) {
      try table.checkMeaning(row, of: "")
      var values: [Statement.Value] = []
      for column in 0..<row.columnCount - 1 { values.append(try row.value(column)) }
      content = .plain(table, values)
      let sum = try table.expectedSum(row)
      if try row.integer(row.columnCount - 1) == sum {
        plain.append((table, values))
        digest.add(sum)
        return
      }
    } catch {
      content = nil
    }
    addUnverified("\(table.name)", row, "a row of the table \(table.name) does not fit its sum", content)
  }

  private mutating func addUnverified(
    _ table: String, _ row: Statement, _ reason: String, _ content: Content?
  ) {
    unverified.append(UnverifiedRow(table: table, row: row.columnsAsJSON, reason: reason, content: content))
  }

  /// Adds a fault if a page does not have exactly one use.
  private mutating func comparePages(_ connection: Connection) {
    guard !isForeign else { return }
    do throws(ArtError) {
      if let fault = try PageMap.fault(in: connection) { faults.append(fault) }
    } catch {
      faults.append("the use of its pages cannot be verified: \(error.cause)")
    }
  }

  /// Adds the faults of the document as a whole.
  private mutating func compare(_ connection: Connection) {
    do throws(ArtError) {
      try DocumentTransaction.checkSchema(connection)
    } catch {
      isForeign = true
      faults.append("its tables are not those of a document")
    }
    do throws(ArtError) {
      for fault in try DocumentTransaction.structureFaults(connection) { faults.append("SQLite: \(fault)") }
    } catch {
      faults.append("SQLite's own check fails: \(error.cause)")
    }
    comparePages(connection)
    guard unverified.isEmpty else { return }
    guard let art else {
      faults.append("the document's own row is missing")
      return
    }
    if art.digest != digest { faults.append("rows are missing or too many: the digest does not fit") }
    if art.emojiCount != emojis.count {
      faults.append("\(emojis.count) emoji are there where \(art.emojiCount) should be")
    }
    let last = log.keys.max().flatMap { log[$0] }
    if last?.id != art.head { faults.append("the last edit is not the document's head") }
    if let background = art.background, !hasPicture(background.digest) {
      faults.append("the picture of the background is not in it")
    }
    guard faults.isEmpty else { return }
    // Finally the document must be readable like any other.
    do throws(ArtError) {
      _ = try DocumentTransaction(connection, begin: "BEGIN").load()
      try connection.execute("COMMIT")
    } catch {
      faults.append(error.cause)
    }
  }
}
