// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtSystem
import CStore
import Glibc

/// One short-lived connection to a SQLite database. Used by one thread; closed when it is released.
final class Connection {
  let handle: OpaquePointer
  /// The database's name in messages.
  let name: String
  private let deadline: Deadline
  private let isInMemory: Bool
  private let isReadOnly: Bool
  private var isGuarded = false
  /// The root pages of the tables and indexes, once the schema was read.
  var roots: [Int]?
  /// The fault in the file's structure, if a save has found one.
  private var structureFault: ArtError?
  /// Nil for a database in memory, which has no locks.
  private let pass: FileGate.Pass?

  enum Mode {
    case readOnly
    case readWrite
    /// A private copy that no other program uses: a journal beside it is rolled back, and a WAL file is read.
    case privateCopy
  }

  /// Opens the file at a path without symbolic links. Reads and locks nothing yet. Documents have a file
  /// layer of their own: see `CStore`.
  init(path: String, name: String, mode: Mode, deadline: Deadline) throws(ArtError) {
    pass = FileGate.Pass()
    var handle: OpaquePointer?
    let access = mode == .readOnly ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE
    let flags = access | SQLITE_OPEN_NOFOLLOW | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_PRIVATECACHE
    let layer = mode == .privateCopy ? document_vfs_for_copies() : document_vfs()
    let code = sqlite3_open_v2(path, &handle, flags | SQLITE_OPEN_EXRESCODE, layer)
    guard code == SQLITE_OK, let handle else {
      let failure = SQLiteFailure(code: code, systemError: handle.map { sqlite3_system_errno($0) } ?? 0)
      sqlite3_close_v2(handle)
      throw failure.error(on: name)
    }
    self.handle = handle
    self.name = name
    self.deadline = deadline
    isInMemory = false
    isReadOnly = mode == .readOnly
    sqlite3_busy_handler(handle, { context, tries in Deadline.wait(context, tries) }, deadline.context)
  }

  /// An empty database in memory. A read-only one is given its bytes later. With `spills`, what its cache cannot hold goes to a file
  /// without a name in the folder for temporary files.
  init(inMemory name: String, isReadOnly: Bool = false, spills: Bool = false) throws(ArtError) {
    pass = nil
    var handle: OpaquePointer?
    // https://www.sqlite.org/inmemorydb.html: an empty path is a temporary database.
    let code = sqlite3_open_v2(
      spills ? "" : ":memory:", &handle, SQLITE_OPEN_READWRITE | SQLITE_OPEN_EXRESCODE, nil)
    guard code == SQLITE_OK, let handle else {
      sqlite3_close_v2(handle)
      throw SQLiteFailure(code: code, systemError: 0).error(on: name)
    }
    self.handle = handle
    self.name = name
    deadline = Deadline(.zero)
    isInMemory = true
    self.isReadOnly = isReadOnly
  }

  /// A private copy of this connection's file in memory, made in a transaction; nil if there is not enough
  /// memory. When this transaction ends, the copy can be read without a lock on the file.
  func copyInMemory() throws(ArtError) -> Connection? {
    let size = try size
    guard let bytes = sqlite3_malloc64(sqlite3_uint64(size)) else { return nil }
    let code = connection_read(handle, bytes, Int32(clamping: size), 0)
    guard code == SQLITE_OK else {
      sqlite3_free(bytes)
      throw failure(code).error(on: name)
    }
    let copy = try Connection(inMemory: name, isReadOnly: true)
    let flags = UInt32(SQLITE_DESERIALIZE_FREEONCLOSE | SQLITE_DESERIALIZE_READONLY)
    let pages = bytes.assumingMemoryBound(to: UInt8.self)
    // This frees the bytes also if it fails.
    try copy.check(sqlite3_deserialize(copy.handle, "main", pages, Int64(size), Int64(size), flags))
    try copy.configure()
    return copy
  }

  deinit { sqlite3_close_v2(handle) }

  /// Treats the file as untrusted: no functions, triggers or views of its schema run, its structure cannot be
  /// written directly, and nothing is mapped into memory. A save writes no pages before the commit, which
  /// would lock readers out, and is durable when it returns.
  ///
  /// This reads the schema, so the header must have been verified before.
  func configure() throws(ArtError) {
    for (option, value) in [
      (SQLITE_DBCONFIG_DEFENSIVE, 1), (SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0),
      (SQLITE_DBCONFIG_ENABLE_TRIGGER, 0), (SQLITE_DBCONFIG_ENABLE_VIEW, 0), (SQLITE_DBCONFIG_DQS_DDL, 0),
      (SQLITE_DBCONFIG_DQS_DML, 0),
    ] {
      try check(art_db_config(handle, Int32(option), Int32(value)))
    }
    sqlite3_limit(handle, SQLITE_LIMIT_ATTACHED, 0)
    sqlite3_limit(handle, SQLITE_LIMIT_LENGTH, Int32(Format.largestFile))
    try execute(
      "PRAGMA mmap_size=0; PRAGMA cell_size_check=ON; PRAGMA cache_spill=\(Self.neverSpilling); PRAGMA temp_store=MEMORY; PRAGMA synchronous=EXTRA"
    )
  }

  /// More pages than any document has. The last byte must not be 0: SQLite takes that as "never spill", which
  /// cannot be changed in a transaction.
  private static let neverSpilling = Format.largestFile - 1

  /// Lets pages of a save go to the file before the commit, because what is written next is large. In a
  /// transaction SQLite changes only the number of pages from which on it spills.
  func allowSpilling() throws(ArtError) { try execute("PRAGMA cache_spill=100") }

  /// Runs statements that return no rows.
  func execute(_ sql: String) throws(ArtError) {
    try check(sqlite3_exec(handle, sql, nil, nil, nil))
  }

  /// Throws unless the code is OK.
  func check(_ code: Int32) throws(ArtError) {
    guard code != SQLITE_OK else { return }
    throw error(code)
  }

  /// SQLITE_READONLY_ROLLBACK, a macro that Swift does not import.
  private static let mustRollBack = SQLITE_READONLY | 3 << 8

  /// The error for a code other than OK. A hot journal that was not validated yet counts as busy: once it is
  /// resolved, the file can be used.
  func error(_ code: Int32) -> ArtError {
    if let structureFault { return structureFault }
    let isUnresolved =
      code == Self.mustRollBack || code & 0xFF == SQLITE_CANTOPEN && connection_met_journal(handle)
    return isUnresolved ? .busy(name) : failure(code).error(on: name)
  }

  func failure(_ code: Int32) -> SQLiteFailure {
    SQLiteFailure(code: code, systemError: sqlite3_system_errno(handle))
  }

  /// Guards a save: nothing is written if another program copies a file over this one meanwhile, which takes
  /// no lock; and no page is taken from a free list that was not verified. The file must be locked for
  /// writing, and not read yet.
  func guardFile() throws(ArtError) {
    guard !isGuarded, !isReadOnly, !isInMemory else { return }
    isGuarded = connection_guard(
      handle,
      { context in
        context.map { Unmanaged<Connection>.fromOpaque($0).takeUnretainedValue().verify() } ?? false
      },
      Unmanaged.passUnretained(self).toOpaque())
    // A file that was just moved cannot be guarded; the edit finds that it has moved.
    guard isGuarded || hasMoved else {
      throw ArtError(.inputOutput, "\(name) cannot be examined before it is saved", about: name)
    }
  }

  /// Whether the file's structure is valid. SQLite calls this before it uses the free list.
  private func verify() -> Bool {
    do throws(ArtError) {
      try PageMap.verify(self)
      return true
    } catch {
      structureFault = error
      return false
    }
  }

  /// Whether another file was copied over this one during a save, so that nothing of the save is written.
  var isCopiedOver: Bool { connection_is_copied_over(handle) }

  /// Whether this is a database that is being built in memory, so that no file has its structure.
  var isBeingMade: Bool { isInMemory && !isReadOnly }

  /// Whether the header says that a save was interrupted.
  var isHalfSaved: Bool { connection_is_half_saved(handle) }

  /// Whether the file is no longer the one at its path.
  var hasMoved: Bool { connection_has_moved(handle) }

  /// SQLite's descriptor of the file, only to look at; -1 for a database in memory.
  var descriptor: Int32 { connection_descriptor(handle) }

  /// Bytes of the file, without a second descriptor; fewer if the file ends.
  func bytes(count: Int, at offset: Int) throws(ArtError) -> [UInt8] {
    var size: sqlite3_int64 = 0
    try check(connection_size(handle, &size))
    let count = min(count, max(0, Int(size) - offset))
    guard count > 0 else { return [] }
    // Another program may make the file larger than a document after it was looked at.
    guard let length = Int32(exactly: count) else { throw .tooLargeFile(name) }
    var code = SQLITE_OK
    let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
      code = connection_read(handle, buffer.baseAddress, length, sqlite3_int64(offset))
      filled = code == SQLITE_OK ? count : 0
    }
    try check(code)
    return bytes
  }

  /// The digest of the whole file, which is not in memory as a whole.
  func digest() throws(ArtError) -> String {
    var offset = 0
    return try ContentDigest.of(pieces: { () throws(ArtError) in
      let piece = try bytes(count: 1 << 20, at: offset)
      offset += piece.count
      return piece
    })
  }

  /// The most rows that fit into the file: a row takes at least a pointer of 2 bytes and a cell of 4. Pages
  /// that refer to each other in a circle would give endless rows.
  var maximumRows: Int { get throws(ArtError) { isBeingMade ? .max : try size / 6 + 1 } }

  /// Fills the buffer with bytes of the file. Throws `damaged` if the file ends before.
  func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int) throws(ArtError) {
    guard let count = Int32(exactly: buffer.count) else { throw .tooLargeFile(name) }
    let code = connection_read(handle, buffer.baseAddress, count, sqlite3_int64(offset))
    guard code != ART_IOERR_SHORT_READ else { throw .damaged(name, "pages are missing at its end") }
    try check(code)
  }

  /// The size of the file, in bytes.
  var size: Int {
    get throws(ArtError) {
      var size: sqlite3_int64 = 0
      try check(connection_size(handle, &size))
      return Int(size)
    }
  }
}

// MARK: - Failures

/// SQLite's extended result code, with the system's error number.
struct SQLiteFailure {
  let code: Int32
  let systemError: Int32

  /// The error for users of the document.
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
        "cannot read or write \(name): \(String(cString: sqlite3_errstr(code))) (SQLite \(code))\(cause)",
        about: name)
    }
  }
}

/// The SQLite library that is linked into this program. If it is linked statically, updates of the system do
/// not change it.
public enum SQLiteLibrary {
  /// The version, such as `3.40.1`.
  public static var version: String { String(cString: sqlite3_libversion()) }
}

// MARK: - Deadlines

/// The time until which a call waits for a locked document.
final class Deadline {
  private let end: ContinuousClock.Instant

  init(_ timeout: Duration) { end = .now + timeout }

  var isOver: Bool { ContinuousClock.now >= end }

  /// Sleeps a little, longer with more tries, and returns false once the deadline is over. The random part
  /// keeps several waiters from waking together.
  func wait(_ tries: Int) -> Bool {
    guard !isOver else { return false }
    usleep(.random(in: 200...min(10_000, 500 << UInt32(min(tries, 5)))))
    return true
  }

  var context: UnsafeMutableRawPointer { Unmanaged.passUnretained(self).toOpaque() }

  /// SQLite's busy handler; the connection that installs it keeps the deadline alive.
  static func wait(_ context: UnsafeMutableRawPointer?, _ tries: Int32) -> Int32 {
    guard let context else { return 0 }
    return Unmanaged<Deadline>.fromOpaque(context).takeUnretainedValue().wait(Int(tries)) ? 1 : 0
  }
}
