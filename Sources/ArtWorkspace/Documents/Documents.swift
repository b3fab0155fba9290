// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtStore
import ArtSystem

/// What is done to whole documents: made, duplicated, given another name, put into the trash and brought back.
///
/// Unsaved edits are never lost by it. What programs that are gone have left for a document is restored into it before it gets
/// another name or goes into the trash, and is in a duplicate. What cannot be restored, and what programs that run have not saved
/// yet, stays in its journal in the state folder: such a program goes on with a document under its new name when it looks there,
/// and with a deleted one when it is back.
public struct Documents: Sendable {
  private let recovery: Recovery

  /// By a program whose edits are by the recovery's author; its notices go there.
  public init(by recovery: Recovery) { self.recovery = recovery }

  /// Makes a document without emoji; where no canvas is given it has the standard size. Throws what `DocumentFile.create` throws.
  public func create(_ file: DocumentFile, canvas: Canvas? = nil) throws(ArtError) {
    var random = SystemRandomNumberGenerator()
    _ = try file.create(canvas: canvas, using: &random)
  }

  /// Makes a document with its background, or nothing at all; where no canvas is given it has the picture's size. Throws as
  /// `FileBackground.set` does; `exists` and `noSuchDocument` before anything is fetched.
  public func create(
    _ file: DocumentFile, canvas: Canvas? = nil,
    background source: @autoclosure () throws(Refusal) -> PictureSource, typed: String,
    transfer: some PictureTransfer, proxies: ProxySettings = ProxySettings()
  ) throws -> ReceivedPicture {
    // Nobody should fetch for nothing. That nothing is replaced is seen to when the document is made.
    try file.checkFree()
    let found: PictureSource
    do throws(Refusal) { found = try source() } catch { throw BackgroundRefusal(error, asked: typed) }
    let received = try transfer.receive(found, for: file.path, proxies: proxies)
    var random = SystemRandomNumberGenerator()
    _ = try file.create(canvas: canvas, background: (received.picture, received.url), using: &random)
    return received
  }

  /// Makes a document of another one's content, with an id of its own and with the other's log, so that what was done there can be undone
  /// here. Edits that programs which are gone have left for the other one are in it; they stay there, too. Throws what
  /// `DocumentFile.create` and reading throw; then nothing is made.
  public func duplicate(_ file: DocumentFile, as new: DocumentFile) throws(ArtError) {
    try new.checkFree()
    let found = file.journals(among: recovery.journals())
    for error in found.kept { recovery.report(.kept(error)) }
    var readable: [OrphanedJournal] = []
    for journal in found.own {
      if let damage = try journal.contents().damage {
        recovery.report(.kept(.namelessJournal(journal.path, damage)))
      } else {
        readable.append(journal)
      }
    }
    var author = try recovery.newAuthor()
    var random = SystemRandomNumberGenerator()
    let reports = try new.create(
      duplicating: file, with: readable, stamp: { author.stamp(at: millisecondsSince1970()) }, using: &random)
    for report in reports where report.edits > 0 { recovery.report(.included(new.path, report)) }
  }

  /// The same under the first name that is free: `bees copy`, `bees copy 2`. Throws as above. Returns the duplicate.
  public func duplicate(_ file: DocumentFile) throws(ArtError) -> DocumentFile {
    let parts = FilePath(file.path)
    let stem = DocumentName.withoutEnding(parts.name)
    var number = 1
    while true {
      let name = number == 1 ? "\(stem) copy" : "\(stem) copy \(number)"
      let new = DocumentFile(
        parts.prefix + DocumentName.withEnding(name), timeout: file.timeout, notice: file.notice)
      do throws(ArtError) {
        try duplicate(file, as: new)
        return new
      } catch {
        guard error.code == .exists, number < Self.names else { throw error }
        number += 1
      }
    }
  }

  private static let names = 10_000

  /// Gives a document another path on the same file system, where nothing stands; the ending of documents is added. Throws `badValue` for
  /// what is no name, what restoring throws, and what `DocumentFile.move` throws; then the document is where it was. Returns
  /// the document under its new name.
  @discardableResult
  public func rename(_ file: DocumentFile, to path: String) throws(ArtError) -> DocumentFile {
    guard DocumentName.isValid(path) else {
      throw ArtError(.badValue, "\"\(path)\" is no name for a document; give a plain one, such as bees")
    }
    try recovery.restoreFirst(file)
    return try file.move(to: DocumentName.withEnding(path))
  }

  /// Puts a document into the trash of its file system. Throws what restoring, `Trash` and `DocumentFile.move` throw; then the
  /// document is where it was. Returns what brings it back.
  public func delete(_ file: DocumentFile, into trash: Trash = Trash()) throws(ArtError) -> TrashedDocument {
    try recovery.restoreFirst(file)
    return try trash.put(file)
  }

  /// Brings a document back from the trash to where it was. Throws `exists` where something stands there by now, `noSuchDocument` where the
  /// folder is gone or the document is not in the trash any more, and what `DocumentFile.move` throws; then it stays in the
  /// trash. Returns the document.
  @discardableResult
  public func undelete(_ trashed: TrashedDocument) throws(ArtError) -> DocumentFile {
    try trashed.putBack()
  }
}
