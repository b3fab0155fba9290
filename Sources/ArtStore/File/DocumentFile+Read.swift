// SPDX-License-Identifier: Apache-2.0

import ArtModel
import CStore

extension DocumentFile {
  /// Reads the whole document, verified row by row and as a whole. Changes no byte and no time, and leaves
  /// nothing beside the file. Throws `noSuchDocument`, `notADocument`, `newerFormat`, `damaged`, `busy`,
  /// `notPermitted`, `inputOutput`.
  public func read() throws(ArtError) -> DocumentContent {
    try read(whole: true) { (transaction) throws(ArtError) in try transaction.load() }
  }

  /// Looks at the document inside one transaction. With `whole` all of it is to be read: a large document is then locked only
  /// while its bytes are copied, and the body reads the copy.
  func read<Result>(
    whole isWhole: Bool = false, _ body: (DocumentTransaction) throws(ArtError) -> Result
  ) throws(ArtError) -> Result {
    let deadline = Deadline(timeout)
    var tries = 0
    while true {
      let file = try locate()
      if let settled = try HotJournal.settledCopy(of: file, deadline) {
        defer { settled.scratch.remove() }
        return try look(at: settled.file, deadline, nil, body)
      }
      do {
        return try look(at: file, deadline, isWhole ? Self.copiedFrom : nil, body)
      } catch {
        // A writer was killed between the look at the journal and the reading.
        guard try HotJournal.mayBeHot(file), deadline.wait(tries) else { throw error }
        tries += 1
      }
    }
  }

  private func look<Result>(
    at file: LocatedFile, _ deadline: Deadline, _ copiedFrom: (rows: Int, bytes: Int)?,
    _ body: (DocumentTransaction) throws(ArtError) -> Result
  ) throws(ArtError) -> Result {
    switch try begin(at: file, deadline, copiedFrom) {
    case .file(let transaction): return try body(transaction)
    case .copy(let copy): return try body(DocumentTransaction(copy, begin: "BEGIN"))
    }
  }

  private enum Source {
    case file(DocumentTransaction)
    /// A document that takes long to read. Its file is closed.
    case copy(Connection)
  }

  private func begin(
    at file: LocatedFile, _ deadline: Deadline, _ copiedFrom: (rows: Int, bytes: Int)?
  ) throws(ArtError) -> Source {
    let connection = try Self.connect(file, .readOnly, deadline)
    let transaction = try DocumentTransaction(connection, begin: "BEGIN")
    guard let copiedFrom,
      transaction.emojiCount >= copiedFrom.rows || transaction.art.logBytes >= copiedFrom.bytes,
      let copy = try connection.copyInMemory()
    else { return .file(transaction) }
    return .copy(copy)
  }

  /// From so many emoji, or so many bytes of the log, on a document is copied: below, its rows are read and verified within some
  /// milliseconds, and a copy would only cost.
  private static var copiedFrom: (rows: Int, bytes: Int) { (1_000, 1 << 17) }
}
