// SPDX-License-Identifier: Apache-2.0

import ArtModel
import CStore
import Glibc

/// A document's file that is read and written without a connection, through the documents' file layer:
/// closing a plain descriptor would drop the locks of this process's connections to the same file.
final class GuardedFile {
  private let handle: OpaquePointer
  private let name: String
  private var isExclusive = false
  private let pass = FileGate.Pass()

  init(_ file: LocatedFile, writable: Bool = false) throws(ArtError) {
    var code = SQLITE_OK
    var systemError: Int32 = 0
    guard let handle = document_open(file.path.string, writable, &code, &systemError) else {
      throw SQLiteFailure(code: code, systemError: systemError).error(on: file.name)
    }
    self.handle = handle
    name = file.name
  }

  deinit {
    document_unlock(handle, SQLITE_LOCK_NONE)
    document_close(handle)
  }

  enum Level {
    case shared
    case exclusive
  }

  /// Waits for a lock that SQLite's connections respect. The file may no longer be at its path: see
  /// `hasMoved`.
  func lock(_ level: Level, _ deadline: Deadline) throws(ArtError) {
    var tries = 0
    while true {
      let code = tryLock(level)
      guard code == SQLITE_BUSY else {
        try check(code)
        isExclusive = isExclusive || level == .exclusive
        return
      }
      guard deadline.wait(tries) else {
        unlock()
        try check(code)
        return
      }
      tries += 1
    }
  }

  /// A program that has a shared lock and cannot get the reserved one releases both: two such programs would
  /// wait for each other.
  private func tryLock(_ level: Level) -> Int32 {
    var code = document_lock(handle, SQLITE_LOCK_SHARED)
    guard level == .exclusive, code == SQLITE_OK else { return code }
    code = document_lock(handle, SQLITE_LOCK_RESERVED)
    guard code == SQLITE_OK else {
      unlock()
      return code
    }
    return document_lock(handle, SQLITE_LOCK_EXCLUSIVE)
  }

  /// Releases every lock.
  func unlock() {
    document_unlock(handle, SQLITE_LOCK_NONE)
    isExclusive = false
  }

  /// Releases the lock if it is shared; an exclusive one is kept.
  func unlockShared() { if !isExclusive { unlock() } }

  /// SQLite's descriptor of the file, only to look at.
  var descriptor: Int32 { document_descriptor(handle) }

  /// Whether the open file is no longer at its path.
  var hasMoved: Bool { document_has_moved(handle) }

  /// Whether another program is about to write.
  func isReserved() throws(ArtError) -> Bool {
    guard !isExclusive else { return false }
    var reserved: Int32 = 0
    try check(document_is_reserved(handle, &reserved))
    return reserved != 0
  }

  func size() throws(ArtError) -> Int {
    var size: sqlite3_int64 = 0
    try check(document_size(handle, &size))
    return Int(size)
  }

  /// All bytes, at most `limit`.
  func bytes(limit: Int) throws(ArtError) -> [UInt8] {
    let size = try size()
    guard size <= limit else { throw .tooLargeFile(name) }
    return try bytes(count: size, at: 0)
  }

  /// Bytes at an offset, filled with zeros after the file's end.
  func bytes(count: Int, at offset: Int) throws(ArtError) -> [UInt8] {
    var code = SQLITE_OK
    let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
      code = document_read(handle, buffer.baseAddress, Int32(count), sqlite3_int64(offset))
      filled = count
    }
    if code != ART_IOERR_SHORT_READ { try check(code) }
    return bytes
  }

  func sync() throws(ArtError) { try check(document_sync(handle)) }

  /// Replaces the file's content `old` by `new`, durably. Needs an exclusive lock. The first page is written
  /// last: until then the header still marks an interrupted save.
  func replace(_ old: [UInt8], by new: [UInt8]) throws(ArtError) {
    for start in stride(from: Format.pageSize, to: new.count, by: Format.pageSize) {
      try replacePage(at: start, of: old, by: new)
    }
    if new.count < old.count { try check(document_truncate(handle, sqlite3_int64(new.count))) }
    try sync()
    try replacePage(at: 0, of: old, by: new)
    try sync()
  }

  private func replacePage(at start: Int, of old: [UInt8], by new: [UInt8]) throws(ArtError) {
    let page = start..<min(start + Format.pageSize, new.count)
    if page.upperBound <= old.count, old[page] == new[page] { return }
    let code = new[page].withUnsafeBytes {
      document_write(handle, $0.baseAddress, Int32($0.count), sqlite3_int64(start))
    }
    try check(code)
  }

  private func check(_ code: Int32) throws(ArtError) {
    guard code != SQLITE_OK else { return }
    throw SQLiteFailure(code: code, systemError: errno).error(on: name)
  }
}
