// SPDX-License-Identifier: Apache-2.0

import ArtModel

/// A valid document that is built from the result of an inspection.
struct Salvage {
  private var art: ArtRow
  private var emojis: [EmojiID: Emoji]
  private var log: [Int: LoggedEdit]
  private var plain: [(table: PlainTable, values: [Statement.Value])]
  /// The keys of these rows.
  private var keys: Set<Key> = []
  private var rejected: [Inspection.UnverifiedRow] = []
  /// The rows that were quarantined, a line each.
  private(set) var quarantined: [String] = []
  /// The rows that were accepted, a line each.
  private(set) var adopted: [String] = []
  /// What was lost with missing rows, a line each.
  private(set) var lost: [String] = []

  private struct Key: Hashable {
    let table: PlainTable
    let value: Statement.Value
  }

  /// `time` is the time of the repair, in milliseconds since 1970.
  init(_ inspection: Inspection, _ mode: RepairMode, at time: Int) {
    emojis = inspection.emojis
    log = inspection.log
    plain = []
    art = Self.art(of: inspection)
    // No merge goes back beyond a repair, so the edits before it are of no use.
    for row in inspection.plain where row.table != .archive { _ = accept(.plain(row.table, row.values)) }
    for row in inspection.unverified {
      if mode == .adopt, row.table != "\(PlainTable.archive.name)", let content = row.content, accept(content)
      {
        adopted.append(row.reason)
      } else {
        rejected.append(row)
        quarantined.append(row.reason)
      }
    }
    reportLosses(
      hadArt: inspection.art != nil || mode == .adopt && adopted.contains(Self.artReason), at: time)
  }

  static let artReason = "the document's own row does not fit its sum"

  /// The row of `art`, or what is known without it: the id of an unverified row, so that the document is
  /// still recognised, and the canvas and its colour of the newest edits that set them.
  private static func art(of inspection: Inspection) -> ArtRow {
    if let art = inspection.art { return art }
    var random = SystemRandomNumberGenerator()
    var id = DocumentID(using: &random)
    for row in inspection.unverified { if case .art(let art)? = row.content { id = art.id } }
    var art = ArtRow(id: id, canvas: .standard)
    for entry in inspection.log.values.sorted(by: { $0.revision < $1.revision }) {
      for change in entry.edit.changes {
        switch change {
        case .setCanvas(let canvas): art.canvas = canvas
        case .setFill(let fill): art.fill = fill
        default: break
        }
      }
    }
    return art
  }

  private mutating func reportLosses(hadArt: Bool, at time: Int) {
    if !hadArt {
      lost.append(
        "without its own row the document has a canvas of \(art.canvas.width) x \(art.canvas.height), and no background"
      )
    }
    if let background = art.background, !hasPicture(background.digest) {
      let pending = art.pending
      art.refetchBackground(at: time)
      let isFetched = art.pending != nil && art.pending != pending
      lost.append(
        "the picture of the background is lost, and the background with it"
          + (isFetched ? "; it is to be fetched again from where it came" : ""))
    }
  }

  private func hasPicture(_ digest: String) -> Bool {
    plain.contains { row in
      guard row.table == .image, row.values.count > 1, case .text(let stored) = row.values[1] else {
        return false
      }
      return stored == digest
    }
  }

  /// Accepts a row, unless it would replace a verified one.
  private mutating func accept(_ content: Inspection.Content) -> Bool {
    switch content {
    case .art(let row): art = row
    case .emoji(var emoji):
      guard emojis[emoji.id] == nil else { return false }
      do throws(ArtError) {
        // Another program's text must follow the rules for typed text.
        emoji.text = try emoji.text.asTyped()
      } catch {
        return false
      }
      emojis[emoji.id] = emoji
    case .edit(let entry):
      guard log[entry.revision] == nil else { return false }
      log[entry.revision] = entry
    case .plain(let table, let values):
      guard let key = values.first, keys.insert(Key(table: table, value: key)).inserted else { return false }
      plain.append((table, values))
    }
    return true
  }

  /// Trims the log to its capacity at that revision.
  private mutating func trimLog(at revision: Int) {
    let budget = LogBudget()
    var bytes = log.values.reduce(0) { $0 + $1.logBytes }
    for old in log.keys.sorted() {
      guard budget.isLeaving(old, at: revision, of: bytes) else { return }
      bytes -= log.removeValue(forKey: old)?.logBytes ?? 0
    }
  }

  /// The repaired file. Its head is an edit that names the repair, so that programs with the document open
  /// read it again.
  mutating func image(named name: String, stamp: EditStamp) throws(ArtError) -> FileImage {
    let revision = max(art.revision, log.keys.max() ?? 0) + 1
    guard revision <= Format.largestNumber else { throw .tooManyRevisions(name) }
    guard adopted.isEmpty || revision <= Format.largestForeignRevision else {
      throw .foreignRevision(revision - 1, of: name, "repair it without accepting that")
    }
    trimLog(at: revision)
    art.emojiCount = 0
    art.logBytes = 0
    art.digest = Digest()
    var image = try FileImage(name: name, art: art)
    try image.insert(Array(emojis.values))
    try image.insert(log.values.sorted { $0.revision < $1.revision })
    for row in plain { try image.insert(row.values, into: row.table) }
    var number = 0
    var used = quarantineNumbers
    for row in rejected {
      repeat { number += 1 } while !used.insert(number).inserted
      try image.insert(
        [.integer(number), .text(row.table), .text(row.row), .text(row.reason), .integer(stamp.time)],
        into: .aside)
    }
    let repair = Edit(name: "repair", changes: [])
    try image.insert([
      LoggedEdit(stamp, revision: revision, save: revision, kind: .repair, edit: repair, inverse: [])
    ])
    try image.verify()
    return image
  }

  private var quarantineNumbers: Set<Int> {
    Set(
      plain.compactMap { row in
        guard row.table == .aside, case .integer(let number)? = row.values.first else { return nil }
        return number
      })
  }
}

extension FileImage {
  /// Inserts edits, oldest first. The last one becomes the head.
  mutating func insert(_ entries: [LoggedEdit]) throws(ArtError) {
    let insertion = try Statement(EditRow.insertion, on: connection)
    for entry in entries {
      let row = try EditRow.insert(entry, with: insertion)
      art.logBytes += row.bytes
      art.digest.add(row.sum)
      art.revision = entry.revision
      art.head = entry.id
    }
  }

  mutating func insert(_ values: [Statement.Value], into table: PlainTable) throws(ArtError) {
    let sum = table.sum(of: values)
    let marks = values.map { _ in "?" }.joined(separator: ",")
    let insert = try Statement("INSERT INTO \(table.name) VALUES(\(marks),?)", on: connection)
    try insert.bind(values + [.integer(sum)])
    while try insert.step() {}
    art.digest.add(sum)
  }
}
