// SPDX-License-Identifier: Apache-2.0

import ArtModel
import Glibc

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

  /// A journal whose program may still run where this one cannot see it.
  static func elsewhereJournal(_ name: String, _ why: String) -> ArtError {
    ArtError(
      .unavailable,
      "\(name): unsaved edits are kept, because \(why); when that program is gone for good, "
        + "`emojiart restore DOC --from-elsewhere` brings them in")
  }

  /// A journal that others use just now: an edit that was made before it is restored would take its edits' place.
  static func busyJournal(_ document: String) -> ArtError {
    ArtError(
      .busy,
      "unsaved edits of \(document) are in use by another program, which looks at them or restores them; try again"
    )
  }

  /// Journals that this user may not read: whose they are cannot be told.
  public static func unreadableJournals(_ journals: [OrphanedJournal]) -> ArtError? {
    let unreadable = journals.filter { $0.fault?.code == .notPermitted }
    guard let first = unreadable.first else { return nil }
    var status = stat()
    let owner = lstat(first.path, &status) == 0 ? "belongs to the user \(status.st_uid) and " : ""
    let more = unreadable.count > 1 ? ", and so \(unreadable.count - 1) more" : ""
    return ArtError(
      .notPermitted,
      "\(first.path) \(owner)cannot be read\(more); there may be unsaved edits of your documents in it: "
        + "`sudo chown \(geteuid()) \(first.folder.path)/\(first.origin)*` makes them yours")
  }

  /// A journal whose head cannot be read: nobody knows whose it is.
  public static func namelessJournal(_ path: String, _ what: String) -> ArtError {
    ArtError(
      .damaged,
      "\(path): this journal of unsaved edits cannot be read: \(what); `emojiart restore --discard` asks about it"
    )
  }
}
