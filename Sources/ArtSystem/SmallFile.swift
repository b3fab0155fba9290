// SPDX-License-Identifier: Apache-2.0

import Glibc

/// A small file that is no document, read at once. Of one that may be a document no descriptor is closed but by ArtStore.
package enum SmallFile {
  /// The bytes of a file to its end; nil where it is not there. Throws what open(2) and read(2) say, and EFBIG where it has more
  /// bytes than `limit`.
  package static func read(_ path: String, limit: Int) throws(SystemError) -> [UInt8]? {
    let file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
    guard file >= 0 else {
      let error = SystemError("open", path)
      guard error.number == ENOENT else { throw error }
      return nil
    }
    defer { close(file) }
    var bytes: [UInt8] = []
    var piece = [UInt8](repeating: 0, count: min(limit &+ 1, 1 << 16))
    while true {
      let count = Glibc.read(file, &piece, piece.count)
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { throw SystemError("read", path) }
      if count == 0 { return bytes }
      bytes += piece[..<count]
      guard bytes.count <= limit else { throw SystemError("read", path, number: EFBIG) }
    }
  }

  /// The same as text; nil where it is not there, and where it is no UTF-8.
  package static func text(_ path: String, limit: Int) throws(SystemError) -> String? {
    try read(path, limit: limit).flatMap { String(validating: $0, as: UTF8.self) }
  }
}
