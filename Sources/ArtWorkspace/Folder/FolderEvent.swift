// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtStore

/// What happens in a folder. Paths are relative to it.
public enum FolderEvent: Sendable, Equatable {
  /// A document has come.
  case added(String, revision: Int)
  /// A document is in another state; a notice for each save.
  case changed(String, DocumentChange)
  /// A document has moved on further than its log goes back: look at all of it.
  case movedOn(String, revision: Int)
  /// A document is gone.
  case removed(String)
  /// A document has another name.
  case renamed(String, from: String)
  /// A document cannot be read; told once, until it is whole again or there is another kind of trouble.
  case damaged(String, reason: String)
  /// Something may have been missed, and everything was looked at again; what was found was told before.
  case rescanned(String)
  /// Changes are found by looking through the folder every so often; why, and what can be done.
  case degraded(String)
  /// This listener has missed events: it should look at the folder's documents.
  case resync
}

/// What others did to a document, in one save as a rule.
public struct DocumentChange: Sendable, Equatable {
  /// The edits of one save, oldest first; none when the document is another state of itself, a backup for one, or is whole again.
  public let edits: [LoggedEdit]
  /// The texts of the emoji that the edits are about, as far as they are known.
  public let texts: [EmojiID: String]
  /// The document's revision after them.
  public let revision: Int
  /// Whether the edits are all that happened. Otherwise look at all of the document.
  public let isComplete: Bool

  /// A change.
  public init(edits: [LoggedEdit], texts: [EmojiID: String], revision: Int, isComplete: Bool) {
    self.edits = edits
    self.texts = texts
    self.revision = revision
    self.isComplete = isComplete
  }
}

/// A document of a folder.
public struct FolderDocument: Sendable, Equatable {
  /// Its path, relative to the folder.
  public let path: String
  /// The state it is in; nil when it cannot be read, and when it was not read yet: another program has held it since the
  /// folder was opened.
  public let base: DocumentBase?
  /// Why it cannot be read, as it was found last; nil when nothing is wrong with it, or not for long enough to be told.
  public let trouble: String?

  /// A document.
  public init(path: String, base: DocumentBase?, trouble: String?) {
    self.path = path
    self.base = base
    self.trouble = trouble
  }
}
