// SPDX-License-Identifier: Apache-2.0

import ArtSystem
import Glibc

// The wording of what the system refuses, and of what helper programs come to.

extension ArtError {
  /// A call of the system that failed while this program wanted to do that to a file: `cannot open bees: Input/output error`, or
  /// what the error number means for people, and what to do. `name` is the file as the user gave it.
  public init(_ error: SystemError, cannot verb: String, _ name: String) {
    switch error.number {
    case ENOENT, ENOTDIR: self.init(.noSuchDocument, "cannot \(verb) \(name): \(error.text)")
    case EACCES, EPERM, EROFS:
      self.init(.notPermitted, "not permitted to \(verb) \(name): \(error.text); look at its permissions")
    case ENOSPC, EDQUOT:
      self.init(.diskFull, "no room to write \(name): the disk is full; nothing was changed")
    case EFBIG:
      self.init(
        .diskFull,
        "no room to write \(name): this process may not make a file that large; raise `ulimit -f`; nothing was changed"
      )
    case EMFILE, ENFILE:
      self.init(.inputOutput, "cannot \(verb) \(name): \(error.text); raise `ulimit -n`")
    case ENAMETOOLONG:
      self.init(.badValue, "the name \(name.prefix(40))… is too long for the file system")
    default: self.init(.inputOutput, "cannot \(verb) \(name): \(error.text)")
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
      self.init(.unavailable, "no \(name) \(places); install emojiart again")
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
        "\(program.path) took nothing for \(timeout.components.seconds) s and was killed; start it again")
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
    case .exit(-1): "ended, nobody knows how"
    case .exit(let status): "ended with status \(status)"
    case .signal(let number): "was ended by signal \(number) (\(String(cString: strsignal(number))))"
    case .stopped: "had been stopped, and was killed"
    case .excessOutput: "wrote more than it may, and was killed"
    case .inputBlocked: "took nothing of what it was sent, and was killed"
    }
  }
}
