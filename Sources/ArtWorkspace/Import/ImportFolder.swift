// SPDX-License-Identifier: Apache-2.0

import ArtModel
import Glibc

/// What lies in one folder, sorted by name; hidden files are not looked at.
struct ImportFolder {
  /// What an entry is.
  enum Kind: String {
    case file = "a file"
    case folder = "a folder"
    case link = "a symbolic link"
    case pipe = "a pipe"
    case socket = "a socket"
    case device = "a device"
    case unseen = "what cannot be looked at"
  }

  private(set) var entries: [(name: String, kind: Kind)] = []
  /// Names that are no UTF-8, with marks in the place of what cannot be read.
  private(set) var unreadable: [String] = []

  var folders: [String] { entries.filter { $0.kind == .folder }.map(\.name) }

  /// Throws `noSuchDocument`, `notPermitted`, `inputOutput`.
  init(_ path: String) throws(ArtError) {
    guard let stream = opendir(path) else { throw .notRead(path, errno) }
    defer { closedir(stream) }
    errno = 0
    while let entry = readdir(stream) {
      let bytes = withUnsafeBytes(of: &entry.pointee.d_name) { Array($0.prefix { $0 != 0 }) }
      if bytes.first != UInt8(ascii: ".") { add(bytes, Int32(entry.pointee.d_type), dirfd(stream)) }
      errno = 0
    }
    guard errno == 0 else { throw .notRead(path, errno) }
    entries.sort { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
    unreadable.sort()
  }

  private mutating func add(_ bytes: [UInt8], _ type: Int32, _ folder: Int32) {
    guard let name = String(validating: bytes, as: UTF8.self) else {
      return unreadable.append(String(decoding: bytes, as: UTF8.self))
    }
    var kind = type
    if kind == DT_UNKNOWN {
      // File systems need not say what an entry is.
      var status = stat()
      guard fstatat(folder, name, &status, AT_SYMLINK_NOFOLLOW) == 0 else {
        // What has gone meanwhile is not there; of anything else it is told that it is passed over.
        if errno != ENOENT { entries.append((name, .unseen)) }
        return
      }
      kind = Int32(status.st_mode & S_IFMT) >> 12
    }
    entries.append((name, Self.kind(kind)))
  }

  private static func kind(_ type: Int32) -> Kind {
    switch Int(type) {
    case Int(DT_REG): .file
    case Int(DT_DIR): .folder
    case Int(DT_LNK): .link
    case Int(DT_FIFO): .pipe
    case Int(DT_SOCK): .socket
    default: .device
    }
  }
}
