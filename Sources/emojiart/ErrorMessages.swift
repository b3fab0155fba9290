// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtWorkspace
import Glibc

// Libraries say what happened; this file adds what the user can do about it with commands and options.

extension ArtError {
  /// One line for the user: what happened, to what, and what to do next.
  var message: String {
    guard let remedy else { return cause }
    let text = "\(cause); \(remedy.text(about: subject ?? ""))"
    return code == .noSuchDocument && remedy == .listDocuments ? text + ", `emojiart new` makes one" : text
  }
}

extension ArtError {
  /// The same error; of a document that is not there, but in the trash, with the way back.
  var lookingInTheTrash: ArtError {
    guard code == .noSuchDocument, let path = subject, DocumentName.hasEnding(path),
      access(path, F_OK) != 0, (try? Trash().newest(from: path)) != nil
    else { return self }
    let word = Remedy.documentWord(path)
    return ArtError(
      code, "no document \(path); it is in the trash: `emojiart delete \(word) --undo` brings it back",
      about: path)
  }

  /// The same error; of an emoji that a document does not have, with the name of the document, and with what is wrong where the emoji is the
  /// name of another one, which `find` looks for.
  func naming(_ file: DocumentFile, _ find: (String) throws(ArtError) -> DocumentFile) -> ArtError {
    guard code == .noSuchEmoji, let subject else { return self }
    guard let other = try? find(subject), access(other.path, F_OK) == 0 else {
      return withCause("\(file.path): \(cause)")
    }
    return ArtError(
      code, "\(file.path): \(cause); that is a document, and the command edits one at a time", about: subject)
  }
}

extension ArtError {
  /// The same in the words of a stream.
  var messageInStream: String {
    remedy.map { "\(cause); \($0.textInStream(about: subject ?? ""))" } ?? cause
  }
}

extension ArtError.Remedy {
  /// What to do at the command line; `subject` is what the error is about.
  func text(about subject: String) -> String {
    switch self {
    case .listDocuments: "`emojiart list` shows what is there"
    case .listEmoji: subject == "all" ? "--all is every emoji" : "`emojiart show` lists what is there"
    case .listEdits: "`emojiart history` lists the edits"
    case .takeBack: "`emojiart undo DOC --edit \(subject)` takes it back"
    case .searchNames: "`emojiart find` looks for names"
    case .listMatches: "`emojiart find \(Self.shellWord(subject))` lists them"
    case .chooseName: "choose another name"
    case .editExisting: "choose another name, or edit it with `emojiart add`"
    case .importFile: "`emojiart import \(Self.shellWord(subject)) --as NAME` imports it"
    case .check: "`emojiart check` shows details, --repair or --adopt repairs it"
    case .repair: "close that program, then `emojiart check --repair` switches it back"
    case .restoreApart: "`emojiart restore --into NEWDOC` saves them in a new document"
    case .restoreElsewhere:
      "when that program is gone for good, `emojiart restore DOC --from-elsewhere` restores them"
    case .discardEdits: "`emojiart restore --discard` drops the journal, after asking"
    case .listPalettes: "`emojiart palette` lists what is there"
    case .showPalette: "`emojiart palette show \(subject)` lists it"
    case .editPalette: "change it with `emojiart palette edit`"
    case .resetPalette: "`emojiart palette reset \(subject)` empties it"
    case .removePalette: "`emojiart palette remove \(subject)` removes it"
    case .chooseFont: "or choose another with --font: `emojiart help fonts`"
    case .sendBytes: "give - to read stdin"
    case .merge: "merge it: `emojiart merge \(Self.shellWord(DocumentName.withoutEnding(subject)))`"
    case .mergeByValue: "`emojiart merge --by-value` merges what both have now"
    case .mergeCopy:
      "look at it, and merge it by its name: `emojiart merge DOC \(Self.shellWord(subject))`"
    }
  }

  /// The same in the words of a stream, whose commands have no `emojiart` before them.
  func textInStream(about subject: String) -> String {
    switch self {
    case .listEmoji where subject != "all": "`show` lists what is there"
    case .listEdits: "`history` lists the edits"
    default: text(about: subject)
    }
  }

  /// The path of a document as the argument of a command: without its ending where the command adds it again, and never like an option.
  static func documentWord(_ path: String) -> String {
    let stem = DocumentName.withoutEnding(path)
    let isShort = DocumentName.isValid(stem) && DocumentName.withEnding(stem).utf8.elementsEqual(path.utf8)
    let word = isShort ? stem : path
    return shellWord(word.utf8.first == UInt8(ascii: "-") ? "./\(word)" : word)
  }

  /// The name, quoted for the shell where necessary. What a terminal must not get is escaped as bash and zsh read it: `$'a\x1b'`.
  static func shellWord(_ name: String) -> String {
    guard name.visible == name else {
      let escaped = name.unicodeScalars.map { scalar in
        let text = String(scalar)
        if scalar == "'" || scalar == "\\" { return "\\" + text }
        return text.visible == text
          ? text : text.utf8.map { "\\x" + ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
      }
      return "$'\(escaped.joined())'"
    }
    if name.isEmpty { return "''" }
    let special = " \t\n!\"#$&'()*;<>?[\\]^`{|}~".utf8
    guard name.utf8.contains(where: special.contains) else { return name }
    return "'" + name.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''") + "'"
  }
}

extension DocumentNotice {
  /// One line for the user.
  var message: String {
    switch self {
    case .line(let line): line
    case .kept(let error): error.message
    }
  }
}

extension DrawingRefusal {
  /// One line for the user.
  var message: String {
    reason == .noFont ? "\(detail); \(ArtError.Remedy.chooseFont.text(about: ""))" : detail
  }
}
