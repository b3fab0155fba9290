// SPDX-License-Identifier: Apache-2.0

import ArtModel
import CStore

/// Everything that can be read of a document, sorted into what its sums vouch for, what only makes sense, and what
/// does not even do that. Made on a private copy, so that looking changes nothing.
struct Inspection {
  /// A row that its sum does not vouch for.
  struct UnverifiedRow {
    let table: String
    /// The columns as JSON, for `aside` and for people.
    let row: String
    let reason: String
    /// What it means, if it means something.
    let content: Content?
  }

  enum Content {
    case art(ArtRow)
    case emoji(Emoji)
    case edit(LoggedEdit)
    case plain(PlainTable, [Statement.Value])
  }

  /// What its sums vouch for.
  var art: ArtRow?
  var emojis: [EmojiID: Emoji] = [:]
  var log: [Int: LoggedEdit] = [:]
  var plain: [(table: PlainTable, values: [Statement.Value])] = []
  /// The rest.
  var unverified: [UnverifiedRow] = []
  /// Whether the tables are not those of a document.
  private(set) var isForeign = false
  /// What is wrong with the document as a whole.
  var faults: [String] = []

  private var digest = Digest()
  private var changesByEmoji: [EmojiID: [Change]]?

  /// Looks at a copy, of which this is known to be wrong.
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

  /// Rows that their sums vouch for.
  var verifiedRows: Int { (art == nil ? 0 : 1) + emojis.count + log.count + plain.count }

  /// Whether a row that its sum vouches for has the picture of that digest.
  private func hasPicture(_ digest: String) -> Bool {
    plain.contains { $0.table == .image && $0.values.count > 1 && $0.values[1] == .text(digest) }
  }
}

extension Inspection {
  private typealias RowReader = (inout Inspection, Statement) throws(ArtError) -> Void

  /// Reads the rows of a table until its end; what cannot be read further is a fault, and false.
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

  /// The same; where the table breaks off in its middle it is read from its end, too.
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

  /// Of two rows that both fit their sums, as where a page holds an older state, the one stays that the newest edit of
  /// that emoji speaks of.
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

  /// What the log says of an emoji, newest first; gathered for all when it is asked for the first time.
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

  /// What the log says otherwise of an emoji: for each of its values the newest change that set it.
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
    switch change {
    case .move(_, let place): "at \(numberText(place.x)),\(numberText(place.y))"
    case .resize(_, let size): "size \(numberText(size.pixels))"
    case .setText(_, let text): "\(text)"
    case .order: "at another place in the order"
    default: "removed"
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

  /// Every page must have one use.
  private mutating func comparePages(_ connection: Connection) {
    guard !isForeign else { return }
    do throws(ArtError) {
      if let fault = try PageMap.fault(in: connection) { faults.append(fault) }
    } catch {
      faults.append("the use of its pages cannot be verified: \(error.message)")
    }
  }

  /// What the rows together must fulfil.
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
      faults.append("SQLite's own check fails: \(error.message)")
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
    // The last word is that of those who read documents.
    do throws(ArtError) {
      _ = try DocumentTransaction(connection, begin: "BEGIN").load()
      try connection.execute("COMMIT")
    } catch {
      faults.append(error.message)
    }
  }
}
