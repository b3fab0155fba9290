// SPDX-License-Identifier: Apache-2.0

import ArtModel
import CStore
import Dispatch
import Glibc
import Synchronization

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

/// Keeps this process from holding a lock while it is stopped: every other program would wait for the lock until this one
/// is continued. Each opening of a file that may lock it is inside the gate; the process is stopped only while the gate is
/// closed and no thread is inside.
///
///               enter, leave                           close: threads outside wait, threads inside go on
///       ┌──── open, n inside ────────────────────────────────▶ closed, n inside
///       │        ▲                                                   │ the last thread leaves
///       │        └─── open: the waiting threads enter ◀──────── closed, nobody inside: the process may be stopped
///       └─ leave, enter
///
/// A thread that is inside may enter again: an edit that restores a journal first opens more than one connection.
public final class FileGate: Sendable {
  /// The gate of this process. Every connection to a file, and every file that is read by hand, goes through it.
  public static let shared = FileGate()

  private struct State {
    var isClosed = false
    /// How many openings each thread has, and whether a signal is unblocked when it has none any more.
    var inside: [pthread_t: (count: Int, unblocks: Bool)] = [:]
    var waiting: [DispatchSemaphore] = []
    var delayed: Int32?
  }

  private let state = Mutex(State())
  private let idle = Waiters()

  /// An open gate.
  init() {}

  /// Threads that wait to enter.
  package var waitingThreads: Int { state.withLock(\.waiting.count) }
  /// Tasks that wait until no thread is inside.
  var waitingTasks: Int { idle.count }

  /// From here on that signal waits while the thread that would take it is inside. For a program with one thread that takes
  /// signals: Ctrl-Z then stops it when the file is closed.
  public func delay(_ signal: Int32) { state.withLock { $0.delayed = signal } }

  /// Lets no thread enter from here on. Threads that are inside go on: see `waitUntilIdle`.
  public func close() { state.withLock { $0.isClosed = true } }

  /// Returns when no thread is inside, the gate is open again, or the task is cancelled.
  public func waitUntilIdle() async {
    while !Task.isCancelled {
      let ticket = idle.ticket
      guard state.withLock({ $0.isClosed && !$0.inside.isEmpty }) else { return }
      await idle.wait(ticket)
    }
  }

  /// Lets the threads enter that wait, and all others.
  public func open() {
    let waiting = state.withLock { state in
      state.isClosed = false
      defer { state.waiting = [] }
      return state.waiting
    }
    for thread in waiting { thread.signal() }
    idle.release()
  }

  /// An opening of a file, from its beginning to its end. The thread that makes it waits while the gate is closed.
  final class Pass {
    private let gate: FileGate
    private let thread = pthread_self()

    init(_ gate: FileGate = .shared) {
      self.gate = gate
      gate.enter(thread)
    }

    deinit { gate.leave(thread) }
  }

  private func enter(_ thread: pthread_t) {
    while true {
      let semaphore = state.withLock { state -> DispatchSemaphore? in
        if let inside = state.inside[thread] {
          state.inside[thread] = (inside.count + 1, inside.unblocks)
          return nil
        }
        guard state.isClosed else {
          state.inside[thread] = (1, state.delayed.map(Self.block) ?? false)
          return nil
        }
        let semaphore = DispatchSemaphore(value: 0)
        state.waiting.append(semaphore)
        return semaphore
      }
      guard let semaphore else { return }
      semaphore.wait()
    }
  }

  private func leave(_ thread: pthread_t) {
    let (isIdle, unblocked) = state.withLock { state -> (Bool, Int32?) in
      guard let inside = state.inside[thread] else { return (false, nil) }
      guard inside.count == 1 else {
        state.inside[thread] = (inside.count - 1, inside.unblocks)
        return (false, nil)
      }
      state.inside[thread] = nil
      return (state.inside.isEmpty, inside.unblocks ? state.delayed : nil)
    }
    if isIdle { idle.release() }
    // A connection is used and closed by one thread; the mask of another one is not touched.
    if let unblocked, thread == pthread_self() { Self.unblock(unblocked) }
  }

  /// Blocks a signal in this thread; false where it was blocked already.
  private static func block(_ signal: Int32) -> Bool {
    var (set, before) = (sigset_t(), sigset_t())
    sigemptyset(&set)
    sigaddset(&set, signal)
    guard pthread_sigmask(SIG_BLOCK, &set, &before) == 0 else { return false }
    return sigismember(&before, signal) == 0
  }

  /// A signal that has come meanwhile is obeyed here.
  private static func unblock(_ signal: Int32) {
    var set = sigset_t()
    sigemptyset(&set)
    sigaddset(&set, signal)
    pthread_sigmask(SIG_UNBLOCK, &set, nil)
  }
}
