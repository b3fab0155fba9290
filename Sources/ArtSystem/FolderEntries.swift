// SPDX-License-Identifier: Apache-2.0

import Glibc

/// One entry of a folder while the folder is being read; not to be kept.
package struct FolderEntry {
  /// What an entry is.
  package enum Kind: Sendable {
    case file, folder, link, pipe, socket, device
  }

  /// The bytes of its name, without the zero at their end.
  package let nameBytes: UnsafeBufferPointer<UInt8>
  /// What it is, where the file system says so without being asked for the entry itself.
  package let toldKind: Kind?
  private let folder: Int32

  fileprivate init(_ bytes: UnsafeBufferPointer<UInt8>, _ type: UInt8, _ folder: Int32) {
    nameBytes = bytes
    toldKind = Kind(type: Int32(type))
    self.folder = folder
  }

  /// Its name; nil where it is no UTF-8: no path leads there.
  package var name: String? { String(validating: nameBytes, as: UTF8.self) }

  /// Its name with marks in the place of what is no UTF-8.
  package var shownName: String { String(decoding: nameBytes, as: UTF8.self) }

  /// Whether its name begins with a dot.
  package var isHidden: Bool { nameBytes.first == UInt8(ascii: ".") }

  /// What it is, a symbolic link itself; the file system is asked where it did not say. Throws what fstatat(2) says.
  package func kind() throws(SystemError) -> Kind {
    if let toldKind { return toldKind }
    return try Kind(status: status(AT_SYMLINK_NOFOLLOW))
  }

  /// Whether it is a folder, or a symbolic link to one.
  package var leadsToFolder: Bool {
    switch toldKind {
    case .folder: return true
    case .link, nil: break
    default: return false
    }
    do throws(SystemError) { return try Kind(status: status(0)) == .folder } catch { return false }
  }

  private func status(_ flags: Int32) throws(SystemError) -> stat {
    guard let name = nameBytes.baseAddress else { throw SystemError("fstatat", number: ENOENT) }
    var status = stat()
    // The zero byte at its end is still there.
    let result = name.withMemoryRebound(to: CChar.self, capacity: nameBytes.count + 1) {
      fstatat(folder, $0, &status, flags)
    }
    guard result == 0 else { throw SystemError("fstatat") }
    return status
  }
}

extension FolderEntry.Kind {
  /// Nil for DT_UNKNOWN.
  fileprivate init?(type: Int32) {
    switch Int(type) {
    case Int(DT_UNKNOWN): return nil
    case Int(DT_REG): self = .file
    case Int(DT_DIR): self = .folder
    case Int(DT_LNK): self = .link
    case Int(DT_FIFO): self = .pipe
    case Int(DT_SOCK): self = .socket
    default: self = .device
    }
  }

  fileprivate init(status: stat) {
    switch status.st_mode & S_IFMT {
    case S_IFREG: self = .file
    case S_IFDIR: self = .folder
    case S_IFLNK: self = .link
    case S_IFIFO: self = .pipe
    case S_IFSOCK: self = .socket
    default: self = .device
    }
  }
}

extension FolderEntry {
  /// Hands over each entry of the folder at a path but `.` and `..`, in no order. Throws what opening and reading it says; what was
  /// handed over by then counts for nothing.
  package static func each(in path: String, _ body: (FolderEntry) -> Void) throws(SystemError) {
    guard let stream = opendir(path) else { throw SystemError("opendir", path) }
    defer { closedir(stream) }
    try each(of: stream, path, body)
  }

  /// The same for a folder that is open, whose descriptor is closed by this.
  package static func each(inOpen descriptor: Int32, _ body: (FolderEntry) -> Void) throws(SystemError) {
    guard let stream = fdopendir(descriptor) else {
      let error = SystemError("fdopendir")
      close(descriptor)
      throw error
    }
    defer { closedir(stream) }
    try each(of: stream, nil, body)
  }

  private static func each(
    of stream: OpaquePointer, _ path: String?, _ body: (FolderEntry) -> Void
  ) throws(SystemError) {
    errno = 0
    while let entry = readdir(stream) {
      withUnsafeBytes(of: &entry.pointee.d_name) { name in
        let bytes = name.bindMemory(to: UInt8.self)
        let count = bytes.firstIndex(of: 0) ?? bytes.count
        let isDots = count <= 2 && bytes[..<count].allSatisfy { $0 == UInt8(ascii: ".") }
        if !isDots {
          body(
            FolderEntry(UnsafeBufferPointer(rebasing: bytes[..<count]), entry.pointee.d_type, dirfd(stream)))
        }
      }
      errno = 0
    }
    guard errno == 0 else { throw SystemError("readdir", path) }
  }
}
