// SPDX-License-Identifier: Apache-2.0

import ArtModel

extension DocumentTransaction {
  /// Does an edit and writes it into the log. Returns nil when it has no effect, and then writes nothing.
  public func perform(_ edit: Edit, stamp: EditStamp) throws(ArtError) -> LoggedEdit? {
    let applied = try set(edit.changes, at: stamp.time)
    guard !applied.changes.isEmpty else { return nil }
    return try log(edit.name, applied, kind: .edit, stamp)
  }

  /// Does an undo or redo and writes it into the log, also when nothing is left for it to do: the next one then
  /// goes on behind it. `left` counts the changes that were not made because others have set their fields; `lost` are the
  /// backgrounds that would be back if their bytes were still kept: the URL of one that has a URL is pending now, if none was.
  public func perform(
    _ plan: UndoPlan, stamp: EditStamp
  ) throws(ArtError) -> (entry: LoggedEdit, left: Int, lost: [Background]) {
    var applied = try set(plan.changes, of: plan.kind, at: stamp.time)
    let left = applied.dropped.count - applied.lost.count + plan.skipped.count
    applied.dropped += plan.skipped
    return (try log(plan.name, applied, kind: plan.kind, stamp), left, applied.lost)
  }

  func set(
    _ changes: [Change], of kind: LoggedEdit.Kind = .edit, at time: Int
  ) throws(ArtError) -> AppliedEdit {
    var rows = self
    return try rows.apply(changes, of: kind, at: time)
  }

  func log(
    _ name: String, _ applied: AppliedEdit, kind: LoggedEdit.Kind, _ stamp: EditStamp
  ) throws(ArtError) -> LoggedEdit {
    let entry = LoggedEdit(
      stamp, revision: art.revision + 1, save: save, kind: kind,
      edit: Edit(name: name, changes: applied.changes), inverse: applied.inverse, dropped: applied.dropped)
    try append(entry)
    return entry
  }

  /// Makes what is in the file already durable once more: what can be read may be in memory only.
  func touch() throws(ArtError) {
    // Writes page 1 although nothing differs, which an UPDATE to the same values would not.
    try connection.execute("PRAGMA user_version = \(Format.version)")
    mustCommit = true
  }

  /// Writes an entry that has been applied into the log.
  func append(_ entry: LoggedEdit) throws(ArtError) {
    let row = try EditRow.insert(entry, on: connection)
    art.digest.add(row.sum)
    art.logBytes += row.bytes
    art.revision = entry.revision
    art.head = entry.id
  }

  /// Writes the row of `art`, after the log was cut to its room. Throws `tooLarge`; `damaged` when the document's
  /// own row counts what cannot be.
  func finish() throws(ArtError) {
    try trimLog()
    guard art.revision <= Format.largestNumber else { throw .tooManyRevisions(name) }
    guard art.logBytes >= 0, art.emojiCount >= 0 else {
      throw .damaged(name, "the document's own row counts less than there is")
    }
    try art.write(on: connection)
    guard try number("PRAGMA page_count") * number("PRAGMA page_size") <= Format.largestFile else {
      throw .tooLargeFile(name)
    }
  }

  private func number(_ pragma: String) throws(ArtError) -> Int {
    let row = try statement(pragma)
    try row.bind()
    defer { row.reset() }
    guard try row.step() else { throw .damaged(name, "SQLite does not tell its size") }
    return try row.integer(0)
  }

  /// Whether the file's log has the last edit of another transaction, or for one without edits, its own row.
  func holds(_ other: DocumentTransaction) throws(ArtError) -> Bool {
    guard other.art.revision != other.found.revision, let head = other.art.head else {
      return art == other.art
    }
    let row = try statement("SELECT count(*) FROM edit WHERE revision = ?1 AND origin = ?2 AND sequence = ?3")
    try row.bind(
      .integer(other.art.revision), .text(head.origin.description), .integer(head.sequence))
    defer { row.reset() }
    guard try row.step() else { return false }
    return try row.integer(0) > 0
  }

  private func trimLog() throws(ArtError) {
    // By its number alone: an edit of many emoji fills hundreds of pages, and stays for a thousand saves.
    let oldest = try statement("SELECT revision FROM edit ORDER BY revision LIMIT 1")
    while true {
      try oldest.bind()
      defer { oldest.reset() }
      guard try oldest.step() else { return }
      let revision = try oldest.integer(0)
      let isBeyond = revision <= art.revision - Format.logEdits || art.logBytes > Format.logBytes
      guard isBeyond, revision < art.revision else { return }
      oldest.reset()
      try removeEdit(revision)
    }
  }

  private func removeEdit(_ revision: Int) throws(ArtError) {
    let row = try statement("\(EditRow.select) WHERE revision = ?1")
    try row.bind(.integer(revision))
    guard try row.step() else { throw outOfOrder("edit") }
    let sum = try EditRow.verifiedSum(row, of: name)
    row.reset()
    art.digest.remove(sum.sum)
    art.logBytes -= sum.bytes
    try statement("DELETE FROM edit WHERE revision = ?1").run(.integer(revision))
  }
}
