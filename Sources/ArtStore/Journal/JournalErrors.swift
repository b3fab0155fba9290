// SPDX-License-Identifier: Apache-2.0

import ArtModel

// The wording of what can go wrong with a journal.

extension ArtError {
  /// Edits cannot be kept before they are saved.
  static func noJournal(_ folder: String, _ cause: ArtError) -> ArtError {
    ArtError(
      cause.code == .noSuchDocument ? .inputOutput : cause.code,
      "no journal of unsaved edits can be kept in \(folder): \(cause.message); "
        + "set EMOJIART_STATE to a folder that can be written")
  }

  static func journalGone(_ path: String) -> ArtError {
    ArtError(
      .inputOutput,
      "the journal \(path) was removed while it was in use, so that edits cannot be kept; "
        + "save, and open the document again")
  }

  static func journalFull(_ path: String) -> ArtError {
    ArtError(
      .tooLarge,
      "the journal \(path) has no room for more unsaved edits; they wait until the document is saved")
  }

  static func journalClosed(_ path: String) -> ArtError {
    ArtError(.closed, "the journal \(path) is closed")
  }

  static func journalOutOfOrder(_ path: String, _ id: EditID) -> ArtError {
    ArtError(.badValue, "the edit \(id) does not follow the last one in the journal \(path)")
  }
}

extension ArtError {
  /// A journal that is not as it was written.
  static func damagedJournal(_ name: String, _ what: String) -> ArtError {
    ArtError(
      .damaged,
      "\(name): the journal of unsaved edits is damaged: \(what); it is kept; "
        + "`emojiart restore --into NEWDOC` saves what can be read of it")
  }

  /// A journal that belongs to no file that was looked at, or not surely.
  static func keptJournal(_ name: String, _ why: String, _ code: ArtError.Code) -> ArtError {
    ArtError(
      code,
      "\(name): unsaved edits are kept, because \(why); `emojiart restore --into NEWDOC` saves them apart")
  }

  /// A journal whose head cannot be read: nobody knows whose it is.
  public static func namelessJournal(_ path: String, _ what: String) -> ArtError {
    ArtError(
      .damaged,
      "\(path): this journal of unsaved edits cannot be read: \(what); `emojiart restore --discard` asks about it"
    )
  }
}
