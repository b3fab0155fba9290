// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtSystem
import Glibc

/// What of a folder is wanted, and how far it is looked into.
struct FolderWalk: Sendable {
  /// Folders deeper than that below the watched one are not looked into.
  static let deepest = 64
  /// More folders than that are not looked into.
  static let mostFolders = 100_000

  /// The watched folder's absolute path.
  let root: String
  let isRecursive: Bool
  private let ending: [UInt8]
  private let only: RelativePath?
  private static let journal = Array("-journal".utf8)

  init(_ root: String, _ settings: WatchSettings) {
    self.root = root
    isRecursive = settings.isRecursive
    ending = Array(settings.ending.utf8)
    only = settings.only.map { RelativePath($0) }
  }

  /// Whether files with that name may be wanted. Bytes, because most of a large folder's names are not.
  func mayWant(_ name: UnsafeBufferPointer<UInt8>) -> Bool {
    name.count > ending.count && name.suffix(ending.count).elementsEqual(ending)
  }

  /// The file that is to be looked at when something happens under a name: SQLite's journal beside it counts for it.
  func wanted(_ name: [UInt8], in folder: RelativePath) -> RelativePath? {
    let own =
      name.suffix(Self.journal.count).elementsEqual(Self.journal)
      ? name.dropLast(Self.journal.count) : name[...]
    guard own.count > ending.count, own.suffix(ending.count).elementsEqual(ending) else { return nil }
    // No path leads to what is no UTF-8.
    guard let text = String(validating: own, as: UTF8.self) else { return nil }
    let path = folder.appending(text)
    return only == nil || only == path ? path : nil
  }

  func absolute(_ path: RelativePath) -> String {
    path.isRoot ? root : root == "/" ? "/\(path.text)" : "\(root)/\(path.text)"
  }

  /// Whether it has an absolute path that the system takes. No document in it could be opened otherwise.
  func hasPath(_ folder: RelativePath) -> Bool {
    root.utf8.count + 1 + folder.text.utf8.count < Int(PATH_MAX)
  }

  /// Which folder stands at the watched path; nil when there is none. Throws as `contents` does.
  func rootIdentity() throws(ArtError) -> FileIdentity? {
    guard let descriptor = try open(.root) else { return nil }
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { throw .cannotList(root, errno) }
    return status.st_nlink == 0 ? nil : FileIdentity(status)
  }

  /// Looks into one folder; nil when there is none, or none that may be looked into. Throws `unavailable` when that
  /// cannot be told.
  func contents(of folder: RelativePath) throws(ArtError) -> FolderContents? {
    guard let descriptor = try open(folder) else { return nil }
    guard let stream = fdopendir(descriptor) else {
      let number = errno
      close(descriptor)
      throw .cannotList(absolute(folder), number)
    }
    defer { closedir(stream) }
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { throw .cannotList(absolute(folder), errno) }
    // A folder that was removed while it was being opened.
    if status.st_nlink == 0 { return nil }
    var contents = FolderContents(identity: FileIdentity(status))
    errno = 0
    while let entry = readdir(stream) {
      add(entry, of: descriptor, in: folder, to: &contents)
      errno = 0
    }
    guard errno == 0 else { throw .cannotList(absolute(folder), errno) }
    return contents
  }

  private func add(
    _ entry: UnsafeMutablePointer<dirent>, of descriptor: Int32, in folder: RelativePath,
    to contents: inout FolderContents
  ) {
    withUnsafePointer(to: &entry.pointee.d_name) { tuple in
      tuple.withMemoryRebound(to: UInt8.self, capacity: MemoryLayout.size(ofValue: tuple.pointee)) { bytes in
        let name = UnsafeBufferPointer(
          start: bytes, count: strlen(UnsafeRawPointer(bytes).assumingMemoryBound(to: CChar.self)))
        let kind = Int32(entry.pointee.d_type)
        let isWanted = mayWant(name)
        // On file systems that do not say what an entry is, only those that matter are asked.
        if kind == DT_UNKNOWN, !isWanted, !isRecursive { return }
        switch kind == DT_UNKNOWN ? Self.kind(of: bytes, in: descriptor) : kind {
        case Int32(DT_REG) where isWanted:
          guard let text = String(validating: name, as: UTF8.self) else { return }
          let path = folder.appending(text)
          if only == nil || only == path { contents.files.append(path) }
        case Int32(DT_DIR) where isRecursive:
          guard let text = String(validating: name, as: UTF8.self), text != ".", text != ".." else { return }
          let path = folder.appending(text)
          if hasPath(path) { contents.folders.append(path) }
        default: break
        }
      }
    }
  }

  private static func kind(of name: UnsafePointer<UInt8>, in descriptor: Int32) -> Int32 {
    var status = stat()
    let found = name.withMemoryRebound(to: CChar.self, capacity: 256) {
      fstatat(descriptor, $0, &status, AT_SYMLINK_NOFOLLOW)
    }
    // Gone meanwhile: an event tells of it.
    guard found == 0 else { return Int32(DT_UNKNOWN) }
    switch status.st_mode & S_IFMT {
    case S_IFREG: return Int32(DT_REG)
    case S_IFDIR: return Int32(DT_DIR)
    default: return Int32(DT_UNKNOWN)
    }
  }

  /// Opens a folder name by name, so that no link below the watched folder leads out of it.
  private func open(_ folder: RelativePath) throws(ArtError) -> Int32? {
    let flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC
    // O_PATH, which Swift does not see.
    let passing = flags | 0o1000_0000
    let names = folder.names
    var descriptor = Glibc.open(root, names.isEmpty ? flags : passing)
    for (place, name) in names.enumerated() where descriptor >= 0 {
      let upper = descriptor
      descriptor = openat(upper, String(name), place == names.count - 1 ? flags : passing)
      let number = errno
      close(upper)
      errno = number
    }
    if descriptor >= 0 { return descriptor }
    switch errno {
    case ENOENT, ENOTDIR, ELOOP: return nil
    // A folder that is nobody's business; it says so when that changes.
    case EACCES where !folder.isRoot, EPERM where !folder.isRoot: return nil
    default: throw .cannotList(absolute(folder), errno)
    }
  }
}

/// What lies in one folder, as far as it is wanted.
struct FolderContents {
  let identity: FileIdentity
  var files: [RelativePath] = []
  var folders: [RelativePath] = []
}
