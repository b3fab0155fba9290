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
  private let only: FilePath?
  private static let journal = Array("-journal".utf8)

  init(_ root: String, _ settings: WatchSettings) {
    self.root = root
    isRecursive = settings.isRecursive
    ending = Array(settings.ending.utf8)
    only = settings.only.map { FilePath($0) }
  }

  /// Whether files with that name may be wanted. Bytes, because most of a large folder's names are not.
  func mayWant(_ name: UnsafeBufferPointer<UInt8>) -> Bool {
    name.count > ending.count && name.suffix(ending.count).elementsEqual(ending)
  }

  /// The file that is to be looked at when something happens under a name: SQLite's journal beside it counts for it.
  func wanted(_ name: [UInt8], in folder: FilePath) -> FilePath? {
    let own =
      name.suffix(Self.journal.count).elementsEqual(Self.journal)
      ? name.dropLast(Self.journal.count) : name[...]
    guard own.count > ending.count, own.suffix(ending.count).elementsEqual(ending) else { return nil }
    // No path leads to what is no UTF-8.
    guard let text = String(validating: own, as: UTF8.self) else { return nil }
    let path = folder.appending(text)
    return only == nil || only == path ? path : nil
  }

  func absolute(_ path: FilePath) -> String {
    path.isRoot ? root : root == "/" ? "/\(path.string)" : "\(root)/\(path.string)"
  }

  /// Whether it has an absolute path that the system takes. No document in it could be opened otherwise.
  func hasPath(_ folder: FilePath) -> Bool {
    root.utf8.count + 1 + folder.string.utf8.count < Int(PATH_MAX)
  }

  /// Which folder stands at the watched path; nil when there is none. Throws as `contents` does.
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

  /// Looks into one folder; nil when there is none, or none that may be looked into. Throws `unavailable` when that
  /// cannot be told.
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
      // One that was removed while it was being opened has no entries.
      return status.raw.st_nlink == 0 ? nil : contents
    } catch {
      throw .cannotList(absolute(folder), error.number)
    }
  }

  private func add(_ entry: FolderEntry, in folder: FilePath, to contents: inout FolderContents) {
    let isWanted = mayWant(entry.nameBytes)
    // On file systems that do not say what an entry is, only those that matter are asked.
    if entry.toldKind == nil, !isWanted, !isRecursive { return }
    switch Self.kind(of: entry) {
    case .file where isWanted:
      guard let name = entry.name else { return }
      let path = folder.appending(name)
      if only == nil || only == path { contents.files.append(path) }
    case .folder where isRecursive:
      guard let name = entry.name else { return }
      let path = folder.appending(name)
      if hasPath(path) { contents.folders.append(path) }
    default: break
    }
  }

  /// Nil for what is gone meanwhile: an event tells of it.
  private static func kind(of entry: FolderEntry) -> FolderEntry.Kind? {
    do throws(SystemError) { return try entry.kind() } catch { return nil }
  }

  /// Opens a folder name by name, so that no link below the watched folder leads out of it.
  private func open(_ folder: FilePath) throws(ArtError) -> Int32? {
    let flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC
    // O_PATH, which Swift does not see.
    let passing = flags | 0o1000_0000
    let names = folder.components
    var descriptor = Glibc.open(root, names.isEmpty ? flags : passing)
    for (place, name) in names.enumerated() where descriptor >= 0 {
      let upper = descriptor
      descriptor = openat(upper, name, place == names.count - 1 ? flags : passing)
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
  var files: [FilePath] = []
  var folders: [FilePath] = []
}

/// Which watch belongs to which folder. A folder has at most one watch and a watch at most one folder; the kernel gives a
/// folder that is watched again, under another name perhaps, the watch that it has.
struct WatchTree: Equatable {
  struct Entry: Equatable {
    let watch: Int32
    let identity: FileIdentity
  }

  private(set) var folders: [FilePath: Entry] = [:]
  private var paths: [Int32: FilePath] = [:]

  func path(of watch: Int32) -> FilePath? { paths[watch] }

  /// A folder is watched. Returns the watch that it had before, if it was another one: that is to be ended.
  mutating func put(_ path: FilePath, _ entry: Entry) -> Int32? {
    let former = folders[path]?.watch
    if let former { paths[former] = nil }
    // It has moved: what lies below it comes with the same walk.
    if let place = paths[entry.watch] { folders[place] = nil }
    folders[path] = entry
    paths[entry.watch] = path
    checkInvariants()
    return former == entry.watch ? nil : former
  }

  /// A watch has ended by itself.
  mutating func drop(_ watch: Int32) {
    if let path = paths.removeValue(forKey: watch) { folders[path] = nil }
    checkInvariants()
  }

  /// Forgets a folder and what lies below it, as far as it is not to be kept. Returns the watches to be ended.
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

  /// Stops a debug build when a promise of this type does not hold.
  private func checkInvariants() { assert(folders.count == paths.count, "folders and watches are pairs") }
}

/// File systems whose changes come from other machines, too: inotify does not tell of these.
enum RemoteFileSystem {
  private static let names: Set<String> = [
    "9p", "acfs", "afs", "beegfs", "ceph", "cifs", "coda", "gfs2", "glusterfs", "gpfs", "lustre", "ncpfs",
    "ncp", "nfs", "nfs4", "ocfs2", "orangefs", "pvfs2", "smb3", "smbfs", "vboxsf", "virtiofs", "vmhgfs",
  ]

  /// Bytes of a list of mounts that are looked at: 100,000 lines.
  private static let mountsLimit = 16 << 20

  /// The name of the file system with that device number; nil for a local one. What cannot be found is taken for local.
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
