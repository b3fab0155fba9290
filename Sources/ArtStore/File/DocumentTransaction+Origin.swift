// SPDX-License-Identifier: Apache-2.0

import ArtModel

// What the document knows of journals: for each program whose journal may still lie somewhere, the last of its edits
// that is in the file.

extension DocumentTransaction {
  /// The number of the last edit of that program's journal that is in the file; nil where the document knows of no
  /// journal of it. Throws `damaged`.
  public func savedSequence(of origin: Origin) throws(ArtError) -> Int? { try row(of: origin)?.sequence }

  /// Notes that the journal's edits up to that one are in the file, from this transaction on.
  public func setSaved(_ origin: Origin, upTo sequence: Int) throws(ArtError) {
    if let old = try row(of: origin) { art.digest.remove(old.sum) }
    let values: [Statement.Value] = [.text(origin.description), .integer(sequence)]
    let sum = PlainTable.origin.sum(of: values)
    try statement("INSERT OR REPLACE INTO origin VALUES(?,?,?)").run(values[0], values[1], .integer(sum))
    art.digest.add(sum)
  }

  /// Forgets the journal: nothing is left of it.
  public func forget(_ origin: Origin) throws(ArtError) {
    guard let old = try row(of: origin) else { return }
    try statement("DELETE FROM origin WHERE origin = ?1").run(.text(origin.description))
    art.digest.remove(old.sum)
  }

  private func row(of origin: Origin) throws(ArtError) -> (sequence: Int, sum: Int)? {
    let row = try statement("\(PlainTable.origin.select) WHERE origin = ?1")
    try row.bind(.text(origin.description))
    defer { row.reset() }
    guard try row.step() else { return nil }
    let sum = try PlainTable.origin.verify(row, of: name)
    return (try row.integer(1), sum)
  }
}

extension DocumentFile {
  /// Forgets a journal of which nothing is left, durably; a document that does not know of it is not written. Throws
  /// what `edit` throws.
  public func forget(_ origin: Origin) throws(ArtError) {
    try edit { (transaction: DocumentTransaction) throws(ArtError) in try transaction.forget(origin) }
  }
}
