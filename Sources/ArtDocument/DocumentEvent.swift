// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtStore

/// A document and its version, as one moment has them.
public struct DocumentSnapshot: Sendable {
  /// The count of changes since the document was opened.
  public let version: Int
  /// The document then, unsaved edits included.
  public let content: DocumentContent
  /// The state that is durably in the file. A client gives it with the requests that it makes from then on.
  public let saved: DocumentBase
}

/// One change of an open document's content. The changes after a snapshot, applied to it in their order, give the content.
public struct ContentChange: Sendable, Equatable {
  /// What made the change.
  public enum Cause: String, Sendable, CaseIterable {
    /// An edit by a client of this document.
    case edit
    /// An undo by a client of this document.
    case undo
    /// A redo by a client of this document.
    case redo
    /// A client of this document set its background, cleared it, or gave a pending one up.
    case background
    /// Another program saved.
    case save
    /// Another program saved, and the edits that were not saved yet were made again on top of that.
    case rebase

    /// Whether a client of this document made the change.
    public var isOwn: Bool {
      switch self {
      case .edit, .undo, .redo, .background: true
      case .save, .rebase: false
      }
    }
  }

  /// The version before the change.
  public let before: Int
  /// What made it.
  public let cause: Cause
  /// The edits that are new, oldest first: the client's own one, or those of the programs that saved. They say who made them and
  /// what they are called; what they did together is the effect.
  public let edits: [LoggedEdit]
  /// Whether these are all. Otherwise the document was replaced by another state of itself, a backup for one, or has gone on further
  /// than its log goes back.
  public let isComplete: Bool
  /// The document's revision after it, unsaved edits included.
  public let revision: Int
  /// The state of the file, where a save is the cause.
  public let saved: DocumentBase?
  /// The effect of a save; nil for an own edit, whose effect is that of its entry.
  private let difference: ContentEffect?

  /// The version after the change: versions grow by one.
  public var after: Int { before + 1 }

  /// What the change did to the content.
  public var effect: ContentEffect {
    if let difference { return difference }
    return edits.first.map { ContentEffect(of: $0.edit.changes, inverse: $0.inverse) } ?? ContentEffect()
  }

  /// An own edit.
  init(of entry: LoggedEdit, isBackground: Bool, before: Int) {
    self.before = before
    cause =
      switch entry.kind {
      case .edit: isBackground ? .background : .edit
      case .undo: .undo
      case .redo: .redo
      }
    edits = [entry]
    isComplete = true
    revision = entry.revision
    saved = nil
    difference = nil
  }

  /// What others saved, and what that did to the content.
  init(
    of others: ExternalChange?, _ difference: ContentEffect, isRebased: Bool, before: Int, revision: Int,
    saved: DocumentBase
  ) {
    self.before = before
    cause = isRebased ? .rebase : .save
    edits = others?.edits ?? []
    isComplete = others?.isComplete ?? true
    self.revision = revision
    self.saved = saved
    self.difference = difference
  }
}

/// What a listener of a document hears, in the order in which it happened.
public enum DocumentEvent: Sendable, Equatable {
  /// The document's state is another one.
  case state(DocumentState)
  /// The content is another one.
  case changed(ContentChange)
  /// Everything up to this revision is durably in the file.
  case saved(revision: Int)
  /// Changes of an edit that no save held have come to nothing: somebody removed their emoji, or set the field since. The next
  /// `changed` has what that did to the content.
  case dropped(EditID, [Change])
  /// An emoji that this program added has another id: somebody else had drawn the same one. The next `changed` removes the one and
  /// adds the other.
  case renamed(EmojiID, to: EmojiID)
  /// The listener was too slow and has missed events up to that version: it should take a snapshot.
  case resync(version: Int)

  /// The document's version after the event, where it tells of one.
  public var version: Int? {
    switch self {
    case .changed(let change): change.after
    case .resync(let version): version
    case .state, .saved, .dropped, .renamed: nil
    }
  }
}

/// A document's events as one listener hears them.
public typealias DocumentEvents = EventSequence<DocumentEvent>
