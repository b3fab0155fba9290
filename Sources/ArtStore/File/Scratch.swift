// SPDX-License-Identifier: Apache-2.0

import ArtModel
import Glibc

/// A private folder for copies, removed with all that is in it.
struct Scratch {
  let path: String

  init() throws(ArtError) {
    // Without symbolic links, which SQLite is told not to follow.
    let wanted = getenv("TMPDIR").map { String(cString: $0) } ?? ""
    let parent = wanted.isEmpty ? "/tmp" : wanted
    var template = Array("\(parent)/emojiart.XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else {
      let cause = String(cString: strerror(errno))
      throw ArtError(
        .inputOutput, "cannot make a private folder in \(parent): \(cause); set TMPDIR to a folder with room")
    }
    let made = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    guard let resolved = realpath(made, nil) else { throw .system("make a private folder in", parent) }
    defer { free(resolved) }
    path = String(cString: resolved)
  }

  /// Removes the folder. It holds only files, made by us.
  func remove() {
    for name in ["document", "document-journal", "document-wal", "document-shm"] { unlink("\(path)/\(name)") }
    rmdir(path)
  }

  /// Where the copy lies.
  var document: String { "\(path)/document" }

  /// Puts the copy there, instead of what is there.
  func fill(_ bytes: [UInt8], journal: [UInt8]? = nil) throws(ArtError) {
    for path in [document, document + "-journal"] where unlink(path) != 0 && errno != ENOENT {
      throw .system("write", path)
    }
    try PlainFile.create(document, bytes)
    if let journal { try PlainFile.create(document + "-journal", journal) }
  }

  /// The copy, under the name of the file that it is a copy of.
  func located(as file: LocatedFile) -> LocatedFile {
    LocatedFile(
      path: document, name: file.name, device: 0, inode: 0, hardLinks: 1, mode: file.mode, owner: file.owner,
      group: file.group)
  }
}

/// Whole files, read and written by plain system calls. Never used on a document that SQLite may have open: see
/// `GuardedFile`.
enum PlainFile {
  /// The bytes of a regular file, at most `limit`; nil when there is none.
  static func read(_ path: String, limit: Int) throws(ArtError) -> [UInt8]? {
    let file = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
    guard file >= 0 else {
      if errno == ENOENT { return nil }
      throw .system("read", path)
    }
    defer { close(file) }
    var status = stat()
    guard fstat(file, &status) == 0 else { throw .system("read", path) }
    guard status.st_mode & S_IFMT == S_IFREG else { throw .notADocument(path, "it is no regular file") }
    guard status.st_size <= limit else { throw ArtError(.tooLarge, "\(path) is larger than \(limit) bytes") }
    return try read(file, count: Int(status.st_size), name: path)
  }

  /// The first bytes of an open file, fewer where it ends before.
  static func read(_ file: Int32, count: Int, name: String) throws(ArtError) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: count)
    var filled = 0
    while filled < bytes.count {
      let count = bytes.withUnsafeMutableBytes { buffer in
        pread(file, buffer.baseAddress.map { $0 + filled }, buffer.count - filled, off_t(filled))
      }
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { throw .system("read", name) }
      if count == 0 { break }
      filled += count
    }
    bytes.removeLast(bytes.count - filled)
    return bytes
  }

  /// Writes all bytes at the descriptor's place.
  static func write(_ bytes: [UInt8], to file: Int32, name: String) throws(ArtError) {
    var written = 0
    while written < bytes.count {
      let count = bytes.withUnsafeBytes { buffer in
        Glibc.write(file, buffer.baseAddress.map { $0 + written }, buffer.count - written)
      }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { throw .system("write", name) }
      written += count
    }
  }

  /// Writes the bytes of a file at the descriptor's place, piece by piece.
  static func copy(_ path: String, to file: Int32, name: String) throws(ArtError) {
    let source = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
    guard source >= 0 else { throw .system("read", path) }
    defer { close(source) }
    var piece = [UInt8](repeating: 0, count: 1 << 20)
    while true {
      let count = Glibc.read(source, &piece, piece.count)
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { throw .system("read", path) }
      guard count > 0 else { return }
      try write(Array(piece.prefix(count)), to: file, name: name)
    }
  }

  /// Makes a new file of these bytes.
  static func create(
    _ path: String, _ bytes: [UInt8], mode: mode_t = 0o600, isDurable: Bool = true
  ) throws(ArtError) {
    let file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode)
    guard file >= 0 else { throw .system("create", path) }
    defer { close(file) }
    try write(bytes, to: file, name: path)
    guard !isDurable || fsync(file) == 0 else { throw .system("write", path) }
  }

  /// Makes what happened in a folder durable.
  static func syncFolder(of path: String) throws(ArtError) {
    let folder = PathParts(path).folder
    let file = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard file >= 0 else { throw .system("open the folder", folder) }
    defer { close(file) }
    guard fsync(file) == 0 else { throw .system("write the folder", folder) }
  }

  /// Whether a folder that is still open somewhere, such as the current one, has been removed.
  static func isRemoved(_ folder: String) -> Bool {
    var status = stat()
    return stat(folder, &status) == 0 && status.st_nlink == 0
  }
}
