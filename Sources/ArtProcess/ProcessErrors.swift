// SPDX-License-Identifier: Apache-2.0

import ArtModel
import Glibc

// The wording of what can go wrong with a helper program.

extension ArtError {
  static func cannotStart(_ program: WorkerProgram, _ number: Int32) -> ArtError {
    let cause = String(cString: strerror(number))
    let hint =
      switch number {
      case ENOENT, ENOTDIR, EACCES, ENOEXEC: "install emojiart again"
      case EMFILE: "raise `ulimit -n`"
      case ENFILE: "raise fs.file-max"
      case EAGAIN: "raise `ulimit -u`"
      case ENOMEM: "close other programs, there is no memory for it"
      default: "try again"
      }
    return ArtError(.unavailable, "cannot start \(program.path): \(cause); \(hint)")
  }

  static func cannotStartThread(for program: WorkerProgram, _ number: Int32) -> ArtError {
    let cause = String(cString: strerror(number))
    return ArtError(.unavailable, "cannot start a thread for \(program.path): \(cause); raise `ulimit -u`")
  }

  static func hasEnded(_ program: WorkerProgram) -> ArtError {
    ArtError(.unavailable, "\(program.path) has ended; start it again")
  }

  static func takesNothing(_ program: WorkerProgram, for patience: Duration) -> ArtError {
    ArtError(
      .unavailable,
      "\(program.path) took nothing for \(patience.components.seconds) s and was killed; start it again")
  }
}

extension WorkerEnd: CustomStringConvertible {
  /// What happened, for people, as the rest of a sentence about the worker; the complaint's last line, or the beginning of
  /// a long one, at its end.
  public var description: String {
    let line = complaint.split(whereSeparator: \.isNewline).last
    return text + (brokeOff ? " in the middle of what it said" : "")
      + (line.map { ": \($0.prefix(Self.shownCharacters))" } ?? "")
  }

  /// Characters of a line that are shown.
  private static let shownCharacters = 500

  private var text: String {
    switch cause {
    case .exit(-1): "ended, nobody knows how"
    case .exit(let status): "ended with status \(status)"
    case .signal(let number): "was ended by signal \(number) (\(String(cString: strsignal(number))))"
    case .stopped: "had been stopped, and was killed"
    case .babble: "wrote more than it may, and was killed"
    case .deaf: "took nothing of what it was sent, and was killed"
    }
  }
}
