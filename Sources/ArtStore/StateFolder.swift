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

  /// Bytes of all files that are set aside, about; the oldest go when there are more.
  static let asideLimit = 1 << 30

  /// Keeps bytes in a file there, and returns its path. Bytes that are there already are not kept twice.
  static func setAside(_ bytes: [UInt8], as name: String) throws(ArtError) -> String {
    try setAside(bytes, as: name, in: try path() + "/aside", limit: asideLimit)
  }

  /// The same in a folder, with a limit on the bytes of all files there.
  static func setAside(
    _ bytes: [UInt8], as name: String, in folder: String, limit: Int
  ) throws(ArtError) -> String {
    try makeFolders(folder)
    // With the digest before it, a long name would be longer than a file system takes.
    var end = name.unicodeScalars[...]
    while end.reduce(0, { $0 + $1.utf8.count }) > 150 { end.removeFirst() }
    let digest = bytes.withUnsafeBufferPointer { ContentDigest.of($0) }
    let path = "\(folder)/\(digest.prefix(16))-\(String(end))"
    var status = stat()
    if lstat(path, &status) == 0, Int(status.st_size) == bytes.count,
      try PlainFile.read(path, limit: bytes.count) == bytes
    {
      return path
    }
    try makeRoom(for: bytes.count, in: folder, limit: limit)
    // Under the other name no file is ever cut off.
    var random = SystemRandomNumberGenerator()
    let new = "\(folder)/\(DocumentID(using: &random)).new"
    try PlainFile.create(new, bytes)
    guard rename(new, path) == 0 else { throw .system("create", path) }
    try PlainFile.syncFolder(of: path)
    return path
  }

  /// Removes the oldest files that were set aside until there is room for so many more bytes.
  private static func makeRoom(for coming: Int, in folder: String, limit: Int) throws(ArtError) {
    guard let stream = opendir(folder) else { throw .system("look into", folder) }
    defer { closedir(stream) }
    var files: [(path: String, bytes: Int, modified: Int)] = []
    while let entry = readdir(stream) {
      let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
        String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
      }
      var status = stat()
      guard lstat("\(folder)/\(name)", &status) == 0, status.st_mode & S_IFMT == S_IFREG else { continue }
      files.append(("\(folder)/\(name)", Int(status.st_size), status.st_mtim.tv_sec))
    }
    files.sort { ($0.modified, $0.path) < ($1.modified, $1.path) }
    var left = files.reduce(coming) { $0 &+ $1.bytes }
    for file in files where left > limit {
      guard unlink(file.path) == 0 || errno == ENOENT else { throw .system("remove", file.path) }
      left -= file.bytes
    }
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
