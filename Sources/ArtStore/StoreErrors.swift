// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtSystem
import Glibc

// Errors of files. Names are as the user gave them.

extension ArtError {
  static func noSuchDocument(_ name: String, near: [String]) -> ArtError {
    guard !near.isEmpty else {
      return ArtError(.noSuchDocument, "no document \(name)", about: name, remedy: .listDocuments)
    }
    return ArtError(
      .noSuchDocument, "no document \(name); did you mean \(near.joined(separator: " or "))?", about: name)
  }

  static func exists(_ name: String) -> ArtError {
    ArtError(.exists, "\(name) exists already", about: name, remedy: .editExisting)
  }

  /// A revision that another program has set.
  static func foreignRevision(_ revision: Int, of name: String, _ advice: String) -> ArtError {
    ArtError(
      .tooLarge,
      "\(name) has the revision \(revision), which is higher than edits can make it; another program has set it; \(advice)",
      about: name)
  }

  /// A document's name that leaves no room for the name of its rollback journal.
  static func tooLongName(_ path: String) -> ArtError {
    let (parts, ending) = (FilePath(path), DocumentFile.ending)
    let most =
      FileSystem.longestName(in: parts.folder) - ending.utf8.count - DocumentFile.journalEnding.utf8.count
    let name = FilePath(parts.name).without(ending: ending).string
    guard name.utf8.count > most else {
      return ArtError(
        .badValue, "the path of \(name.prefix(40)) is too long for the file system", about: path)
    }
    return ArtError(
      .badValue,
      "the name \(name.prefix(40))… has \(name.utf8.count) bytes; a document's name has at most \(most) bytes here; choose a shorter one",
      about: path)
  }

  static func notADocument(_ name: String, _ what: String, remedy: Remedy? = nil) -> ArtError {
    ArtError(
      .notADocument, "\(name) is not an emojiart document: \(what)", about: name, remedy: remedy)
  }

  static func newerFormat(_ name: String, _ version: Int) -> ArtError {
    ArtError(
      .newerFormat,
      "\(name) is in format \(version), this program knows format \(Format.version); get a newer emojiart",
      about: name)
  }

  static func damaged(_ name: String, _ what: String) -> ArtError {
    ArtError(
      .damaged,
      "\(name) is damaged, or another program wrote it: \(what)", about: name, remedy: .check)
  }

  static func nothingToMend(_ name: String) -> ArtError {
    ArtError(
      .damaged, "\(name) cannot be repaired: nothing in it can be read; it stays as it is; use a backup",
      about: name)
  }

  static func walDocument(_ name: String) -> ArtError {
    ArtError(
      .damaged,
      "\(name) was switched to WAL mode by another program, or one left a -wal file beside it", about: name,
      remedy: .repair)
  }

  /// The name of the document's rollback journal is in use for another file.
  static func foreignJournal(_ name: String) -> ArtError {
    ArtError(
      .notADocument,
      "\(name) cannot be edited: \(name)-journal beside it is no rollback journal; give that file another name",
      about: name)
  }

  /// The pictures of named versions leave no room for another one.
  static func tooManyPictures(_ name: String) -> ArtError {
    ArtError(
      .tooLarge,
      "the pictures of \(name) and of its versions have 128 MiB at most; remove a version with a picture",
      about: name)
  }

  static func tooLargeFile(_ name: String) -> ArtError {
    ArtError(.tooLarge, "\(name) is larger than 256 MiB, the most a document may be", about: name)
  }

  static func leftover(_ name: String) -> ArtError {
    ArtError(
      .exists, "\(name) lies there, left by another program; SQLite would mix it in: move it away first",
      about: name)
  }

  /// The code is not `busy`: a caller that tries again without reading first may make the edit twice.
  static func savedElsewhere(_ name: String) -> ArtError {
    ArtError(
      .inputOutput,
      "the edit is in a file that was moved away from \(name), or replaced there, while it was being saved; "
        + "check which file is there before you try again", about: name)
  }

  static func maybeSaved(_ name: String, _ cause: ArtError) -> ArtError {
    ArtError(
      .inputOutput,
      "\(name) may or may not hold the edit: \(cause.cause); look at it before you try again", about: name)
  }

  static func busy(_ name: String) -> ArtError {
    ArtError(.busy, "\(name) is in use by another program; try again", about: name)
  }

  static func diskFull(_ name: String) -> ArtError { .system("write", name, ENOSPC) }

  /// A file that would grow beyond `ulimit -f`.
  static func fileSizeLimit(_ name: String) -> ArtError { .system("write", name, EFBIG) }

  /// A document that is not at the revision that was named.
  public static func movedOn(_ name: String, is revision: Int, not expected: Int) -> ArtError {
    ArtError(
      .movedOn,
      "\(name) is at revision \(revision), not \(expected); look at it, then try again",
      about: name)
  }

  /// A document in a state that lacks an edit which the program had saved.
  static func lacking(_ edit: EditID, _ name: String) -> ArtError {
    ArtError(
      .movedOn, "\(name) is in a state without edit \(edit), which was saved; merge that into it first",
      about: name)
  }

  /// Another document has taken the path of the opened one.
  public static func replaced(_ name: String) -> ArtError {
    ArtError(
      .replaced,
      "another document stands at \(name) now; move it away, and put the original one back", about: name)
  }

  static func movedAway(_ name: String) -> ArtError {
    ArtError(
      .busy,
      "\(name) was moved or replaced while it was being saved; check which file is there, then try again",
      about: name)
  }

  static func notPermitted(_ verb: String, _ name: String, _ why: String) -> ArtError {
    ArtError(.notPermitted, "not permitted to \(verb) \(name): \(why)", about: name)
  }

  /// The error of a failed system call on a document that was just there. A document that is missing now has the error of one that
  /// never existed, so a second attempt reports nothing new.
  static func document(_ verb: String, _ name: String, _ number: Int32 = errno) -> ArtError {
    number == ENOENT ? .noSuchDocument(name, near: []) : .system(verb, name, number)
  }

  /// The error of a failed system call.
  static func system(_ verb: String, _ name: String, _ number: Int32 = errno) -> ArtError {
    ArtError(SystemError("", name, number: number), cannot: verb, name)
  }
}

// Errors of journals.

extension ArtError {
  /// Edits cannot be kept before they are saved.
  static func noJournal(_ folder: String, _ cause: ArtError) -> ArtError {
    ArtError(
      cause.code == .noSuchDocument ? .inputOutput : cause.code,
      "no journal of unsaved edits can be kept in \(folder): \(cause.cause); "
        + "set EMOJIART_STATE to a folder that can be written", about: folder)
  }

  static func journalGone(_ path: String) -> ArtError {
    ArtError(
      .inputOutput,
      "the journal \(path) was removed while it was in use, so that edits cannot be kept; "
        + "save, and open the document again", about: path)
  }

  static func journalFull(_ path: String) -> ArtError {
    ArtError(
      .tooLarge,
      "the journal \(path) has no room for more unsaved edits; they wait until the document is saved",
      about: path)
  }

  static func journalClosed(_ path: String) -> ArtError {
    ArtError(.closed, "the journal \(path) is closed", about: path)
  }

  static func journalOutOfOrder(_ path: String, _ id: EditID) -> ArtError {
    ArtError(.badValue, "the edit \(id) does not follow the last one in the journal \(path)", about: path)
  }
}

extension ArtError {
  /// A damaged journal.
  static func damagedJournal(_ name: String, _ what: String) -> ArtError {
    ArtError(
      .damaged,
      "\(name): the journal of unsaved edits is damaged: \(what); it is kept, with the edits that can be read",
      about: name, remedy: .restoreApart)
  }

  /// A journal that belongs to no inspected file, or may not belong to it.
  static func keptJournal(_ name: String, _ why: String, _ code: ArtError.Code) -> ArtError {
    ArtError(
      code,
      "\(name): unsaved edits are kept, because \(why)", about: name, remedy: .restoreApart)
  }

  /// A journal whose program may still run on another machine or in another container.
  static func elsewhereJournal(_ name: String, _ why: String) -> ArtError {
    ArtError(
      .unavailable,
      "\(name): unsaved edits are kept, because \(why)", about: name, remedy: .restoreElsewhere)
  }

  /// A journal that another program uses. An edit before its recovery would precede the journal's edits.
  static func busyJournal(_ document: String) -> ArtError {
    ArtError(
      .busy,
      "unsaved edits of \(document) are in use by another program, which reads or restores them; try again",
      about: document)
  }

  /// The journals that cannot be read, whose edits may be of any document: one error for the files that this user may not read, and one
  /// for the folders that cannot be listed.
  public static func unreadableJournals(_ journals: [OrphanedJournal]) -> [ArtError] {
    var errors: [ArtError] = []
    let files = journals.filter { !$0.isFolder && $0.fault?.code == .notPermitted }
    if let first = files.first {
      var status = stat()
      let owner = lstat(first.path, &status) == 0 ? status.st_uid : nil
      errors.append(
        .foreignJournals(
          first.path, of: owner, andMore: files.count - 1, folder: first.folder.path(of: first.id.document)))
    }
    let folders = journals.filter(\.isFolder)
    if let first = folders.first, let fault = first.fault {
      let more = folders.count > 1 ? "; \(folders.count - 1) more folders of journals cannot be listed" : ""
      errors.append(fault.withCause(fault.cause + more))
    }
    return errors
  }

  /// The error for journals that cannot be read because they belong to another user. `folder` is that of their document.
  static func foreignJournals(
    _ path: String, of owner: uid_t?, andMore count: Int = 0, folder: String
  ) -> ArtError {
    let whose = owner.map { "belongs to the user \($0) and " } ?? ""
    let more = count > 0 ? ", and so \(count) more" : ""
    return ArtError(
      .notPermitted,
      "\(path) \(whose)cannot be read\(more); there may be unsaved edits of your documents in it: "
        + "`sudo chown -R \(geteuid()) \(folder)` makes them yours", about: folder)
  }

  /// A journal with an unreadable head: its document is unknown.
  public static func namelessJournal(_ path: String, _ what: String) -> ArtError {
    ArtError(
      .damaged,
      "\(path): this journal of unsaved edits cannot be read: \(what)", about: path, remedy: .discardEdits)
  }
}
