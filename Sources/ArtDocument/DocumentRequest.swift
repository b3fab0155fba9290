// SPDX-License-Identifier: Apache-2.0

import ArtModel

/// One thing that is asked of an open document.
public enum DocumentRequest: Sendable {
  /// An edit, in a person's terms.
  case action(Action)
  /// An edit, in the document's.
  case edit(Edit)
  /// What is done to its background. A picture that is set must be in the file: see `Document.setBackground`.
  case background(BackgroundEdit)
  /// Take back up to that many of this program's edits, at least 1.
  case undo(Int)
  /// Make again up to that many of them.
  case redo(Int)
}

/// What became of a request. The edit is kept from here on, whatever becomes of the program.
public struct DocumentAnswer: Sendable {
  /// What it came to in the log; nothing where it had no effect.
  public let entries: [LoggedEdit]
  /// The emoji that an action was about, as they are after it; removed ones as they were.
  public let emojis: [Emoji]
  /// How many changes no save holds yet.
  public let unsaved: Int
  /// Backgrounds that an undo or a redo would have brought back if their bytes were still kept. The URL of one that has a URL is
  /// pending now, if none was.
  public let lost: [Background]
}
