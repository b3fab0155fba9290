// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtSystem
import CStore
import Glibc

/// A document's file, by its path. Nothing stays open between calls: each one opens the file, does its work and
/// closes it.
public struct DocumentFile: Sendable {
  /// What the names of documents end in.
  public static let ending = Format.fileExtension
  /// The path as it was given; messages call the document so.
  public let path: String
  /// What messages call the document where it is only read; the path as a rule.
  public var name: String
  /// Whether symbolic links lead to a document. Otherwise the path must be absolute and plain, and what only a link leads to
  /// is no document.
  public var followsLinks = true
  /// How long a document that another program holds is waited for.
  public var timeout: Duration
  /// Is told, in one line each, what a person should know although the work was done.
  public var notice: @Sendable (String) -> Void

  /// A file by its path; it need not exist yet.
  public init(
    _ path: String, timeout: Duration = .seconds(5), notice: @escaping @Sendable (String) -> Void = { _ in }
  ) {
    self.path = path
    name = path
    self.timeout = timeout
    self.notice = notice
  }
}

/// The file that stands at a path, symbolic links resolved.
struct LocatedFile: Equatable {
  /// The path without symbolic links.
  let path: String
  /// What messages call it.
  let name: String
  let device: UInt
  let inode: UInt
  let hardLinks: Int
  let mode: mode_t
  let owner: uid_t
  let group: gid_t
  /// Whether the last thing that happened to the file was a write: not a new name, another mode, or a time that was set.
  let wasWrittenLast: Bool

  var journalPath: String { path + "-journal" }
}

extension DocumentFile {
  /// Finds the file. Throws `noSuchDocument` with near names, `notADocument` for what is no regular file.
  func locate() throws(ArtError) -> LocatedFile {
    var status = stat()
    guard let real = try realPath() else {
      if lstat(path, &status) == 0 {
        throw ArtError(.noSuchDocument, "\(name) is a link to a file that is not there")
      }
      throw .noSuchDocument(name, near: NearNames.documents(near: path))
    }
    guard leadsStraight(to: real) else { throw .notADocument(name, "only a symbolic link leads to it") }
    guard lstat(real, &status) == 0 else { throw .document("open", name) }
    switch status.st_mode & S_IFMT {
    case S_IFREG: break
    case S_IFDIR: throw .notADocument(name, "it is a folder; `emojiart list` shows what is in it")
    case S_IFIFO: throw .notADocument(name, "it is a pipe")
    case S_IFSOCK: throw .notADocument(name, "it is a socket")
    default: throw .notADocument(name, "it is a device")
    }
    return LocatedFile(
      path: real, name: name, device: UInt(status.st_dev), inode: UInt(status.st_ino),
      hardLinks: Int(status.st_nlink), mode: status.st_mode, owner: status.st_uid, group: status.st_gid,
      wasWrittenLast: status.st_mtim.tv_sec == status.st_ctim.tv_sec
        && status.st_mtim.tv_nsec == status.st_ctim.tv_nsec)
  }

  /// The path without symbolic links; nil when nothing is there.
  func realPath() throws(ArtError) -> String? {
    do throws(SystemError) { return try FilePath.resolved(path) } catch {
      guard error.number == ENOENT else { throw ArtError(error, cannot: "open", name) }
      return nil
    }
  }

  /// Whether no link that may not be followed leads there. Compared by bytes: two names that look alike are two files.
  func leadsStraight(to real: String) -> Bool { followsLinks || real.utf8.elementsEqual(path.utf8) }

  /// Opens the file and looks at its header before SQLite does.
  static func connect(
    _ file: LocatedFile, _ mode: Connection.Mode, _ deadline: Deadline
  ) throws(ArtError) -> Connection {
    try refuseForeignSiblings(of: file)
    let connection = try Connection(path: file.path, name: file.name, mode: mode, deadline: deadline)
    let size = try connection.size
    // A write beyond the limit fails also within the file, and so would the rollback of what was written before it.
    guard mode == .readOnly || size <= fileSizeLimit else { throw .fileSizeLimit(file.name) }
    let header = try FileHeader(
      connection.bytes(count: FileHeader.length, at: 0), size: size, name: file.name)
    guard !header.isWAL else { throw .walDocument(file.name) }
    try connection.configure()
    return connection
  }

  /// How large files may be that this process writes: `ulimit -f`.
  private static var fileSizeLimit: Int {
    var limit = rlimit()
    guard getrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit) == 0 else { return .max }
    return Int(clamping: limit.rlim_cur)
  }

  /// A `-wal` beside a document would be taken into it by SQLite, whoever left it there.
  private static func refuseForeignSiblings(of file: LocatedFile) throws(ArtError) {
    var status = stat()
    if lstat(file.path + "-wal", &status) == 0 { throw .walDocument(file.name) }
    if lstat(file.journalPath, &status) == 0,
      status.st_mode & S_IFMT != S_IFREG || UInt(status.st_ino) == file.inode
    {
      throw .notADocument(file.name, "\(file.name)-journal beside it is no regular file; move that away")
    }
  }
}
