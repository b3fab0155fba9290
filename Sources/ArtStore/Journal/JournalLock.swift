// SPDX-License-Identifier: Apache-2.0

import ArtModel
import Glibc

/// The lock of a journal, held by `flock` on its lock file while this lives. Who edits holds it alone, and who
/// restores does; who only looks shares it with others that look.
///
/// A lock file may be unlinked by who holds it. A lock on an unlinked file locks nothing, so that what was locked is
/// compared with what stands at the path.
final class JournalLock: Sendable {
  let path: String
  private let descriptor: Int32

  private init(path: String, descriptor: Int32) {
    self.path = path
    self.descriptor = descriptor
  }

  deinit {
    // A child that was forked just now may have the descriptor, too, until it runs its program: closing ours alone
    // would leave the lock with it.
    flock(descriptor, LOCK_UN)
    close(descriptor)
  }

  /// Makes the lock file and locks it. Waits for those who have a look at it.
  static func create(_ path: String) throws(ArtError) -> JournalLock {
    while true {
      let lock = try JournalLock(opening: path, O_RDWR | O_CREAT)
      while flock(lock.descriptor, LOCK_EX) != 0 {
        guard errno == EINTR else { throw .system("lock", path) }
      }
      if try lock.isAtPath() { return lock }
    }
  }

  /// Tries to have the lock of a program that is gone, until the deadline while others look at its journal, and, where
  /// `waitsForHolder` says so, while somebody has it alone.
  static func acquire(
    _ path: String, creating: Bool, _ deadline: Deadline, waitsForHolder: Bool = false
  ) throws(ArtError) -> Attempt {
    var tries = 0
    while true {
      let attempt = try attempt(path, creating ? O_RDWR | O_CREAT : O_RDWR)
      switch attempt {
      case .acquired, .missing: return attempt
      case .lockedExclusively: guard waitsForHolder, deadline.wait(tries) else { return attempt }
      case .lockedShared: guard deadline.wait(tries) else { return attempt }
      }
      tries += 1
    }
  }

  /// What became of trying to have a lock.
  enum Attempt {
    case acquired(JournalLock)
    /// There is no such file.
    case missing
    /// Its program lives, or somebody restores its journal.
    case lockedExclusively
    /// Others have a look at it, or it was replaced just now.
    case lockedShared

    /// The lock, if it could be had.
    var lock: JournalLock? { if case .acquired(let lock) = self { lock } else { nil } }
  }

  private static func attempt(_ path: String, _ flags: Int32) throws(ArtError) -> Attempt {
    guard let lock = try existing(path, flags) else { return .missing }
    if try lock.tryLock(LOCK_EX) { return try lock.isAtPath() ? .acquired(lock) : .lockedShared }
    return try lock.tryLock(LOCK_SH) ? .lockedShared : .lockedExclusively
  }

  /// Shares the lock of a program that is gone; writes nothing.
  static func share(_ path: String) throws(ArtError) -> Attempt {
    guard let lock = try existing(path, O_RDONLY) else { return .missing }
    guard try lock.tryLock(LOCK_SH) else { return .lockedExclusively }
    return try lock.isAtPath() ? .acquired(lock) : .lockedShared
  }

  /// Writes whose lock it is, and of which document, as the head of a segment 0: for who finds the lock alone.
  func write(_ head: JournalHead) throws(ArtError) {
    var lines = JournalLines()
    lines.append(head, segment: 0)
    guard ftruncate(descriptor, 0) == 0, lseek(descriptor, 0, SEEK_SET) == 0 else {
      throw .system("write", path)
    }
    try PlainFile.write(lines.bytes, to: descriptor, name: path)
  }

  /// Unlinks the lock file. The lock is held until this goes: who waits for it finds that it stands no longer.
  func unlink() throws(ArtError) {
    guard Glibc.unlink(path) == 0 || errno == ENOENT else { throw .system("remove", path) }
  }

  /// Whether the locked file is the one at the path.
  func isAtPath() throws(ArtError) -> Bool {
    var locked = stat()
    var atPath = stat()
    guard fstat(descriptor, &locked) == 0 else { throw .system("look at", path) }
    guard lstat(path, &atPath) == 0 else {
      guard errno == ENOENT else { throw .system("look at", path) }
      return false
    }
    return locked.st_dev == atPath.st_dev && locked.st_ino == atPath.st_ino
  }

  private convenience init(opening path: String, _ flags: Int32) throws(ArtError) {
    let descriptor = open(path, flags | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0o600)
    guard descriptor >= 0 else { throw .system("open", path) }
    self.init(path: path, descriptor: descriptor)
  }

  private static func existing(_ path: String, _ flags: Int32) throws(ArtError) -> JournalLock? {
    do {
      return try JournalLock(opening: path, flags)
    } catch {
      guard error.code == .noSuchDocument else { throw error }
      return nil
    }
  }

  /// Whether the lock could be had at once.
  private func tryLock(_ kind: Int32) throws(ArtError) -> Bool {
    while flock(descriptor, kind | LOCK_NB) != 0 {
      if errno == EWOULDBLOCK { return false }
      guard errno == EINTR else { throw .system("lock", path) }
    }
    return true
  }
}
