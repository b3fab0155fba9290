// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@testable import ArtModel
@testable import ArtStore

/// A document, and a program that edits it in memory and keeps a journal.
final class JournalSample {
  let space: Workspace
  var folder: JournalFolder
  let file: DocumentFile
  /// The document as the program has it.
  var content: DocumentContent
  /// The state of the file, as far as the program knows.
  var base: DocumentBase
  let origin: Origin
  var maker: EditMaker
  var made: [LoggedEdit] = []
  private var author: Author

  init(
    _ name: String = "bees.emojiart", emojis: Int = 5, edits: Int = 2, seed: UInt64 = 1,
    author: String? = "ada",
    in space: Workspace? = nil, of existing: DocumentFile? = nil
  ) throws {
    let space = try space ?? Workspace()
    self.space = space
    folder = JournalFolder(space["state/journal"])
    file = try existing ?? space.document(name, seed: seed)
    if emojis > 0, existing == nil { try file.fill(emojis: emojis, edits: edits, seed: seed) }
    content = try file.read()
    base = DocumentBase(content)
    maker = try EditMaker(seed: seed &+ 77)
    origin = Origin(using: &maker.random)
    self.author = try Author(origin: origin, name: author)
  }

  func journal() throws -> Journal {
    try Journal(in: folder, of: file, on: base, origin: origin, author: author.name)
  }

  /// The next edits, made on the content in memory.
  func edits(_ count: Int) throws -> [LoggedEdit] {
    var entries: [LoggedEdit] = []
    while entries.count < count {
      let edit = try maker.edit(on: content)
      if let entry = try perform(edit.name, edit.changes) { entries.append(entry) }
    }
    return entries
  }

  /// An edit of these changes; nil when it has no effect.
  @discardableResult
  func perform(
    _ name: String, _ changes: [Change], kind: LoggedEdit.Kind = .edit, dropped: [Change] = [],
    by client: DocumentClient? = nil, tag: RequestTag? = nil
  ) throws -> LoggedEdit? {
    let applied = try content.apply(changes)
    guard !applied.changes.isEmpty || kind != .edit else { return nil }
    let stamp = author.stamp(at: 1_800_000_000_000 + made.count, by: client, tag: tag)
    let entry = LoggedEdit(
      stamp, revision: content.revision + 1, save: base.revision + 1, kind: kind,
      edit: Edit(name: name, changes: applied.changes), inverse: applied.inverse,
      dropped: dropped + applied.dropped)
    content.append(entry)
    made.append(entry)
    return entry
  }

  /// The one orphaned journal, locked.
  func lockedOrphan() throws -> OrphanedJournal {
    let journals = try folder.lockOrphans()
    try #require(journals.count == 1, "\(journals.count) journals")
    return journals[0]
  }

  /// The files and the empty folders in the folder of journals.
  var names: [String] {
    get throws { try leaves(of: folder.path) }
  }

  /// The path of a segment.
  func segment(_ number: Int = 1) -> String { folder.path(of: JournalFormat.segment(number, of: id)) }
  var lockPath: String { folder.path(of: JournalFormat.lock(of: id)) }
  /// The journal's name.
  var id: JournalID { JournalID(document: base.id, origin: origin) }
}
