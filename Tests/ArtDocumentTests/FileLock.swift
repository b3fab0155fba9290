// SPDX-License-Identifier: Apache-2.0

import CSQLite
import Testing

/// Another program that is about to write.
final class FileLock {
  private var handle: OpaquePointer?

  /// `alone` keeps others from reading, too.
  init(_ path: String, alone: Bool = false) throws {
    try #require(sqlite3_open_v2(path, &handle, SQLITE_OPEN_READWRITE, nil) == SQLITE_OK)
    try #require(
      sqlite3_exec(handle, alone ? "BEGIN EXCLUSIVE" : "BEGIN IMMEDIATE", nil, nil, nil) == SQLITE_OK)
  }

  func release() {
    sqlite3_close_v2(handle)
    handle = nil
  }

  deinit { release() }
}
