// SPDX-License-Identifier: Apache-2.0

import ArtModel
import CStore
import Dispatch
import Glibc
import Synchronization

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

// MARK: - The gate for stopping

/// Keeps this process from being stopped (Ctrl-Z) while it has a lock: every other program would wait for it. Each use of a
/// file that may lock it is inside the gate; the process is stopped only while the gate is closed and no thread is inside.
///
///               enter, leave                           close: threads outside wait, threads inside go on
///       ┌──── open, n inside ────────────────────────────────▶ closed, n inside
///       │        ▲                                                   │ the last thread leaves
///       │        └─── open: the waiting threads enter ◀──────── closed, none inside: the process may be stopped
///       └─ leave, enter
///
/// A thread inside may enter again: an edit that restores a journal first opens several connections.
public final class FileGate: Sendable {
  /// The gate of this process. Every connection to a file, and every plain file access that locks, goes
  /// through it.
  public static let shared = FileGate()

  private struct State {
    var isClosed = false
    /// The number of passes of each thread, and whether its signal is unblocked when it has none left.
    var inside: [pthread_t: (count: Int, unblocks: Bool)] = [:]
    var waiting: [DispatchSemaphore] = []
    var delayed: Int32?
  }

  private let state = Mutex(State())
  private let idle = Waiters()

  /// An open gate.
  init() {}

  /// The number of threads that wait to enter.
  package var waitingThreads: Int { state.withLock(\.waiting.count) }
  /// The number of tasks that wait until no thread is inside.
  var waitingTasks: Int { idle.count }

  /// Delays a signal while the thread that would receive it is inside. For a program with one thread that
  /// receives signals: Ctrl-Z then stops it when the file is closed.
  public func delay(_ signal: Int32) { state.withLock { $0.delayed = signal } }

  /// Closes the gate: no thread enters. Threads inside go on: see `waitUntilIdle`.
  public func close() { state.withLock { $0.isClosed = true } }

  /// Returns when no thread is inside, the gate is open again, or the task is cancelled.
  public func waitUntilIdle() async {
    while !Task.isCancelled {
      let ticket = idle.ticket
      guard state.withLock({ $0.isClosed && !$0.inside.isEmpty }) else { return }
      await idle.wait(ticket)
    }
  }

  /// Opens the gate, and wakes the threads that wait to enter.
  public func open() {
    let waiting = state.withLock { state in
      state.isClosed = false
      defer { state.waiting = [] }
      return state.waiting
    }
    for thread in waiting { thread.signal() }
    idle.release()
  }

  /// The use of a file, from opening to closing. `init` blocks while the gate is closed.
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
    // A connection is used and closed by one thread. The signal mask of another thread is not changed.
    if let unblocked, thread == pthread_self() { Self.unblock(unblocked) }
  }

  /// Blocks a signal in this thread; false if it was blocked already.
  private static func block(_ signal: Int32) -> Bool {
    var (set, before) = (sigset_t(), sigset_t())
    sigemptyset(&set)
    sigaddset(&set, signal)
    guard pthread_sigmask(SIG_BLOCK, &set, &before) == 0 else { return false }
    return sigismember(&before, signal) == 0
  }

  /// Unblocks a signal in this thread. If it is pending, it is delivered here.
  private static func unblock(_ signal: Int32) {
    var set = sigset_t()
    sigemptyset(&set)
    sigaddset(&set, signal)
    pthread_sigmask(SIG_UNBLOCK, &set, nil)
  }
}
