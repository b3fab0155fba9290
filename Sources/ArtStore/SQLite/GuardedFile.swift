// SPDX-License-Identifier: Apache-2.0

import ArtModel
import CSQLite

/// A document read by hand, through SQLite's own file layer: closing a descriptor of ours would drop the locks
/// that another connection of this process holds on the same file.
final class GuardedFile {
  private let handle: UnsafeMutablePointer<art_file>
  private let name: String
  private var isExclusive = false

  init(_ file: LocatedFile, writable: Bool = false) throws(ArtError) {
    var code = SQLITE_OK
    guard let handle = art_file_open(file.path, writable ? 1 : 0, &code) else {
      throw SQLiteFailure(code: code, systemError: 0).error(on: file.name)
    }
    self.handle = handle
    name = file.name
  }

  deinit {
    art_file_unlock(handle, SQLITE_LOCK_NONE)
    art_file_close(handle)
  }

  enum Level {
    case shared
    case exclusive
  }

  /// Waits for a lock that SQLite's connections respect.
  func lock(_ level: Level, _ deadline: Deadline) throws(ArtError) {
    let levels =
      switch level {
      case .shared: [SQLITE_LOCK_SHARED]
      case .exclusive: [SQLITE_LOCK_SHARED, SQLITE_LOCK_RESERVED, SQLITE_LOCK_EXCLUSIVE]
      }
    for level in levels {
      var tries = 0
      var code = art_file_lock(handle, level)
      while code == SQLITE_BUSY, deadline.wait(tries) {
        tries += 1
        code = art_file_lock(handle, level)
      }
      try check(code)
    }
    isExclusive = isExclusive || level == .exclusive
  }

  /// Whether another program is about to write.
  func isReserved() throws(ArtError) -> Bool {
    guard !isExclusive else { return false }
    var reserved: Int32 = 0
    try check(art_file_is_reserved(handle, &reserved))
    return reserved != 0
  }

  func size() throws(ArtError) -> Int {
    var size: sqlite3_int64 = 0
    try check(art_file_size(handle, &size))
    return Int(size)
  }

  /// All bytes, at most `limit`.
  func bytes(limit: Int) throws(ArtError) -> [UInt8] {
    let size = try size()
    guard size <= limit else { throw .tooLargeFile(name) }
    return try bytes(count: size, at: 0)
  }

  /// Bytes at an offset; zeros where the file ends.
  func bytes(count: Int, at offset: Int) throws(ArtError) -> [UInt8] {
    var code = SQLITE_OK
    let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
      code = art_file_read(handle, buffer.baseAddress, Int32(count), sqlite3_int64(offset))
      filled = count
    }
    if code != ART_IOERR_SHORT_READ { try check(code) }
    return bytes
  }

  func sync() throws(ArtError) { try check(art_file_sync(handle)) }

  private func check(_ code: Int32) throws(ArtError) {
    guard code != SQLITE_OK else { return }
    throw SQLiteFailure(code: code, systemError: 0).error(on: name)
  }
}
