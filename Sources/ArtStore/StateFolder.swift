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

  static func path() throws(ArtError) -> String {
    if let own = variable("EMOJIART_STATE") { return own }
    if let state = variable("XDG_STATE_HOME") { return state + "/emojiart" }
    if let home = variable("HOME") { return home + "/.local/state/emojiart" }
    throw ArtError(.inputOutput, "no folder for set-aside files; set EMOJIART_STATE to one")
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
