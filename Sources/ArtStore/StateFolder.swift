// SPDX-License-Identifier: Apache-2.0

import ArtModel
import Glibc

/// Where this machine keeps what belongs to no document: `$EMOJIART_STATE`, else `$XDG_STATE_HOME/emojiart`, else
/// `~/.local/state/emojiart`.
public enum StateFolder {
  /// Its path, and makes it when it is not there. Throws `inputOutput` where no variable names one, and what making it
  /// throws.
  public static func made() throws(ArtError) -> String {
    let path = try path()
    try makeFolders(path)
    return path
  }

  /// Its path; nothing need be there. Throws `inputOutput` where no variable names one, `badValue` for a relative one, and
  /// `notPermitted` for a folder that others may write to.
  static func path() throws(ArtError) -> String {
    guard let path = try path(variable) else {
      throw ArtError(.inputOutput, "no folder for set-aside files; set EMOJIART_STATE to one")
    }
    try verify(path)
    return path
  }

  /// Its path, as these variables say; nil where none names one. Throws `badValue` where `EMOJIART_STATE` is relative. The
  /// XDG Base Directory Specification has relative paths in its variables ignored; a relative `HOME` is, too.
  static func path(_ variable: (String) -> String?) throws(ArtError) -> String? {
    if let own = variable("EMOJIART_STATE") { return try absolute(own, in: "EMOJIART_STATE") }
    if let state = variable("XDG_STATE_HOME"), state.hasPrefix("/") { return state + "/emojiart" }
    if let home = variable("HOME"), home.hasPrefix("/") { return home + "/.local/state/emojiart" }
    return nil
  }

  /// Whether a variable names it.
  static var isNamed: Bool {
    get throws(ArtError) { try path(variable) != nil }
  }

  /// Throws `badValue` for a relative path: programs that run in different folders would not find each other's files.
  static func absolute(_ path: String, in variable: String) throws(ArtError) -> String {
    guard path.hasPrefix("/") else {
      throw ArtError(
        .badValue, "\(variable) is \(path), which is no absolute path; give one that begins with /")
    }
    return path
  }

  /// Throws `notPermitted` for a folder that others own, or may write to: what lies there may be theirs. That of root is
  /// believed, who may change everything anyway; what cannot be looked at is found out when it is used.
  static func verify(_ folder: String, acceptsOwner: Bool = false) throws(ArtError) {
    var status = stat()
    guard stat(folder, &status) == 0, status.st_mode & S_IFMT == S_IFDIR else { return }
    guard acceptsOwner || status.st_uid == geteuid() || status.st_uid == 0 else {
      throw ArtError(
        .notPermitted,
        "\(folder) belongs to another user (\(status.st_uid)), who may have put anything there; "
          + "set EMOJIART_STATE to a folder of your own")
    }
    guard status.st_mode & (S_IWGRP | S_IWOTH) == 0 else {
      throw ArtError(
        .notPermitted,
        "others may write to \(folder), and may have put anything there; look what it holds, then `chmod go-w` it"
      )
    }
  }

  /// Keeps bytes in a new file there, and returns its path.
  static func setAside(_ bytes: [UInt8], as name: String) throws(ArtError) -> String {
    let folder = try path() + "/aside"
    try makeFolders(folder)
    var random = SystemRandomNumberGenerator()
    // With the id before it, a long name would be longer than a file system takes.
    var end = name.unicodeScalars[...]
    while end.reduce(0, { $0 + $1.utf8.count }) > 150 { end.removeFirst() }
    let path = "\(folder)/\(DocumentID(using: &random))-\(String(end))"
    try PlainFile.create(path, bytes)
    try PlainFile.syncFolder(of: path)
    return path
  }

  /// Makes a folder and those above it, for nobody else's eyes; what is there stays as it is.
  static func makeFolders(_ path: String) throws(ArtError) {
    var prefix = path.hasPrefix("/") ? "/" : ""
    for part in PathParts.components(path) {
      prefix += prefix.isEmpty || prefix == "/" ? part : "/" + part
      guard mkdir(prefix, 0o700) == 0 || errno == EEXIST || errno == EISDIR else {
        throw .system("make the folder", prefix)
      }
    }
  }

  static func variable(_ name: String) -> String? {
    guard let value = getenv(name).map({ String(cString: $0) }), !value.isEmpty else { return nil }
    return value
  }
}
