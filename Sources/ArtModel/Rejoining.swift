// SPDX-License-Identifier: Apache-2.0

/// What became of edits that were made again on top of somebody else's.
public struct RejoinedEdits: Sendable {
  /// The edits as they are now: their ids and times as they were, their revisions and inverses anew.
  public fileprivate(set) var edits = UnsavedEdits()
  /// Changes that had taken effect before and do not any more, by edit: their emoji is gone, or, for an undo or redo,
  /// somebody has set the field since, or a background's bytes are not kept any more.
  public fileprivate(set) var dropped: [(id: EditID, changes: [Change])] = []
  /// New ids of emoji whose ids somebody else had drawn, too.
  public fileprivate(set) var renamed: [EmojiID: EmojiID] = [:]
}

extension DocumentContent {
  /// Makes edits again, in their order, that were made on another state of this document, and takes them into the log.
  /// Fields are separate: only a later edit of the same field takes a value's place. What has no room any more is
  /// dropped. `save` is the save that they come with; new ids are drawn from `generator`, and `renamed` are those of emoji
  /// that earlier edits added.
  public mutating func rejoin(
    _ unsaved: UnsavedEdits, save: Int, renamed: [EmojiID: EmojiID] = [:],
    using generator: inout some RandomNumberGenerator
  ) -> RejoinedEdits {
    var rejoined = RejoinedEdits(renamed: renamed)
    for lot in unsaved.older {
      let applied = make(
        lot.net.changes, of: .edit, as: lot.last, at: unsaved.entries.first?.time ?? 0, &rejoined, &generator)
      pass(lot.count)
      var net = NetChanges()
      for change in applied.changes { net.add(change) }
      rejoined.edits.older.append(UnsavedEdits.Lot(net: net, count: lot.count, last: lot.last))
    }
    for entry in unsaved.entries {
      let applied = make(
        entry.edit.changes, of: entry.kind, as: entry.id, at: entry.time, &rejoined, &generator)
      let new = LoggedEdit(
        entry.stamp, revision: revision + 1, save: save, kind: entry.kind,
        edit: Edit(name: entry.edit.name, changes: applied.changes),
        inverse: applied.inverse, dropped: Self.joined(entry.dropped, applied.dropped))
      append(new)
      rejoined.edits.append(new)
    }
    return rejoined
  }

  /// Makes an edit's changes again, and notes what came of them.
  private mutating func make(
    _ changes: [Change], of kind: LoggedEdit.Kind, as id: EditID, at time: Int,
    _ rejoined: inout RejoinedEdits, _ generator: inout some RandomNumberGenerator
  ) -> AppliedEdit {
    let wanted = changes.map { $0.renamed(by: rejoined.renamed) }
    var applied = AppliedEdit()
    do throws(ArtError) {
      applied = try apply(wanted, of: kind, at: time, renaming: &rejoined.renamed, using: &generator)
    } catch {
      applied.dropped = wanted
    }
    let fields = Set(wanted.lazy.map(\.field))
    let lost = applied.dropped.filter { fields.contains($0.field) }
    if !lost.isEmpty { rejoined.dropped.append((id, lost)) }
    return applied
  }

  private mutating func apply(
    _ wanted: [Change], of kind: LoggedEdit.Kind, at time: Int, renaming names: inout [EmojiID: EmojiID],
    using generator: inout some RandomNumberGenerator
  ) throws(ArtError) -> AppliedEdit {
    guard kind != .edit else { return try apply(rename(wanted, in: &names, using: &generator), at: time) }
    guard let again = try UndoPlan.again(kind, in: self) else { return try apply(wanted, of: kind, at: time) }
    var applied = try apply(again.changes, of: kind, at: time)
    applied.dropped = again.skipped + applied.dropped
    return applied
  }

  /// What an edit could not do, without saying it twice.
  private static func joined(_ before: [Change], _ now: [Change]) -> [Change] {
    let known = Set(before)
    return before + now.filter { !known.contains($0) }
  }

  /// Draws new ids for additions whose ids are taken.
  private func rename(
    _ changes: [Change], in names: inout [EmojiID: EmojiID], using generator: inout some RandomNumberGenerator
  ) -> [Change] {
    for case .add(let added) in changes where emoji(added.id) != nil && !changes.contains(.remove(added.id)) {
      var id = EmojiID.random(using: &generator)
      while emoji(id) != nil || names.values.contains(id) { id = .random(using: &generator) }
      names[added.id] = id
    }
    return changes.map { $0.renamed(by: names) }
  }
}

extension Change {
  /// The same change of the emoji's new name.
  fileprivate func renamed(by names: [EmojiID: EmojiID]) -> Change {
    guard let old = field.emoji, let id = names[old] else { return self }
    return switch self {
    case .add(let emoji):
      .add(Emoji(id: id, text: emoji.text, position: emoji.position, size: emoji.size, z: emoji.z))
    case .remove: .remove(id)
    case .move(_, let place): .move(id, to: place)
    case .resize(_, let size): .resize(id, to: size)
    case .setText(_, let text): .setText(id, to: text)
    case .order(_, let z): .order(id, to: z)
    case .setCanvas, .setBackground, .setPending: self
    }
  }
}
