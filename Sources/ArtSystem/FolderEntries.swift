// SPDX-License-Identifier: Apache-2.0

import Glibc

/// One entry of a folder. It is valid only while the folder is being read.
package struct FolderEntry {
  /// The type of an entry.
  package enum Kind: Sendable {
    case file, folder, link, pipe, socket, device
  }

  /// The bytes of the name, without the terminating zero.
  package let nameBytes: UnsafeBufferPointer<UInt8>
  /// The type, if the file system gives it with the name (`d_type` of readdir(3)).
  package let listedKind: Kind?
  private let folder: Int32

  fileprivate init(_ bytes: UnsafeBufferPointer<UInt8>, _ type: UInt8, _ folder: Int32) {
    nameBytes = bytes
    listedKind = Kind(type: Int32(type))
    self.folder = folder
  }

  /// The name; nil where it is not UTF-8, because no `String` leads there.
  package var name: String? { String(validating: nameBytes, as: UTF8.self) }

  /// The name with U+FFFD in place of invalid UTF-8, for messages.
  package var displayName: String { String(decoding: nameBytes, as: UTF8.self) }

  /// Whether a name is that of an AppleDouble file, which a Mac writes beside a file for what its own file systems store in it: it has the
  /// ending of that file, and nothing of its content. Source: RFC 1740, and macOS's `._` on foreign file systems.
  package static func isAppleDouble(_ name: some Collection<UInt8>) -> Bool { name.starts(with: "._".utf8) }

  /// Whether its name begins with a dot.
  package var isHidden: Bool { nameBytes.first == UInt8(ascii: ".") }

  /// The type of the entry; symbolic links are not followed. Calls fstatat(2) where `listedKind` is nil, and
  /// throws its error.
  package func kind() throws(SystemError) -> Kind {
    if let listedKind { return listedKind }
    return try Kind(status: status(AT_SYMLINK_NOFOLLOW))
  }

  /// Whether the entry is a folder, or a symbolic link to one.
  package var leadsToFolder: Bool {
    switch listedKind {
    case .folder: return true
    case .link, nil: break
    default: return false
    }
    do throws(SystemError) { return try Kind(status: status(0)) == .folder } catch { return false }
  }

  private func status(_ flags: Int32) throws(SystemError) -> stat {
    guard let name = nameBytes.baseAddress else { throw SystemError("fstatat", number: ENOENT) }
    var status = stat()
    // readdir(3) gave the name with a zero byte at its end.
    let result = name.withMemoryRebound(to: CChar.self, capacity: nameBytes.count + 1) {
      fstatat(folder, $0, &status, flags)
    }
    guard result == 0 else { throw SystemError("fstatat") }
    return status
  }
}

// MARK: - Types

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

// MARK: - Reading a folder

extension FolderEntry {
  /// Calls `body` with each entry of a folder except `.` and `..`, in no order. Throws the error of opendir(3)
  /// or readdir(3); the entries passed until then are incomplete.
  package static func each(in path: String, _ body: (FolderEntry) -> Void) throws(SystemError) {
    guard let stream = opendir(path) else { throw SystemError("opendir", path) }
    defer { closedir(stream) }
    try each(of: stream, path, body)
  }

  /// The same for a folder that is open; closes the descriptor.
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
