// SPDX-License-Identifier: Apache-2.0

import ArtDocument
import ArtModel
import ArtStore

/// The file of a document whose edits are made in memory, and saved once: as one edit, with one undo.
///
/// The document in memory never reads the file again, so what others save meanwhile is met by that save only. A save whose outcome is unknown
/// is not repeated: the joined edit of a second one would be another one.
struct Draft: Sendable {
  private let file: DocumentFile
  /// The document as the file had it.
  private let start: DocumentContent

  /// Reads the file. Throws `notPermitted` for one that cannot be written, and what reading throws.
  init(of file: DocumentFile) throws(ArtError) {
    if let reason = try file.readOnlyReason() { throw .readOnlyDocument(file.path, reason) }
    self.file = file
    start = try file.read()
  }

  /// Nothing is saved before the end.
  static let autosave = AutosavePolicy(changes: .max, delay: .seconds(365 * 86_400))

  /// The document in memory.
  var store: MemoryStore { MemoryStore(start, path: file.path) }

  /// Saves the edits that lead to a content, on top of what others have saved. Returns the events of the save; `version` is that of the
  /// content. Throws what saving throws; after `inputOutput` it is not known whether the edits are saved.
  func save(
    _ edits: UnsavedEdits, leadingTo content: DocumentContent, at version: Int
  ) throws(ArtError) -> [DocumentEvent] {
    let (edits, content) = joined(edits, leadingTo: content)
    let outcome = try file.save(NetEdits(edits, of: content, since: DocumentBase(start)))
    guard let rebased = outcome.rebased else { return [.saved(revision: outcome.base.revision)] }
    let change = ContentChange(
      of: rebased.others, ContentEffect(from: content, to: rebased.content), isRebased: true, before: version,
      revision: rebased.content.revision, saved: outcome.base)
    return rebased.own.events + [.changed(change), .saved(revision: outcome.base.revision)]
  }

  /// The edits as one: with their net effect, the id, time and client of the last one, and the keys of their requests. Edits without a net
  /// effect stay as they are, because their keys are to be recognised; so do those that restore a background whose bytes are not stored any
  /// more.
  private func joined(
    _ edits: UnsavedEdits, leadingTo content: DocumentContent
  ) -> (edits: UnsavedEdits, content: DocumentContent) {
    guard edits.count > 1, let last = edits.entries.last else { return (edits, content) }
    var joined = start
    // The file may have got some since.
    joined.setPictures(content.pictures)
    let changes = ContentEffect(from: start, to: content).changes
    let applied: AppliedEdit
    do throws(ArtError) { applied = try joined.apply(changes, at: last.time) } catch {
      return (edits, content)
    }
    guard !applied.changes.isEmpty, applied.dropped.isEmpty else { return (edits, content) }
    let stamp = EditStamp(
      id: last.id, time: last.time, author: last.author, session: last.session,
      tags: edits.entries.flatMap(\.stamp.tags).suffix(Limits.editTags))
    let entry = LoggedEdit(
      stamp, revision: joined.revision + 1, save: joined.revision + 1,
      edit: Edit(name: Edit.name(joining: edits), changes: applied.changes), inverse: applied.inverse)
    joined.append(entry)
    return (UnsavedEdits([entry]), joined)
  }
}

extension Edit {
  /// `12 edits: add 🐝, move 🐝, …`. Of more edits than are known one by one it is their number.
  fileprivate static func name(joining edits: UnsavedEdits) -> String {
    guard edits.count == edits.entries.count else { return "\(edits.count) edits" }
    let titles = edits.entries.prefix(3).map(\.title) + (edits.count > 3 ? ["…"] : [])
    return "\(edits.count) edits: \(titles.joined(separator: ", "))"
  }
}
