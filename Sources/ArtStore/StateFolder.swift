// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtSystem
import Glibc

/// The folder for this machine's files that belong to no document: `$EMOJIART_STATE`, else
/// `$XDG_STATE_HOME/emojiart`, else `~/.local/state/emojiart`.
public enum StateFolder {
  /// Creates the folder if it is missing, and returns its path. Throws `inputOutput` if no variable names
  /// one, and what creating it throws.
  public static func create() throws(ArtError) -> String {
    let path = try path()
    try makeFolders(path)
    return path
  }

  /// Its path; the folder need not exist. Throws `inputOutput` if no variable names one, `badValue` for a
  /// relative path, and `notPermitted` if other users may write to it.
  static func path() throws(ArtError) -> String {
    guard let path = try path({ Environment[$0] }) else {
      throw ArtError(.inputOutput, "no state folder; set EMOJIART_STATE to one")
    }
    try verify(path)
    return path
  }

  /// Its path, from these variables; nil if none names one. Throws `badValue` if `EMOJIART_STATE` is
  /// relative. Relative paths in the other variables are ignored, as the XDG Base Directory Specification
  /// requires.
  static func path(_ variable: @escaping (String) -> String?) throws(ArtError) -> String? {
    if let own = variable("EMOJIART_STATE") { return try absolute(own, in: "EMOJIART_STATE") }
    return XDGFolders(variable).state.map { "\($0)/emojiart" }
  }

  /// Whether a variable names it.
  static var isNamed: Bool {
    get throws(ArtError) { try path({ Environment[$0] }) != nil }
  }

  /// Throws `badValue` for a relative path: programs in different working directories would not find each
  /// other's files.
  static func absolute(_ path: String, in variable: String) throws(ArtError) -> String {
    guard FilePath(path).isAbsolute else {
      throw ArtError(
        .badValue, "\(variable) is \(path), which is no absolute path; give one that begins with /",
        about: path)
    }
    return path
  }

  /// Throws `notPermitted` for a folder that another user owns or may write to, who could have put files
  /// there. A folder of root is accepted. A folder that cannot be examined is accepted here; using it reports
  /// the error.
  package static func verify(_ folder: String, acceptsOwner: Bool = false) throws(ArtError) {
    var status = stat()
    guard stat(folder, &status) == 0, status.st_mode & S_IFMT == S_IFDIR else { return }
    guard acceptsOwner || status.st_uid == geteuid() || status.st_uid == 0 else {
      throw ArtError(
        .notPermitted,
        "\(folder) belongs to another user (\(status.st_uid)), who may have put anything there; "
          + "set EMOJIART_STATE to a folder of your own", about: folder)
    }
    guard status.st_mode & (S_IWGRP | S_IWOTH) == 0 else {
      throw ArtError(
        .notPermitted,
        "others may write to \(folder), and may have put anything there; check what it holds, then `chmod go-w` it",
        about: folder)
    }
  }

  /// Creates a folder and those above it with mode 0700. Existing folders are not changed.
  package static func makeFolders(_ path: String) throws(ArtError) {
    var prefix = FilePath(path).isAbsolute ? "/" : ""
    for part in FilePath(path).components {
      prefix += prefix.isEmpty || prefix == "/" ? part : "/" + part
      guard mkdir(prefix, 0o700) == 0 || errno == EEXIST || errno == EISDIR else {
        throw .system("make the folder", prefix)
      }
    }
  }
}

// MARK: - The configuration folder

/// The folder of the user's settings: `$EMOJIART_CONFIG`, else `$XDG_CONFIG_HOME/emojiart`, else
/// `~/.config/emojiart`.
enum ConfigFolder {
  /// Its path, from these variables. Throws `inputOutput` if none names one, `badValue` if `EMOJIART_CONFIG`
  /// is relative. Relative paths in the other variables are ignored.
  static func path(_ variable: @escaping (String) -> String? = { Environment[$0] }) throws(ArtError) -> String
  {
    if let own = variable("EMOJIART_CONFIG") { return try StateFolder.absolute(own, in: "EMOJIART_CONFIG") }
    guard let config = XDGFolders(variable).config else { throw .noConfigFolder }
    return "\(config)/emojiart"
  }
}

extension ArtError {
  static var noConfigFolder: ArtError {
    ArtError(.inputOutput, "no folder for your palettes; set EMOJIART_CONFIG to one")
  }
}

// MARK: - Locks on folders

/// A lock on a folder by `flock`, released in `deinit`, so that programs replace small files in it one after
/// the other.
struct FolderLock: ~Copyable {
  private let descriptor: Int32
  private let pass = FileGate.Pass()

  /// Waits at most `timeout` for the lock. Throws `busy`, and what opening the folder throws.
  init(_ folder: String, timeout: Duration) throws(ArtError) {
    let file = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard file >= 0 else { throw .system("open the folder", folder) }
    let deadline = Deadline(timeout)
    var tries = 0
    while flock(file, LOCK_EX | LOCK_NB) != 0 {
      let number = errno
      guard number == EINTR || number == EWOULDBLOCK && deadline.wait(tries) else {
        close(file)
        throw number == EWOULDBLOCK ? .busy(folder) : .system("lock", folder, number)
      }
      tries += 1
    }
    descriptor = file
  }

  deinit { close(descriptor) }
}
