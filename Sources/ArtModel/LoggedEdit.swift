// SPDX-License-Identifier: Apache-2.0

/// An edit as the document's log keeps it: who made it and when, what it did, and what takes it back.
public struct LoggedEdit: Hashable, Sendable, Identifiable {
  /// What the edit is to undo and redo.
  public enum Kind: Hashable, Sendable {
    /// A user's action.
    case edit
    /// Takes back the edit of that id.
    case undo(EditID)
    /// Takes back the undo of that id.
    case redo(EditID)
  }

  /// Its identity, its time, and who made it.
  public let stamp: EditStamp
  /// Which edit of the document it is, from 1.
  public let revision: Int
  /// The save it came with: the revision of the first edit of that save.
  public let save: Int
  /// What it is to undo and redo.
  public let kind: Kind
  /// What it did. An undo and a redo keep the name of the action they are about.
  public let edit: Edit
  /// What takes it back.
  public let inverse: [Change]
  /// What it would have done, but could not: somebody else's change stood there. Kept for the history.
  public let dropped: [Change]

  /// A logged edit of these values.
  public init(
    _ stamp: EditStamp, revision: Int, save: Int, kind: Kind = .edit, edit: Edit, inverse: [Change],
    dropped: [Change] = []
  ) {
    self.stamp = stamp
    self.revision = revision
    self.save = save
    self.kind = kind
    self.edit = edit
    self.inverse = inverse
    self.dropped = dropped
  }

  /// Its identity.
  public var id: EditID { stamp.id }
  /// When it was made, in milliseconds since 1970.
  public var time: Int { stamp.time }
  /// The name that its user gave, if any.
  public var author: String? { stamp.author }
  /// The session of the client that asked for it, if it has one.
  public var session: SessionID? { stamp.session }

  /// The same entry as part of that save.
  public func marked(save: Int) -> LoggedEdit {
    LoggedEdit(
      stamp, revision: revision, save: save, kind: kind, edit: edit, inverse: inverse, dropped: dropped)
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

/// Whose edits an undo or a redo is about.
public enum EditOwner: Hashable, Sendable {
  /// Those that one running program makes for itself, without a session.
  case origin(Origin)
  /// Those of one session, also from before a restart. An edit without a session is nobody's then.
  case session(SessionID)

  /// Whether the entry is the owner's.
  public func owns(_ entry: LoggedEdit) -> Bool {
    switch self {
    case .origin(let origin): entry.id.origin == origin && entry.session == nil
    case .session(let session): entry.session == session
    }
  }
}
