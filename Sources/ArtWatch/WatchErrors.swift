// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtSystem
import Glibc

// Errors of watching a folder.

extension ArtError {
  static func unreadableLine(_ line: [UInt8]) -> ArtError {
    let shown = String(decoding: line.prefix(40), as: UTF8.self)
    return ArtError(.unavailable, "the helper emojiart-inotify said \"\(shown)\", which means nothing")
  }

  static func helperEnded(_ end: HelperEnd) -> ArtError {
    ArtError(.unavailable, "the helper emojiart-inotify \(end.text)")
  }

  static func unaskedAnswer() -> ArtError {
    ArtError(.unavailable, "the helper emojiart-inotify sent an answer without a request")
  }

  static func helperMissing() -> ArtError {
    ArtError(.unavailable, "the helper emojiart-inotify was not found; install it beside emojiart")
  }

  static func helperVersion(_ version: Int) -> ArtError {
    ArtError(
      .unavailable,
      "the helper emojiart-inotify speaks version \(version), not \(HelperLine.version); install both together"
    )
  }

  static func helperSilent() -> ArtError {
    ArtError(.unavailable, "the helper emojiart-inotify does not answer")
  }

  static func cannotInitialize(_ number: Int32) -> ArtError {
    let cause = SystemError.text(of: number)
    switch number {
    case EMFILE:
      return ArtError(
        .unavailable,
        "no inotify instance is left (\(cause)); raise fs.inotify.max_user_instances with sysctl, or `ulimit -n`"
      )
    case ENFILE: return ArtError(.unavailable, "\(cause); raise fs.file-max with sysctl")
    default: return ArtError(.unavailable, "inotify cannot be used: \(cause)")
    }
  }

  /// Names the watched folder and not the entry, so that the same failure of several entries is reported once.
  static func cannotWatch(_ path: String, _ number: Int32) -> ArtError {
    let cause = SystemError.text(of: number)
    switch number {
    case ENOSPC:
      return ArtError(
        .unavailable,
        "no inotify watch is left for all that is in \(path); raise fs.inotify.max_user_watches with sysctl",
        about: path)
    case ENOMEM:
      return ArtError(.unavailable, "no memory is left to watch all that is in \(path)", about: path)
    default: return ArtError(.unavailable, "cannot watch all that is in \(path): \(cause)", about: path)
    }
  }

  static func folderGone(_ path: String) -> ArtError {
    ArtError(
      .unavailable, "the folder \(path) is gone; it is watched again as soon as it is back", about: path)
  }

  static func folderReplaced(_ path: String) -> ArtError {
    ArtError(.unavailable, "the folder \(path) was moved or replaced while it was being watched", about: path)
  }

  static func cannotList(_ path: String, _ number: Int32) -> ArtError {
    let cause = SystemError.text(of: number)
    switch number {
    case EACCES, EPERM:
      return ArtError(
        .unavailable, "cannot look into \(path): \(cause); look at its permissions", about: path)
    case EMFILE, ENFILE:
      return ArtError(.unavailable, "cannot look into \(path): \(cause); raise `ulimit -n`", about: path)
    default: return ArtError(.unavailable, "cannot look into \(path): \(cause)", about: path)
    }
  }

  static func remoteFileSystem(_ path: String, _ kind: String) -> ArtError {
    ArtError(
      .unavailable,
      "\(path) is on \(kind), which does not report what other machines change; keep it on a local disk",
      about: path)
  }

  static func tooDeep(_ path: String) -> ArtError {
    ArtError(
      .unavailable,
      "what lies more than \(FolderWalk.deepest) folders deep in \(path) is not watched; watch it separately",
      about: path)
  }

  static func tooManyFolders(_ path: String, _ limit: Int) -> ArtError {
    ArtError(
      .unavailable,
      "\(path) holds more than \(limit) folders, and only that many are watched; watch fewer",
      about: path)
  }
}

// MARK: - Reasons of scans

extension String {
  /// Reason of a scan: more files changed than are recorded one by one.
  static var tooManyAtOnce: String { "more changed at once than could be kept separately" }
  /// Reason of a scan: the system reports changes again.
  static var reportedAgain: String { "the system reports changes again" }
  /// Reason of a scan: the helper was restarted.
  static func startedAgain(_ error: ArtError) -> String { "\(error.cause); it was started again" }
  /// Reason of a scan: the kernel's queue overflowed.
  static var overflown: String {
    "changes came faster than they could be reported; fs.inotify.max_queued_events is the system's limit"
  }
}
