// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtSystem
import Glibc

/// Which files of a watched folder are wanted, and how its folders are read.
struct FolderWalk: Sendable {
  /// The depth below the watched folder down to which folders are read.
  static let deepest = 64

  /// The watched folder's absolute path.
  let root: String
  let isRecursive: Bool
  /// The number of folders that are read at most.
  let mostFolders: Int
  private let skipsHidden: Bool
  private let ending: [UInt8]
  private let only: FilePath?
  private static let journal = Array("-journal".utf8)

  init(_ root: String, _ settings: WatchSettings) {
    self.root = root
    isRecursive = settings.isRecursive
    mostFolders = settings.mostFolders
    skipsHidden = settings.skipsHiddenFolders
    ending = Array(settings.ending.utf8)
    only = settings.only.map { FilePath($0) }
  }

  /// Whether files of that name may be wanted. Compares bytes, because most names in a large folder are not
  /// wanted.
  func mayWant(_ name: some BidirectionalCollection<UInt8>) -> Bool {
    name.count > ending.count && name.suffix(ending.count).elementsEqual(ending)
      && !FolderEntry.isAppleDouble(name)
  }

  /// The file that an event under a name concerns. An event of SQLite's rollback journal concerns its database.
  func wanted(_ name: [UInt8], in folder: FilePath) -> FilePath? {
    let own =
      name.suffix(Self.journal.count).elementsEqual(Self.journal)
      ? name.dropLast(Self.journal.count) : name[...]
    guard mayWant(own) else { return nil }
    // No `String` leads to a name that is not UTF-8.
    guard let text = String(validating: own, as: UTF8.self) else { return nil }
    let path = folder.appending(text)
    return only == nil || only == path ? path : nil
  }

  /// Whether subfolders of that name are read.
  func wantsFolder(_ name: String) -> Bool {
    isRecursive && !(skipsHidden && name.utf8.first == UInt8(ascii: "."))
  }

  func absolute(_ path: FilePath) -> String {
    path.isRoot ? root : root == "/" ? "/\(path.string)" : "\(root)/\(path.string)"
  }

  /// Whether the folder's absolute path is short enough for the system. Otherwise no document in it could be
  /// opened.
  func hasPath(_ folder: FilePath) -> Bool {
    root.utf8.count + 1 + folder.string.utf8.count < Int(PATH_MAX)
  }

  /// The identity of the folder at the watched path; nil when there is none. Throws as `contents` does.
  func rootIdentity() throws(ArtError) -> FileIdentity? {
    guard let descriptor = try open(.root) else { return nil }
    defer { close(descriptor) }
    do throws(SystemError) {
      let status = try FileStatus(of: descriptor)
      return status.raw.st_nlink == 0 ? nil : status.identity
    } catch {
      throw .cannotList(root, error.number)
    }
  }

  /// Lists a folder; nil when it does not exist, or may not be read. Throws `unavailable` for other errors.
  func contents(of folder: FilePath) throws(ArtError) -> FolderContents? {
    guard let descriptor = try open(folder) else { return nil }
    do throws(SystemError) {
      let status: FileStatus
      do throws(SystemError) { status = try FileStatus(of: descriptor) } catch {
        close(descriptor)
        throw error
      }
      var contents = FolderContents(identity: status.identity)
      try FolderEntry.each(inOpen: descriptor) { add($0, in: folder, to: &contents) }
      // A folder that was removed while it was being opened has no entries.
      return status.raw.st_nlink == 0 ? nil : contents
    } catch {
      throw .cannotList(absolute(folder), error.number)
    }
  }

  private func add(_ entry: FolderEntry, in folder: FilePath, to contents: inout FolderContents) {
    let isWanted = mayWant(entry.nameBytes)
    // Some file systems do not give the type with the name. It is then asked for only where it matters.
    if entry.listedKind == nil, !isWanted, !isRecursive { return }
    switch Self.kind(of: entry) {
    case .file where isWanted:
      guard let name = entry.name else { return }
      let path = folder.appending(name)
      if only == nil || only == path { contents.files.append(path) }
    case .folder where isRecursive:
      guard let name = entry.name, wantsFolder(name) else { return }
      let path = folder.appending(name)
      if hasPath(path) { contents.folders.append(path) }
    default: break
    }
  }

  /// Nil for an entry that was removed meanwhile: an event follows.
  private static func kind(of entry: FolderEntry) -> FolderEntry.Kind? {
    do throws(SystemError) { return try entry.kind() } catch { return nil }
  }

  /// Opens a folder name by name, so that no link below the watched folder leads out of it.
  private func open(_ folder: FilePath) throws(ArtError) -> Int32? {
    let flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC
    // O_PATH, which Swift does not import.
    let passing = flags | 0o1000_0000
    let names = folder.components
    var descriptor = Glibc.open(root, names.isEmpty ? flags : passing)
    for (index, name) in names.enumerated() where descriptor >= 0 {
      let upper = descriptor
      descriptor = openat(upper, name, index == names.count - 1 ? flags : passing)
      let number = errno
      close(upper)
      errno = number
    }
    if descriptor >= 0 { return descriptor }
    switch errno {
    case ENOENT, ENOTDIR, ELOOP: return nil
    // A folder that this user may not read. An event follows when its permissions change.
    case EACCES where !folder.isRoot, EPERM where !folder.isRoot: return nil
    default: throw .cannotList(absolute(folder), errno)
    }
  }
}

/// The wanted entries of one folder.
struct FolderContents {
  let identity: FileIdentity
  var files: [FilePath] = []
  var folders: [FilePath] = []
}

// MARK: - Watches

/// Maps inotify watches to folders, one to one. The kernel returns the existing watch for a folder that is
/// watched again, even under another name.
struct WatchTree: Equatable {
  struct Entry: Equatable {
    let watch: Int32
    let identity: FileIdentity
  }

  private(set) var folders: [FilePath: Entry] = [:]
  private var paths: [Int32: FilePath] = [:]

  func path(of watch: Int32) -> FilePath? { paths[watch] }

  /// Adds a watched folder. Returns its former watch, if that was another one; the caller must end it.
  mutating func put(_ path: FilePath, _ entry: Entry) -> Int32? {
    let former = folders[path]?.watch
    if let former { paths[former] = nil }
    // The folder was moved. The same walk adds the folders below it.
    if let formerPath = paths[entry.watch] { folders[formerPath] = nil }
    folders[path] = entry
    paths[entry.watch] = path
    checkInvariants()
    return former == entry.watch ? nil : former
  }

  /// Removes a watch that the kernel has ended.
  mutating func drop(_ watch: Int32) {
    if let path = paths.removeValue(forKey: watch) { folders[path] = nil }
    checkInvariants()
  }

  /// Removes a folder and everything below it, except the folders in `kept`. Returns the watches to end.
  mutating func remove(within folder: FilePath, except kept: Set<FilePath> = []) -> [Int32] {
    var ended: [Int32] = []
    for (path, entry) in folders where path.isWithin(folder) && !kept.contains(path) {
      folders[path] = nil
      paths[entry.watch] = nil
      ended.append(entry.watch)
    }
    checkInvariants()
    return ended
  }

  /// Stops a debug build when an invariant does not hold.
  private func checkInvariants() { assert(folders.count == paths.count, "folders and watches are pairs") }
}

// MARK: - Remote file systems

/// File systems that other machines may change: inotify does not report those changes.
enum RemoteFileSystem {
  private static let names: Set<String> = [
    "9p", "acfs", "afs", "beegfs", "ceph", "cifs", "coda", "gfs2", "glusterfs", "gpfs", "lustre", "ncpfs",
    "ncp", "nfs", "nfs4", "ocfs2", "orangefs", "pvfs2", "smb3", "smbfs", "vboxsf", "virtiofs", "vmhgfs",
  ]

  /// The limit in bytes for the list of mounts: 100,000 lines.
  private static let mountsLimit = 16 << 20

  /// The name of a remote file system with that device number; nil for a local one, and for one that is not
  /// listed.
  static func kind(of device: UInt) -> String? {
    do throws(SystemError) {
      guard let mounts = try SmallFile.read("/proc/self/mountinfo", limit: mountsLimit) else { return nil }
      return kind(of: device, in: String(decoding: mounts, as: UTF8.self))
    } catch {
      return nil
    }
  }

  /// The same, from the text of proc_pid_mountinfo(5).
  static func kind(of device: UInt, in mounts: String) -> String? {
    // gnu_dev_major(3), gnu_dev_minor(3)
    let major = (device >> 8) & 0xFFF | (device >> 32) & ~0xFFF
    let minor = device & 0xFF | (device >> 12) & ~0xFF
    let number = "\(major):\(minor)"
    for line in mounts.split(separator: "\n") {
      let words = line.split(separator: " ")
      guard words.count > 2, words[2] == number, let dash = words.firstIndex(of: "-"),
        dash + 1 < words.count
      else { continue }
      let name = String(words[dash + 1])
      return names.contains(name) || name.hasPrefix("fuse") && name != "fuseblk" ? name : nil
    }
    return nil
  }
}
