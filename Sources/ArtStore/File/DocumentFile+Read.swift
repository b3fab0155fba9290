// SPDX-License-Identifier: Apache-2.0

import ArtModel
import CSQLite

extension DocumentFile {
  /// Reads the whole document, verified row by row and as a whole. Changes no byte and no time, and leaves
  /// nothing beside the file. Throws `noSuchDocument`, `notADocument`, `newerFormat`, `damaged`, `busy`,
  /// `notPermitted`, `inputOutput`.
  public func read() throws(ArtError) -> DocumentContent {
    try read { (transaction) throws(ArtError) in try transaction.load() }
  }

  /// Looks at the document inside one transaction.
  func read<Result>(
    _ body: (DocumentTransaction) throws(ArtError) -> Result
  ) throws(ArtError) -> Result {
    let deadline = Deadline(patience)
    var tries = 0
    while true {
      let file = try locate()
      if let settled = try HotJournal.settledCopy(of: file, deadline) {
        defer { settled.scratch.remove() }
        return try look(at: settled.file, deadline, body)
      }
      do {
        return try look(at: file, deadline, body)
      } catch {
        // A writer was killed between the look at the journal and the reading.
        guard try HotJournal.mayBeHot(file), deadline.wait(tries) else { throw error }
        tries += 1
      }
    }
  }

  private func look<Result>(
    at file: LocatedFile, _ deadline: Deadline, _ body: (DocumentTransaction) throws(ArtError) -> Result
  ) throws(ArtError) -> Result {
    let connection = try Self.connect(file, .readOnly, deadline)
    return try body(DocumentTransaction(connection, begin: "BEGIN"))
  }
}
