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
