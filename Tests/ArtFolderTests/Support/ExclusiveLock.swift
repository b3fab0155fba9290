// SPDX-License-Identifier: Apache-2.0

import CSQLite
import Testing

/// Another program that is writing.
final class ExclusiveLock {
  private var handle: OpaquePointer?

  init(_ path: String) throws {
    try #require(sqlite3_open_v2(path, &handle, SQLITE_OPEN_READWRITE, nil) == SQLITE_OK)
    try #require(sqlite3_exec(handle, "BEGIN EXCLUSIVE", nil, nil, nil) == SQLITE_OK)
  }

  func release() {
    sqlite3_close_v2(handle)
    handle = nil
  }

  deinit { release() }
}
