// SPDX-License-Identifier: Apache-2.0

import ArtModel
import CStore
import Glibc

/// A document that is read and written without a connection, through the file layer of documents: closing a plain descriptor would
/// drop the locks that a connection of this process holds on the same file.
final class GuardedFile {
  private let handle: OpaquePointer
  private let name: String
  private var isExclusive = false
  private let pass = FileGate.Pass()

  init(_ file: LocatedFile, writable: Bool = false) throws(ArtError) {
    var code = SQLITE_OK
    var systemError: Int32 = 0
    guard let handle = document_open(file.path, writable, &code, &systemError) else {
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

  /// Waits for a lock that SQLite's connections respect. It may be on a file that stands at its path no longer: see
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

  /// Two that both read and both want to write would wait for each other: the second one lets go.
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

  /// Lets go of every lock.
  func unlock() {
    document_unlock(handle, SQLITE_LOCK_NONE)
    isExclusive = false
  }

  /// Lets go of a lock that keeps nobody else from reading.
  func unlockShared() { if !isExclusive { unlock() } }

  /// Whether the file that is open stands at its path no longer.
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

  /// Bytes at an offset; zeros where the file ends.
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

  /// Makes the file's bytes, which are `old`, to be `new`, durably. Asks for an exclusive lock. The first page comes last: until then
  /// the header says what it said of half a save.
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
