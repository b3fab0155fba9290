// SPDX-License-Identifier: Apache-2.0

import CStore

/// The SQLite that is linked into this program. Where that is static, an update of the system does not reach it.
public enum SQLiteLibrary {
  /// Its version, such as `3.40.1`.
  public static var version: String { String(cString: sqlite3_libversion()) }
}
