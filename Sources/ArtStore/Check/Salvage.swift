// SPDX-License-Identifier: Apache-2.0

import ArtModel

/// A whole document made of what an inspection found.
struct Salvage {
  private var art: ArtRow
  private var emojis: [EmojiID: Emoji]
  private var log: [Int: LoggedEdit]
  private var plain: [(table: PlainTable, values: [Statement.Value])]
  private var rejected: [Inspection.Doubtful] = []
  /// Rows that were set aside, a line each.
  private(set) var setAside: [String] = []
  /// Rows that were accepted, a line each.
  private(set) var adopted: [String] = []

  init(_ inspection: Inspection, _ mending: Mending) {
    emojis = inspection.emojis
    log = inspection.log
    plain = []
    var random = SystemRandomNumberGenerator()
    art = inspection.art ?? ArtRow(id: DocumentID(using: &random), canvas: .standard)
    for row in inspection.plain { _ = accept(.plain(row.table, row.values)) }
    for row in inspection.doubtful {
      if mending == .adopt, let content = row.content, accept(content) {
        adopted.append(row.reason)
      } else {
        rejected.append(row)
        setAside.append(row.reason)
      }
    }
  }

  /// A row that would take the place of one that is vouched for is not accepted.
  private mutating func accept(_ content: Inspection.Content) -> Bool {
    switch content {
    case .art(let row): art = row
    case .emoji(let emoji):
      guard emojis[emoji.id] == nil else { return false }
      emojis[emoji.id] = emoji
    case .edit(let entry):
      guard log[entry.revision] == nil else { return false }
      log[entry.revision] = entry
    case .plain(let table, let values):
      guard let key = values.first, !plain.contains(where: { $0.table == table && $0.values.first == key })
      else { return false }
      plain.append((table, values))
    }
    return true
  }

  /// Cuts the log to its room, with the mending's own entry in it.
  private mutating func trimLog() {
    var bytes = log.values.reduce(0) { $0 + EditRow.size(of: $1) }
    for old in log.keys.sorted() {
      guard log.count >= Format.logEdits || bytes > Format.logBytes else { return }
      bytes -= log.removeValue(forKey: old).map(EditRow.size(of:)) ?? 0
    }
  }

  /// The file, with an edit at its head that names the mending: programs that know the document see by it that
  /// they must read it anew.
  mutating func image(named name: String, stamp: EditStamp) throws(ArtError) -> FileImage {
    let revision = max(art.revision, log.keys.max() ?? 0) + 1
    guard revision <= Format.largestNumber else { throw .tooManyRevisions(name) }
    trimLog()
    art.emojiCount = 0
    art.logBytes = 0
    art.digest = Digest()
    var image = try FileImage(name: name, art: art)
    for emoji in emojis.values.sorted(by: { $0.id < $1.id }) { try image.insert(emoji) }
    for entry in log.values.sorted(by: { $0.revision < $1.revision }) { try image.insert(entry) }
    for row in plain { try image.insert(row.values, into: row.table) }
    for (offset, row) in rejected.enumerated() {
      try image.insert(
        [
          .integer(nextAsideNumber + offset), .text(row.table), .text(row.row), .text(row.reason),
          .integer(stamp.time),
        ],
        into: .aside)
    }
    try image.insert(
      LoggedEdit(
        id: stamp.id, revision: revision, time: stamp.time, save: revision, kind: .edit, author: stamp.author,
        edit: Edit(name: Edit.repairName, changes: []), inverse: []))
    try image.verify()
    return image
  }

  private var nextAsideNumber: Int {
    plain.reduce(1) { highest, row in
      guard case .aside = row.table, case .integer(let number)? = row.values.first else { return highest }
      return max(highest, number + 1)
    }
  }
}

extension FileImage {
  fileprivate mutating func insert(_ emoji: Emoji) throws(ArtError) {
    let row = EmojiRow(emoji)
    let values = row.values
    try Statement("INSERT INTO emoji(id, z, json, sum) VALUES(?,?,?,?)", on: connection)
      .run(values.id, values.z, values.json, values.sum)
    art.emojiCount += 1
    art.digest.add(row.sum)
  }

  fileprivate mutating func insert(_ entry: LoggedEdit) throws(ArtError) {
    let row = try EditRow.insert(entry, on: connection)
    art.logBytes += row.bytes
    art.digest.add(row.sum)
    art.revision = entry.revision
    art.head = entry.id
  }

  fileprivate mutating func insert(_ values: [Statement.Value], into table: PlainTable) throws(ArtError) {
    let sum = table.sum(of: values)
    let marks = values.map { _ in "?" }.joined(separator: ",")
    let insert = try Statement("INSERT INTO \(table.name) VALUES(\(marks),?)", on: connection)
    try insert.bind(values + [.integer(sum)])
    while try insert.step() {}
    art.digest.add(sum)
  }
}
