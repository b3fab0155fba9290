// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtSystem
import Glibc

/// Where this machine keeps what belongs to no document: `$EMOJIART_STATE`, else `$XDG_STATE_HOME/emojiart`, else
/// `~/.local/state/emojiart`.
public enum StateFolder {
  /// Its path, and makes it when it is not there. Throws `inputOutput` where no variable names one, and what making it
  /// throws.
  public static func create() throws(ArtError) -> String {
    let path = try path()
    try makeFolders(path)
    return path
  }

  /// Its path; nothing need be there. Throws `inputOutput` where no variable names one, `badValue` for a relative one, and
  /// `notPermitted` for a folder that others may write to.
  static func path() throws(ArtError) -> String {
    guard let path = try path({ Environment[$0] }) else {
      throw ArtError(.inputOutput, "no folder for set-aside files; set EMOJIART_STATE to one")
    }
    try verify(path)
    return path
  }

  /// Its path, as these variables say; nil where none names one. Throws `badValue` where `EMOJIART_STATE` is relative. The
  /// XDG Base Directory Specification has relative paths in its variables ignored; a relative `HOME` is, too.
  static func path(_ variable: @escaping (String) -> String?) throws(ArtError) -> String? {
    if let own = variable("EMOJIART_STATE") { return try absolute(own, in: "EMOJIART_STATE") }
    return XDGFolders(variable).state.map { "\($0)/emojiart" }
  }

  /// Whether a variable names it.
  static var isNamed: Bool {
    get throws(ArtError) { try path({ Environment[$0] }) != nil }
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
  package static func verify(_ folder: String, acceptsOwner: Bool = false) throws(ArtError) {
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

  /// Bytes of all files that are set aside, about; the oldest go when there are more.
  static let quarantineLimit = 1 << 30

  /// Keeps bytes in a file there, and returns its path. Bytes that are there already are not kept twice.
  static func quarantine(_ bytes: [UInt8], as name: String) throws(ArtError) -> String {
    try quarantine(bytes, as: name, in: try path() + "/aside", limit: quarantineLimit)
  }

  /// The same in a folder, with a limit on the bytes of all files there.
  static func quarantine(
    _ bytes: [UInt8], as name: String, in folder: String, limit: Int
  ) throws(ArtError) -> String {
    try makeFolders(folder)
    // With the digest before it, a long name would be longer than a file system takes.
    var end = name.unicodeScalars[...]
    while end.reduce(0, { $0 + $1.utf8.count }) > 150 { end.removeFirst() }
    let path = "\(folder)/\(bytes.withUnsafeBufferPointer { ContentDigest.mark(of: $0) })-\(String(end))"
    var status = stat()
    if lstat(path, &status) == 0, Int(status.st_size) == bytes.count,
      try PlainFile.read(path, limit: bytes.count) == bytes
    {
      return path
    }
    try evictOldest(for: bytes.count, in: folder, limit: limit)
    // Under the other name no file is ever cut off.
    var random = SystemRandomNumberGenerator()
    let new = "\(folder)/\(DocumentID(using: &random)).new"
    try PlainFile.create(new, bytes)
    guard rename(new, path) == 0 else { throw .system("create", path) }
    try PlainFile.syncFolder(of: path)
    return path
  }

  /// Removes the oldest files that were set aside until there is room for so many more bytes.
  private static func evictOldest(for newBytes: Int, in folder: String, limit: Int) throws(ArtError) {
    var files: [(path: String, bytes: Int, modified: Int)] = []
    do throws(SystemError) {
      try FolderEntry.each(in: folder) { entry in
        let path = "\(folder)/\(entry.shownName)"
        var status = stat()
        guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return }
        files.append((path, Int(status.st_size), status.st_mtim.tv_sec))
      }
    } catch {
      throw ArtError(error, cannot: "look into", folder)
    }
    files.sort { ($0.modified, $0.path) < ($1.modified, $1.path) }
    var total = files.reduce(newBytes) { $0 &+ $1.bytes }
    for file in files where total > limit {
      guard unlink(file.path) == 0 || errno == ENOENT else { throw .system("remove", file.path) }
      total -= file.bytes
    }
  }

  /// Makes a folder and those above it, for nobody else's eyes; what is there stays as it is.
  package static func makeFolders(_ path: String) throws(ArtError) {
    var prefix = path.hasPrefix("/") ? "/" : ""
    for part in FilePath(path).components {
      prefix += prefix.isEmpty || prefix == "/" ? part : "/" + part
      guard mkdir(prefix, 0o700) == 0 || errno == EEXIST || errno == EISDIR else {
        throw .system("make the folder", prefix)
      }
    }
  }
}

/// Where a person's own settings are: `$EMOJIART_CONFIG`, else `$XDG_CONFIG_HOME/emojiart`, else `~/.config/emojiart`.
enum ConfigFolder {
  /// Its path, as these variables say. Throws `inputOutput` where none names one, `badValue` where `EMOJIART_CONFIG` is
  /// relative. Relative paths in the others are ignored, as in `StateFolder`.
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

/// A lock on a folder, held by `flock` while this lives: small files in it are replaced by one program after the other.
struct FolderLock: ~Copyable {
  private let descriptor: Int32
  private let pass = FileGate.Pass()

  /// Waits for it so long. Throws `busy`, and what opening the folder throws.
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
