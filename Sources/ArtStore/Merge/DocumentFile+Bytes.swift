// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtSystem
import Glibc

/// Whole documents as bytes: what a program that carries them between machines sends and receives.
extension DocumentFile {
  /// The bytes of the file, and the state that they have. Throws what `read` throws.
  public func bytes() throws(ArtError) -> (bytes: [UInt8], state: FileState) {
    try read { (transaction) throws(ArtError) in
      // Others get nothing that they could not read.
      _ = try transaction.load()
      let connection = transaction.connection
      return (try connection.bytes(count: connection.size, at: 0), FileState(transaction.art))
    }
  }

  /// Merges the bytes of another copy's file into the document. Throws `notADocument`, `damaged` and `newerFormat` for bytes that cannot be
  /// merged, `badValue` for another document, and what `merge` throws.
  public func merge(bytes: [UInt8]) throws(ArtError) -> MergeOutcome {
    let copy = try copy(of: bytes)
    guard try base().id == copy.content.id else {
      throw ArtError(.badValue, "\(name) there is another document than \(name) here", about: name)
    }
    return try merge([copy]) { (_) throws(ArtError) in }
  }

  /// Whether a merge of the document into these bytes gives the document, byte for byte. Forged logs are the only case in which it does not.
  /// Bytes with another revision or head than the document's are not examined, and the answer is true. Throws what `merge` throws.
  public func absorbs(bytes: [UInt8]) throws(ArtError) -> Bool {
    let (own, state) = try self.bytes()
    let other = try copy(of: bytes)
    guard state.base == DocumentBase(other.content) else { return true }
    var merged = MergedCopies(other, isByValue: false)
    try merged.add(try copy(of: own))
    try merged.removeLostBackground()
    return (try merged.newBytes() ?? bytes) == own
  }

  /// Makes the document of the bytes of another copy's file, and returns the state that they have. Throws as above, and `exists`.
  public func create(bytes: [UInt8]) throws(ArtError) -> FileState {
    let state = try read(bytes) { (transaction) throws(ArtError) in
      _ = try transaction.load()
      return FileState(transaction.art)
    }
    try FileImage.withUnnamedFile(near: path, like: nil, name: name) { (new) throws(ArtError) in
      try PlainFile.write(bytes, to: new, name: name)
    } _: { (new) throws(ArtError) in
      do throws(SystemError) { try new.link(as: path) } catch {
        throw error.number == EEXIST ? .exists(path) : ArtError(error, cannot: "create", name)
      }
    }
    syncNames(path)
    return state
  }

  /// The copy of the document that bytes hold.
  func copy(of bytes: [UInt8]) throws(ArtError) -> DocumentCopy {
    try read(bytes) { (transaction) throws(ArtError) in
      try DocumentCopy(transaction, named: name) { bytes }
    }
  }

  /// The copy of the document that a held file has, which stays open as long as the copy.
  func copy(of held: HeldFile, like known: DocumentCopy? = nil) throws(ArtError) -> DocumentCopy {
    try read(try held.bytes()) { (transaction) throws(ArtError) in
      try DocumentCopy(transaction, named: name, like: known) { () throws(ArtError) in try held.bytes() }
    }
  }

  private func read<Result>(
    _ bytes: [UInt8], _ body: (DocumentTransaction) throws(ArtError) -> Result
  ) throws(ArtError) -> Result {
    let scratch = try Scratch()
    defer { scratch.remove() }
    try scratch.fill(bytes)
    var file = DocumentFile(scratch.document)
    // The scratch file's path says nothing to anybody.
    file.name = name
    return try file.read(body)
  }
}
