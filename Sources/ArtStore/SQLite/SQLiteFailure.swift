// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtSystem
import CStore
import Glibc

/// What SQLite answered, with the extended code and the system's error number.
struct SQLiteFailure {
  let code: Int32
  let systemError: Int32

  /// What it means to whoever uses the document.
  func error(on name: String) -> ArtError {
    switch code & 0xFF {
    case SQLITE_BUSY, SQLITE_LOCKED: return .busy(name)
    case SQLITE_CORRUPT, SQLITE_NOTADB, SQLITE_CONSTRAINT, SQLITE_MISMATCH, SQLITE_ERROR, SQLITE_TOOBIG:
      return .damaged(name, String(cString: sqlite3_errstr(code)))
    case SQLITE_FULL: return .diskFull(name)
    case SQLITE_READONLY, SQLITE_PERM, SQLITE_AUTH:
      return .notPermitted("write", name, "it or its folder is read-only; change its permissions, or copy it")
    case SQLITE_CANTOPEN where systemError != 0: return .document("open", name, systemError)
    case SQLITE_IOERR where systemError == ENOSPC || systemError == EDQUOT: return .diskFull(name)
    case SQLITE_IOERR where systemError == EFBIG: return .fileSizeLimit(name)
    default:
      let cause = systemError == 0 ? "" : ": \(SystemError.text(of: systemError))"
      return ArtError(
        .inputOutput,
        "cannot read or write \(name): \(String(cString: sqlite3_errstr(code))) (SQLite \(code))\(cause)")
    }
  }
}
