// SPDX-License-Identifier: Apache-2.0

/// What each copy brings to a merge, and what they disagree on.
public struct MergeReport: Sendable, Hashable {
  /// A change, and who made it and when.
  public struct Write: Sendable, Hashable {
    /// The edit's id, its time and its author.
    public let stamp: EditStamp
    /// The change.
    public let change: Change
  }

  /// A field that both copies have set to different values.
  public struct Conflict: Sendable, Hashable {
    /// The field.
    public let field: Field
    /// The value that it has now.
    public let kept: Write
    /// The value that the other copy gave it.
    public let other: Write
    /// Whether an undo of the edit that set the kept value brings the other value back: it was the field's value before that edit.
    public let isUndoable: Bool
  }

  /// An emoji that one copy had removed. It stays, because the other copy had changed it.
  public struct Survivor: Sendable, Hashable {
    /// The emoji.
    public let emoji: EmojiID
    /// The removal.
    public let removal: Write
    /// The last change by the other copy.
    public let change: Write
  }

  /// Values of the two copies between which no log could decide. Only a merge by value has doubts.
  public struct Doubt: Sendable, Hashable {
    /// The value that the merged document has; an addition for an emoji that only one copy had.
    public let kept: Change
    /// The other copy's value; nil for an emoji that it did not have.
    public let other: Change?
  }

  /// The number of edits of the first copy that the second one lacked.
  public let fromFirst: Int
  /// The number of edits of the second copy that the first one lacked.
  public var fromSecond: Int { newEdits.count }
  /// Those edits, in their order.
  public let newEdits: [EditID]
  /// The fields that both have set, in the order in which the kept values were set.
  public let conflicts: [Conflict]
  /// The emoji whose removals gave way, in the order of the removals.
  public let survivors: [Survivor]
  /// The emoji that both copies have added under one id, which only chance or an edit that was made twice brings about.
  public let addedTwice: [EmojiID]
  /// What a merge by value could only guess; nil for any other merge.
  public let doubts: [Doubt]?
}

extension MergeReport {
  /// The report of a merge with that result.
  init(_ sides: Sides, in merged: DocumentContent, doubts: [Doubt]? = nil) {
    self.doubts = doubts
    fromFirst = sides.first.own.count { !$0.isMark }
    newEdits = sides.second.own.filter { !$0.isMark }.map(\.id)
    guard fromFirst > 0, !newEdits.isEmpty else {
      (conflicts, survivors, addedTwice) = ([], [], [])
      return
    }
    let (first, second) = (Set(sides.first.own.lazy.map(\.id)), Set(sides.second.own.lazy.map(\.id)))
    var (mine, theirs) = (Writes(), Writes())
    var writers: [Field: EditID] = [:]
    for entry in merged.log.suffix(sides.first.later.count + sides.second.later.count + 1) {
      if first.contains(entry.id) { mine.add(entry, after: writers) }
      if second.contains(entry.id) { theirs.add(entry, after: writers) }
      for change in entry.edit.changes { writers[change.field] = entry.id }
    }
    var found: [(place: (Int, Int), conflict: Conflict)] = []
    for (field, mine) in mine.last {
      guard let theirs = theirs.last[field], mine.write.change != theirs.write.change else { continue }
      if let id = field.emoji, merged.emoji(id) == nil { continue }
      let (kept, other) = mine.place > theirs.place ? (mine, theirs) : (theirs, mine)
      let conflict = Conflict(
        field: field, kept: kept.write, other: other.write, isUndoable: kept.before == other.write.stamp.id)
      found.append((kept.place, conflict))
    }
    conflicts = found.sorted { $0.place < $1.place }.map(\.conflict)
    survivors = Self.survivors(of: mine, beside: theirs) + Self.survivors(of: theirs, beside: mine)
    addedTwice = mine.added.filter { theirs.addedIDs.contains($0) }
  }

  private static func survivors(of removing: Writes, beside changing: Writes) -> [Survivor] {
    removing.yielded.compactMap { removal in
      guard let id = removal.change.field.emoji else { return nil }
      let changes = EmojiField.allCases.lazy.compactMap { changing.last[.value(id, $0)] }
      guard let last = changes.max(by: { $0.place < $1.place }) else { return nil }
      return Survivor(emoji: id, removal: removal, change: last.write)
    }
  }

  /// What the edits of one copy have set.
  private struct Writes {
    /// The last write of each field, its place in the order of all edits, and the edit that had set the field before.
    var last: [Field: (place: (Int, Int), write: Write, before: EditID?)] = [:]
    /// The removals that gave way.
    var yielded: [Write] = []
    var added: [EmojiID] = []
    var addedIDs: Set<EmojiID> = []

    mutating func add(_ entry: LoggedEdit, after writers: [Field: EditID]) {
      for (index, change) in entry.edit.changes.enumerated() {
        switch change {
        case .add(let emoji): if addedIDs.insert(emoji.id).inserted { added.append(emoji.id) }
        case .remove: break
        default:
          last[change.field] = (
            (entry.revision, index), Write(stamp: entry.stamp, change: change), writers[change.field]
          )
        }
      }
      for case .remove(let id) in entry.dropped {
        yielded.append(Write(stamp: entry.stamp, change: .remove(id)))
      }
    }
  }
}
