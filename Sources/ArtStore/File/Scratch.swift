// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtSystem
import CStore
import Glibc

/// A private folder for copies. It is locked while its program runs; the next scratch folder that is created
/// removes those of killed programs.
struct Scratch {
  let path: String
  private let lock: Int32
  private static let files = ["document", "document-journal", "document-wal", "document-shm"]
  private static let prefix = "emojiart."

  init() throws(ArtError) {
    let parent = Environment["TMPDIR"] ?? "/tmp"
    Self.removeOrphans(in: parent)
    var created: (path: String, lock: Int32)?
    // Until the folder is locked, another program may remove it as an orphan.
    while created == nil { created = try Self.create(in: parent) }
    guard let (path, lock) = created else { throw .system("make a private folder in", parent) }
    (self.path, self.lock) = (path, lock)
  }

  /// A new folder and its lock; nil if another program removed it before it was locked.
  private static func create(in parent: String) throws(ArtError) -> (path: String, lock: Int32)? {
    var template = Array("\(parent)/\(prefix)XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else {
      throw ArtError(
        .inputOutput,
        "cannot make a private folder in \(parent): \(SystemError.text(of: errno)); set TMPDIR to a folder with room"
      )
    }
    let made = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    let lock = open(made, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard lock >= 0 else {
      guard errno == ENOENT else { throw .system("open", made) }
      return nil
    }
    while flock(lock, LOCK_EX) != 0 {
      guard errno == EINTR else { break }
    }
    do throws(SystemError) { return (try FilePath.resolved(made), lock) } catch {
      close(lock)
      guard error.number == ENOENT else { throw ArtError(error, cannot: "make a private folder in", parent) }
      return nil
    }
  }

  /// Removes this user's folders whose programs have ended. Folders that cannot be removed stay.
  private static func removeOrphans(in parent: String) {
    do throws(SystemError) {
      try FolderEntry.each(in: parent) { entry in
        let name = entry.nameBytes
        if name.count == prefix.utf8.count + 6, name.starts(with: prefix.utf8) {
          removeOrphan("\(parent)/\(entry.displayName)")
        }
      }
    } catch {
      // Creating a folder there reports the fault.
    }
  }

  private static func removeOrphan(_ path: String) {
    let folder = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
    guard folder >= 0 else { return }
    defer { close(folder) }
    var status = stat()
    guard fstat(folder, &status) == 0, status.st_uid == geteuid(), status.st_mode & 0o777 == 0o700,
      flock(folder, LOCK_EX | LOCK_NB) == 0
    else { return }
    // Only copies are removed; other files keep the folder.
    for file in files { unlinkat(folder, file, 0) }
    rmdir(path)
  }

  /// Removes the copies and the folder.
  func remove() {
    for name in Self.files { unlink("\(path)/\(name)") }
    rmdir(path)
    close(lock)
  }

  /// The path of the copy.
  var document: String { "\(path)/document" }

  /// Writes the copy, replacing the one before.
  func fill(_ bytes: [UInt8], journal: [UInt8]? = nil) throws(ArtError) {
    for path in [document, document + "-journal"] where unlink(path) != 0 && errno != ENOENT {
      throw .system("write", path)
    }
    try PlainFile.create(document, bytes)
    if let journal { try PlainFile.create(document + "-journal", journal) }
  }

  /// The copy, with the original's name in messages.
  func located(as file: LocatedFile) -> LocatedFile {
    LocatedFile(
      path: FilePath(document), name: file.name, device: 0, inode: 0, hardLinks: 1, mode: file.mode,
      owner: file.owner,
      group: file.group, wasWrittenLast: true)
  }
}

// MARK: - Plain files

/// Whole files, read and written by plain system calls. A file that may be a document is closed with `close`,
/// and never written.
public enum PlainFile {
  /// Closes a descriptor of a file that may be a document. Closing any descriptor of a file drops the
  /// process's POSIX locks on it; so the descriptor stays open while SQLite has the same file open.
  public static func close(_ descriptor: Int32) { document_close_descriptor(descriptor) }

  /// The bytes of a regular file, at most `limit`; nil if there is no file. Messages name it `name`, by default the path.
  package static func read(
    _ path: String, limit: Int, named name: String? = nil
  ) throws(ArtError) -> [UInt8]? {
    let name = name ?? path
    let file = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
    guard file >= 0 else {
      // No file has a name that is too long, such as that of a journal beside a document with a long one.
      if errno == ENOENT || errno == ENAMETOOLONG { return nil }
      throw .system("read", name)
    }
    defer { close(file) }
    var status = stat()
    guard fstat(file, &status) == 0 else { throw .system("read", name) }
    guard status.st_mode & S_IFMT == S_IFREG else { throw .notADocument(name, "it is no regular file") }
    guard status.st_size <= limit else {
      throw ArtError(.tooLarge, "\(name) is larger than \(limit) bytes", about: name)
    }
    return try read(file, count: Int(status.st_size), name: name)
  }

  /// Bytes of an open file, fewer if it ends before.
  static func read(_ file: Int32, count: Int, at start: Int = 0, name: String) throws(ArtError) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: count)
    var filled = 0
    while filled < bytes.count {
      let count = bytes.withUnsafeMutableBytes { buffer in
        pread(file, buffer.baseAddress.map { $0 + filled }, buffer.count - filled, off_t(start + filled))
      }
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { throw .system("read", name) }
      if count == 0 { break }
      filled += count
    }
    bytes.removeLast(bytes.count - filled)
    return bytes
  }

  /// The digest of the rest of an open file, which is not in memory as a whole.
  static func digest(_ file: Int32, name: String) throws(ArtError) -> String {
    var offset = 0
    return try ContentDigest.of(pieces: { () throws(ArtError) in
      let piece = try read(file, count: 1 << 20, at: offset, name: name)
      offset += piece.count
      guard offset <= Format.largestFile else { throw .tooLargeFile(name) }
      return piece
    })
  }

  /// Writes all bytes at the descriptor's offset.
  package static func write(_ bytes: [UInt8], to file: Int32, name: String) throws(ArtError) {
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

  /// Writes the content of a file at the descriptor's offset, in pieces of 1 MiB.
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

  /// Creates a file with these bytes: for its owner only, or with the rights of another file.
  static func create(
    _ path: String, _ bytes: [UInt8], like old: FileRights? = nil, isDurable: Bool = true
  ) throws(ArtError) {
    let file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard file >= 0 else { throw .system("create", path) }
    defer { close(file) }
    try write(bytes, to: file, name: path)
    try old?.apply(to: file, name: path)
    guard !isDurable || fsync(file) == 0 else { throw .system("write", path) }
  }

  /// Makes the entries of a path's folder durable. Its error does not say that nothing was changed: the entries were.
  static func syncFolder(of path: String) throws(ArtError) {
    let folder = FilePath(path).folder
    let file = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard file >= 0 else { throw .system("open the folder", folder) }
    defer { close(file) }
    guard fsync(file) == 0 else {
      let error = SystemError("fsync", folder)
      guard error.number == ENOSPC || error.number == EDQUOT else {
        throw ArtError(error, cannot: "write the folder", folder)
      }
      throw ArtError(.diskFull, "cannot write the folder \(folder): \(error.text)", about: folder)
    }
  }

  /// Whether a folder that is still open, such as the current one, has been removed.
  static func isRemoved(_ folder: String) -> Bool {
    var status = stat()
    return stat(folder, &status) == 0 && status.st_nlink == 0
  }
}
