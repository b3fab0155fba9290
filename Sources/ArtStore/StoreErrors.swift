// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtSystem
import Glibc

// The wording of what can go wrong with a file. Names are as the person gave them.

extension ArtError {
  static func noSuchDocument(_ name: String, near: [String]) -> ArtError {
    let hint =
      near.isEmpty ? "`emojiart list` shows what is there" : "did you mean \(near.joined(separator: " or "))?"
    return ArtError(.noSuchDocument, "no document \(name); \(hint)")
  }

  static func exists(_ name: String) -> ArtError {
    ArtError(.exists, "\(name) exists already; choose another name, or edit it with `emojiart add`")
  }

  static func notADocument(_ name: String, _ what: String) -> ArtError {
    ArtError(.notADocument, "\(name) is not an emojiart document: \(what)")
  }

  static func newerFormat(_ name: String, _ version: Int) -> ArtError {
    ArtError(
      .newerFormat,
      "\(name) is in format \(version), this program knows format \(Format.version); get a newer emojiart")
  }

  static func damaged(_ name: String, _ what: String) -> ArtError {
    ArtError(
      .damaged,
      "\(name) is damaged, or another program wrote it: \(what); `emojiart check` tells more, "
        + "--repair or --adopt mends it")
  }

  static func nothingToMend(_ name: String) -> ArtError {
    ArtError(
      .damaged, "\(name) cannot be mended: nothing in it can be read; it stays as it is; look for a copy")
  }

  static func walDocument(_ name: String) -> ArtError {
    ArtError(
      .damaged,
      "\(name) was switched to WAL mode by another program, or one left a -wal file beside it; "
        + "close that program, then `emojiart check --repair` switches it back")
  }

  /// A file at the name of the document's rollback journal, which somebody uses for something else.
  static func foreignJournal(_ name: String) -> ArtError {
    ArtError(
      .notADocument,
      "\(name) cannot be edited: \(name)-journal beside it is no rollback journal; give that file another name"
    )
  }

  static func tooLargeFile(_ name: String) -> ArtError {
    ArtError(.tooLarge, "\(name) is larger than 256 MiB, the most a document may be")
  }

  static func tooManyRevisions(_ name: String) -> ArtError {
    ArtError(.tooLarge, "\(name) has seen more edits than can be counted; copy its emoji into a new one")
  }

  static func leftover(_ name: String) -> ArtError {
    ArtError(
      .exists, "\(name) lies there, left by another program; SQLite would mix it in: move it away first")
  }

  /// Not `busy`: who tries again without looking may make the edit twice.
  static func savedElsewhere(_ name: String) -> ArtError {
    ArtError(
      .inputOutput,
      "the edit is in a file that was moved away from \(name), or replaced there, while it was being saved; "
        + "look what lies there before you try again")
  }

  static func maybeSaved(_ name: String, _ cause: ArtError) -> ArtError {
    ArtError(
      .inputOutput,
      "\(name) may or may not hold the edit: \(cause.message); look at it before you try again")
  }

  static func busy(_ name: String) -> ArtError {
    ArtError(.busy, "\(name) is in use by another program; try again")
  }

  static func diskFull(_ name: String) -> ArtError { .system("write", name, ENOSPC) }

  /// A file that would grow beyond `ulimit -f`.
  static func fileSizeLimit(_ name: String) -> ArtError { .system("write", name, EFBIG) }

  /// A document that is not at the revision that was named.
  public static func movedOn(_ name: String, is revision: Int, not expected: Int) -> ArtError {
    ArtError(
      .movedOn,
      "\(name) is at revision \(revision), not \(expected): it has moved on; look at it, then try again")
  }

  /// Another document stands where the one was that was opened.
  public static func replaced(_ name: String) -> ArtError {
    ArtError(
      .replaced,
      "another document stands at \(name) now; move it away and put the one back that was there")
  }

  static func movedAway(_ name: String) -> ArtError {
    ArtError(
      .busy, "\(name) was moved or replaced while it was being saved; look what lies there, then try again")
  }

  static func notPermitted(_ verb: String, _ name: String, _ why: String) -> ArtError {
    ArtError(.notPermitted, "not permitted to \(verb) \(name): \(why)")
  }

  /// What a failed system call on a document that was there just now means. One that is gone meanwhile is told in the words
  /// for what was never there: who has told that, and looks again, has nothing new to tell.
  static func document(_ verb: String, _ name: String, _ number: Int32 = errno) -> ArtError {
    number == ENOENT ? .noSuchDocument(name, near: []) : .system(verb, name, number)
  }

  /// What a failed system call means.
  static func system(_ verb: String, _ name: String, _ number: Int32 = errno) -> ArtError {
    ArtError(SystemError("", name, number: number), cannot: verb, name)
  }
}
