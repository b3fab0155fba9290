// SPDX-License-Identifier: Apache-2.0

/// An edit as the document's log keeps it: who made it and when, what it did, and what takes it back.
public struct LoggedEdit: Hashable, Sendable, Identifiable {
  /// What the edit is to undo and redo.
  public enum Kind: Hashable, Sendable {
    /// A person's action.
    case edit
    /// Takes back the edit of that id.
    case undo(EditID)
    /// Takes back the undo of that id.
    case redo(EditID)
  }

  /// Its identity.
  public let id: EditID
  /// Which edit of the document it is, from 1.
  public let revision: Int
  /// When it was made, in milliseconds since 1970.
  public let time: Int
  /// The save it came with: the revision of the first edit of that save.
  public let save: Int
  /// What it is to undo and redo.
  public let kind: Kind
  /// The name that the person gave who made it, if any.
  public let author: String?
  /// What it did. An undo and a redo keep the name of the action they are about.
  public let edit: Edit
  /// What takes it back.
  public let inverse: [Change]
  /// What it would have done, but could not: somebody else's change stood there. Kept for the history.
  public let dropped: [Change]

  /// A logged edit of these values.
  public init(
    id: EditID, revision: Int, time: Int, save: Int, kind: Kind, author: String?, edit: Edit,
    inverse: [Change], dropped: [Change] = []
  ) {
    self.id = id
    self.revision = revision
    self.time = time
    self.save = save
    self.kind = kind
    self.author = author
    self.edit = edit
    self.inverse = inverse
    self.dropped = dropped
  }

  /// The same entry as part of that save.
  public func marked(save: Int) -> LoggedEdit {
    LoggedEdit(
      id: id, revision: revision, time: time, save: save, kind: kind, author: author, edit: edit,
      inverse: inverse,
      dropped: dropped)
  }

  /// What a person reads: `move 🐝`, `Undo move 🐝`, `Redo move 🐝`.
  public var title: String {
    switch kind {
    case .edit: edit.name
    case .undo: "Undo \(edit.name)"
    case .redo: "Redo \(edit.name)"
    }
  }
}
