// SPDX-License-Identifier: Apache-2.0

import ArtSystem
import Glibc

/// What went wrong: a code for programs, what it is about, what happened, and what can be done about it.
///
/// A library says what happened; the front end says what to do, because one has commands and another one buttons. What holds for every
/// front end, such as a limit of the system and its name, is in the cause.
public struct ArtError: Error, Sendable, Hashable {
  /// What kind of thing went wrong.
  public enum Code: String, Sendable, CaseIterable {
    /// The arguments of a command are invalid.
    case usage
    /// A value is out of bounds.
    case badValue
    /// A text that is no emoji.
    case badText
    /// JSON that cannot be read.
    case badJSON
    /// The file is not an emojiart document.
    case notADocument
    /// The document's format is newer than this program.
    case newerFormat
    /// The content does not match its sums.
    case damaged
    /// A limit on what a document may hold.
    case tooLarge
    /// There is no such document.
    case noSuchDocument
    /// There is no such emoji.
    case noSuchEmoji
    /// A reference fits several emoji.
    case ambiguous
    /// There is nothing to undo or redo.
    case nothingToUndo
    /// The log does not reach back to that revision, or the document has not had it.
    case noSuchRevision
    /// Two copies of a document cannot be merged: their logs do not reach back to where they parted.
    case parted
    /// There is no background, or none of the kind that is meant.
    case noBackground
    /// Something by that name exists.
    case exists
    /// Reading or writing failed.
    case inputOutput
    /// The disk is full.
    case diskFull
    /// Another program holds the document.
    case busy
    /// The document is at a later revision than the expected one.
    case movedOn
    /// Another document has taken the path of the opened one.
    case replaced
    /// The system does not permit it.
    case notPermitted
    /// A server or a helper program cannot be reached.
    case unavailable
    /// The document is closed, or cannot be edited.
    case closed
  }

  /// What the user can do next. A front end has the words; where they name a thing it is the error's subject. The names of the cases are
  /// part of the public JSON.
  public enum Remedy: String, Sendable, CaseIterable {
    /// Look which documents there are.
    case listDocuments
    /// Look which emoji are in the document.
    case listEmoji
    /// Look which edits are in the document's history.
    case listEdits
    /// Take back the edit whose revision is the subject.
    case takeBack
    /// Look for an emoji by another name.
    case searchNames
    /// Look which emoji have the name that is the subject.
    case listMatches
    /// Choose another name for what is made.
    case chooseName
    /// Choose another name, or edit the document that is there.
    case editExisting
    /// Import the file that is the subject.
    case importFile
    /// Check the document, and repair it.
    case check
    /// End the program that uses the document, then repair it.
    case repair
    /// Save the unsaved edits in a new document.
    case restoreApart
    /// Restore the unsaved edits when the program on another machine is gone for good.
    case restoreElsewhere
    /// Look at the unsaved edits that cannot be read, and drop them.
    case discardEdits
    /// Look which palettes there are.
    case listPalettes
    /// Look what is in the palette that is the subject.
    case showPalette
    /// Change the palette that is there.
    case editPalette
    /// Put the palette that is the subject back to what it was in the beginning.
    case resetPalette
    /// Remove the palette that is the subject.
    case removePalette
    /// Choose the file of a font.
    case chooseFont
    /// Give the bytes without a file.
    case sendBytes
    /// Merge the conflict copies of the document that is the subject.
    case merge
    /// Ask for a merge by value.
    case mergeByValue
    /// Merge the copy that is the subject, by its name.
    case mergeCopy
  }

  /// What kind of thing went wrong.
  public let code: Code
  /// What it is about, as the user gave it: a path, a reference, a redacted URL, a value; nil where there is none. At most 4,096 bytes,
  /// which may hold any text.
  public let subject: String?
  /// What happened, and to what: one line, without the words of any front end. May hold text from a document or a path: it is made
  /// safe where it is printed.
  public let cause: String
  /// What the user can do next; nil where the cause says it, or nothing can be done.
  public let remedy: Remedy?

  /// An error of that kind.
  public init(_ code: Code, _ cause: String, about subject: String? = nil, remedy: Remedy? = nil) {
    (self.code, self.cause, self.remedy) = (code, cause, remedy)
    self.subject = subject.map(Self.bounded)
  }

  /// The most bytes of a subject, as many as a path has.
  private static let subjectLimit = 4_096

  /// A subject cut to the limit, between two scalars.
  private static func bounded(_ subject: String) -> String {
    guard subject.utf8.count > subjectLimit else { return subject }
    var end = subject.utf8.index(subject.startIndex, offsetBy: subjectLimit)
    while end.samePosition(in: subject.unicodeScalars) == nil { end = subject.utf8.index(before: end) }
    return String(subject.unicodeScalars[..<end])
  }

  /// The same error with another account of what happened.
  public func withCause(_ cause: String) -> ArtError {
    ArtError(code, cause, about: subject, remedy: remedy)
  }
}

extension ArtError: CustomStringConvertible {
  /// What happened.
  public var description: String { cause }
}

// The wording of what the system refuses, and of what helper programs come to.

extension ArtError {
  /// A call of the system that failed while this program wanted to do that to a file: `cannot open bees: Input/output error`, or
  /// what the error number means for people, and what to do. `name` is the file as the user gave it.
  public init(_ error: SystemError, cannot verb: String, _ name: String) {
    switch error.number {
    case ENOENT, ENOTDIR: self.init(.noSuchDocument, "cannot \(verb) \(name): \(error.text)", about: name)
    case EACCES, EPERM, EROFS:
      self.init(
        .notPermitted, "not permitted to \(verb) \(name): \(error.text); look at its permissions", about: name
      )
    case ENOSPC, EDQUOT:
      self.init(.diskFull, "no room to write \(name): the disk is full; nothing was changed", about: name)
    case EFBIG:
      self.init(
        .diskFull,
        "no room to write \(name): this process may not make a file that large; raise `ulimit -f`; nothing was changed",
        about: name)
    case EMFILE, ENFILE:
      self.init(.inputOutput, "cannot \(verb) \(name): \(error.text); raise `ulimit -n`", about: name)
    case ENAMETOOLONG:
      self.init(.badValue, "the name \(name.prefix(40))… is too long for the file system", about: name)
    default: self.init(.inputOutput, "cannot \(verb) \(name): \(error.text)", about: name)
    }
  }

  /// A helper program that cannot be used; always `unavailable`.
  public init(_ failure: HelperFailure) {
    switch failure {
    case .missing(let name, let folders):
      let isUsual = folders == HelperPrograms.installed.folders
      let places =
        isUsual || folders.isEmpty
        ? "beside this program, nor in libexec/emojiart beside its folder"
        : "in \(folders.joined(separator: ", nor in "))"
      // The static tar has no worker: installing it again would not help.
      let remedy =
        name == "emojiart-worker"
        ? "the static tar comes without it: install the package, or build from source"
        : "install emojiart again"
      self.init(.unavailable, "no \(name) \(places); \(remedy)", about: name)
    case .notStarted(let program, let error):
      let hint =
        switch error.number {
        case ENOENT, ENOTDIR, EACCES, ENOEXEC: "install emojiart again"
        case EMFILE: "raise `ulimit -n`"
        case ENFILE: "raise fs.file-max"
        case EAGAIN: "raise `ulimit -u`"
        case ENOMEM: "close other programs, there is no memory for it"
        default: "try again"
        }
      self.init(.unavailable, "cannot start \(program.path): \(error.text); \(hint)")
    case .noThread(let program, let error):
      self.init(
        .unavailable, "cannot start a thread for \(program.path): \(error.text); raise `ulimit -u`")
    case .ended(let program):
      self.init(.unavailable, "\(program.path) has ended; start it again")
    case .inputBlocked(let program, let timeout):
      self.init(
        .unavailable,
        "\(program.path) read nothing for \(timeout.components.seconds) s and was killed; start it again")
    case .noRequest: self.init(.unavailable, "a helper program was not asked to the end")
    }
  }
}

extension HelperEnd {
  /// Characters of a line of its standard error that are shown.
  private static let shownCharacters = 500

  /// What happened, as the rest of a sentence about the helper; the last line of its standard error, or the beginning of
  /// a long one, at its end.
  public var text: String {
    let line = errors.split(whereSeparator: \.isNewline).last
    return causeText + (isCutOff ? " in the middle of what it said" : "")
      + (line.map { ": \($0.prefix(Self.shownCharacters))" } ?? "")
  }

  private var causeText: String {
    switch cause {
    case .exit(-1): "ended for an unknown reason"
    case .exit(let status): "ended with status \(status)"
    case .signal(let number): "was ended by signal \(number) (\(String(cString: strsignal(number))))"
    case .stopped: "had been stopped, and was killed"
    case .excessOutput: "wrote more than it may, and was killed"
    case .inputBlocked: "did not read its input, and was killed"
    }
  }
}

// What happened, to what, and what to do next: one line each.

extension ArtError {
  /// Why a text is no emoji label.
  public enum TextFault: Error, Sendable {
    case empty
    case bytes
    case control
    case characters
    case noEmoji
  }

  /// A text that cannot be an emoji label.
  public static func badText(_ text: String, _ fault: TextFault) -> ArtError {
    let shown = "\"\(String(text.prefix(24)).revealed)\(text.count > 24 ? "…" : "")\""
    switch fault {
    case .empty: return ArtError(.badText, "an empty text is no emoji; give one, such as 🐝")
    case .bytes:
      return ArtError(.badText, "\(shown) is longer than \(Limits.textBytes) bytes; an emoji label is short")
    case .control:
      return ArtError(
        .badText, "\(shown) holds a control or an unknown character; give emoji and letters only")
    case .characters:
      return ArtError(
        .badText, "\(shown) has \(text.count) characters; a label has at most \(Limits.textCharacters)")
    case .noEmoji:
      return ArtError(.badText, "\(shown) has no emoji in it; give at least one, such as 🐝")
    }
  }

  /// A text that cannot be a caption.
  static func badWords(_ text: String, _ fault: TextFault) -> ArtError {
    let shown = "\"\(String(text.prefix(24)).revealed)\(text.count > 24 ? "…" : "")\""
    switch fault {
    case .empty, .noEmoji: return ArtError(.badText, "a caption without a visible character; give some words")
    case .bytes:
      return ArtError(
        .badText, "\(shown) is longer than \(Limits.captionBytes) bytes; make several captions of it")
    case .control:
      return ArtError(.badText, "\(shown) holds a control character; give words and emoji only")
    case .characters:
      return ArtError(
        .badText, "\(shown) has more than \(Limits.captionLines) lines; make several captions of it")
    }
  }

  /// The measured size of a caption is out of bounds.
  static func badBox(_ width: Double, _ height: Double) -> ArtError {
    ArtError(
      .badValue, "a caption of \(numberText(width)) x \(numberText(height)) ems; it may have 2,000 ems a side"
    )
  }

  /// A word that means nothing here, such as a key or an option; the message names the near ones among those that do. `all` says which
  /// there are, where these are too many for a message.
  public static func unknown(
    _ what: String, _ word: String, among known: [String], all: String? = nil
  ) -> ArtError {
    let near = nearest(to: word, among: known)
    let list = all ?? "there are \(known.joined(separator: ", "))"
    let hint = near.isEmpty ? list : "did you mean \(near.joined(separator: " or "))?"
    let typed = word.isEmpty ? "\"\"" : String(word.prefix(40))
    return ArtError(.usage, "\(what) \(typed); \(hint)", about: word)
  }

  /// A place out of bounds. `isNamed` is whether a place may be given by its name.
  public static func badPlace(_ text: String, isNamed: Bool = false) -> ArtError {
    let names = isNamed ? ", or center, top, bottom-right" : ""
    return ArtError(
      .badValue,
      "\"\(text)\" is no place; give X,Y in pixels or percent, within 1,000,000 of the origin\(names)",
      about: text)
  }

  /// A name of a place on the canvas that there is not.
  static func badAnchor(_ text: String, among names: [String]) -> ArtError {
    ArtError(
      .badValue, "\"\(text.prefix(40))\" is no place; there are \(names.joined(separator: ", "))", about: text
    )
  }

  /// A font size out of bounds.
  public static func badSize(_ text: String) -> ArtError {
    ArtError(
      .badValue,
      "\"\(text)\" is no size; give pixels above 0 and up to 100,000, or percent of the canvas's shorter side",
      about: text)
  }

  /// A gap or a margin, by its name, that is none or out of bounds.
  public static func badLength(_ text: String, _ name: String) -> ArtError {
    ArtError(
      .badValue,
      "\"\(text)\" is no \(name); give pixels or percent, such as 10 or 5%, up to 1,000,000 pixels",
      about: text)
  }

  /// A number of columns that is none.
  public static func badColumns(_ text: String) -> ArtError {
    ArtError(.badValue, "\"\(text)\" is no number of columns; give 1 or more", about: text)
  }

  /// A grid that reaches too far.
  static func tooLargeGrid() -> ArtError {
    ArtError(
      .badValue,
      "the grid would be larger than 1,000,000 pixels; give a smaller gap, or another number of columns")
  }

  /// An angle that is none.
  public static func badRotation(_ text: String) -> ArtError {
    ArtError(
      .badValue, "\"\(text)\" is no rotation; give degrees clockwise, such as 30 or -12.5", about: text)
  }

  /// An emoji is to get a colour.
  static func noWords(_ text: String) -> ArtError {
    ArtError(.badValue, "\(text) is no caption; only words have a colour of their own", about: text)
  }

  /// The canvas is to fit emoji that there are not.
  static func nothingToFit() -> ArtError {
    ArtError(.noSuchEmoji, "no emoji to fit the canvas to; add some first")
  }

  /// A grid without cells, or with too many.
  static func badGrid(_ text: String) -> ArtError {
    ArtError(
      .badValue, "\"\(text)\" is no grid; give COLUMNSxROWS, such as 3x4, with 1,000,000 cells at most",
      about: text)
  }

  /// A colour that is none. `near` are the names that may have been meant.
  public static func badColor(_ text: String, like near: [String] = []) -> ArtError {
    let hint =
      near.isEmpty
      ? "give #rrggbb, #rrggbbaa or a name such as gold" : "did you mean \(near.joined(separator: " or "))?"
    return ArtError(.badValue, "\"\(text.prefix(40))\" is no colour; \(hint)", about: text)
  }

  /// A factor that is none.
  public static func badFactor(_ text: String) -> ArtError {
    ArtError(.badValue, "\"\(text)\" is no factor; give a number above 0, such as 1.5", about: text)
  }

  /// A canvas out of bounds.
  public static func badCanvas(_ text: String) -> ArtError {
    ArtError(
      .badValue,
      "\"\(text)\" is no canvas; give WIDTHxHEIGHT, each from 1 to 100,000 pixels, or \(Canvas.named.map(\.name).joined(separator: ", "))",
      about: text)
  }

  /// A part of the canvas that is none.
  public static func badRegion(_ text: String) -> ArtError {
    ArtError(
      .badValue,
      "\"\(text)\" is no region; give X,Y,WIDTHxHEIGHT in pixels or percent, its sides at least 0.000001, within 1,000,000 of the origin",
      about: text)
  }

  /// A reference that cannot name an emoji.
  public static func badReference(_ text: String) -> ArtError {
    ArtError(
      .badValue,
      "\"\(text.revealed)\" names no emoji; give an id or its beginning, an emoji, 🐝:2, 🐝:*, the words of a caption, or @last",
      about: text)
  }

  /// Nothing fits the reference.
  public static func noSuchEmoji(_ text: String) -> ArtError {
    ArtError(.noSuchEmoji, "no emoji \(text.revealed) in the document", about: text, remedy: .listEmoji)
  }

  /// Several emoji fit the reference.
  /// `all` is a reference to all of them, if there is one.
  public static func ambiguous(
    _ text: String, _ candidates: [String], more: Bool, all: String? = nil
  ) -> ArtError {
    let list = candidates.joined(separator: ", ") + (more ? ", …" : "")
    let hint = all.map { "name one of them, or \($0) for all" } ?? "name one of them"
    return ArtError(.ambiguous, "\(text) fits several emoji: \(list); \(hint)", about: text)
  }

  /// A reference to several emoji stands where one is due.
  static func severalNamed(_ text: String) -> ArtError {
    ArtError(.ambiguous, "\(text) may be several emoji; name one", about: text)
  }

  /// A region without emoji.
  static func noEmoji(in region: String) -> ArtError {
    ArtError(.noSuchEmoji, "no emoji in the region \(region)", about: region, remedy: .listEmoji)
  }

  /// Two references of one command name the same emoji.
  public static func namedTwice(_ text: String) -> ArtError {
    ArtError(.badValue, "\(text) is named twice; name each emoji once", about: text)
  }

  /// The document is full.
  public static func tooManyEmoji() -> ArtError {
    ArtError(.tooLarge, "a document holds at most 1,000,000 emoji; begin another one")
  }

  /// A document at the largest revision: an edit could not be saved.
  package static func tooManyRevisions(_ name: String? = nil) -> ArtError {
    ArtError(
      .tooLarge,
      "\(name ?? "the document") has seen more edits than can be counted; copy its emoji into a new one",
      about: name)
  }

  /// An edit of more changes than the log keeps of one.
  static func tooManyChanges() -> ArtError {
    ArtError(.tooLarge, "an edit makes at most \(Limits.editChanges) changes; make several edits of it")
  }

  /// An invalid author name.
  public static func badAuthor(_ text: String) -> ArtError {
    ArtError(
      .badValue, "\"\(text.prefix(40))\" is no author's name; give up to 64 bytes of plain text", about: text)
  }

  /// A value that a setting cannot have.
  static func badSetting(_ setting: Setting, _ value: String, _ permitted: String) -> ArtError {
    ArtError(.badValue, "\"\(value.prefix(40))\" is no \(setting.rawValue); give \(permitted)", about: value)
  }

  /// An emoji is to be put above itself.
  public static func aboveItself(_ text: String) -> ArtError {
    ArtError(.badValue, "\(text) cannot be put above itself; name another emoji", about: text)
  }

  /// A z-order value out of bounds.
  public static func badOrder(_ z: Int) -> ArtError {
    ArtError(.badValue, "\(z) is no place in the z-order; give a value within 2^60 of zero")
  }

  /// A background, or one that is still to come, that no document may hold.
  public static func badBackground(_ what: String) -> ArtError {
    ArtError(.badValue, "a background with \(what)")
  }

  /// Nothing to undo or redo.
  public static func nothingTo(_ word: String) -> ArtError {
    ArtError(.nothingToUndo, "nothing to \(word)", remedy: .listEdits)
  }

  /// Nothing to redo, since edits were made after that undo.
  package static func nothingToRedo(since undo: LoggedEdit) -> ArtError {
    ArtError(
      .nothingToUndo,
      "nothing to redo: edits were made after \"\(undo.title)\", which is revision \(undo.revision)",
      about: "\(undo.revision)", remedy: .takeBack)
  }

  /// Nothing of a program's own to undo or redo.
  public static func nothingOwnTo(_ word: String) -> ArtError {
    ArtError(
      .nothingToUndo, "no edits of your own to \(word): the edits of others and of earlier sessions stay")
  }

  /// The edit is taken back already, is a redo, has changed nothing, or has left the log.
  package static func notStanding(_ edit: EditID) -> ArtError {
    ArtError(
      .nothingToUndo,
      "the edit \(edit) is taken back already, is a redo, has changed nothing, or the history does not reach back to it",
      about: edit.description)
  }

  /// A revision that the log does not reach, or that the document has not had. `known` are those of which the content can be computed.
  static func noSuchRevision(_ revision: Int, within known: ClosedRange<Int>) -> ArtError {
    let cause =
      revision > known.upperBound
      ? "there is no revision \(revision) yet: the document is at revision \(known.upperBound)"
      : "the history does not reach back to revision \(revision): the oldest one that can be had is \(known.lowerBound)"
    return ArtError(.noSuchRevision, cause, about: "\(revision)", remedy: .listEdits)
  }

  /// A revision that is not the one that the caller means.
  static func otherEdit(at revision: Int) -> ArtError {
    ArtError(
      .movedOn,
      "revision \(revision) is another edit by now, or the history no longer has it; look at the history, then try again",
      about: "\(revision)")
  }

  /// A count out of bounds, in what two of our programs say to each other.
  static func badCount(_ count: Int, _ unit: String) -> ArtError {
    ArtError(.badValue, "\(count) \(unit) are out of bounds")
  }

  /// JSON that cannot be read; `place` says where, if that helps.
  public static func badJSON(_ what: String, at place: String? = nil) -> ArtError {
    ArtError(.badJSON, "JSON with \(what)" + (place.map { ", \($0)" } ?? ""))
  }
}
