// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtStore

/// What a listener of a document hears, in the order in which it happened.
public enum DocumentEvent: Sendable, Equatable {
  /// The document's state is another one.
  case state(DocumentState)
  /// An edit, an undo or a redo of this program took effect.
  case edited(LoggedEdit)
  /// Everything up to this revision is durably in the file.
  case saved(revision: Int)
  /// Other programs have edited the document; what they did is in the content now.
  case changed(ExternalChange)
  /// Changes of this program's edit have come to nothing: somebody removed their emoji, or set the field since.
  case dropped(EditID, [Change])
  /// An emoji that this program added has another id: somebody else had drawn the same one.
  case renamed(EmojiID, to: EmojiID)
  /// The listener was too slow and has missed events: it should look at the document anew.
  case resync
}

/// A document's events as one listener hears them.
public typealias DocumentEvents = EventSequence<DocumentEvent>
