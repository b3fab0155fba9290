// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtSystem
import Glibc

/// The lock of a journal: `flock` on its lock file, released in `deinit`. A program that edits or restores
/// has it exclusively; programs that read share it.
///
/// The owner may unlink the file. A lock on an unlinked file excludes no program, so after locking the file is
/// compared with the one at the path.
final class JournalLock: Sendable {
  let path: String
  private let descriptor: Int32

  private init(path: String, descriptor: Int32) {
    self.path = path
    self.descriptor = descriptor
  }

  deinit {
    // A child process that was just forked may have the descriptor, too, until it executes its program.
    // Closing ours alone would leave the lock with it.
    flock(descriptor, LOCK_UN)
    close(descriptor)
  }

  /// Creates and locks the lock file, in a folder that is made if it is missing. Waits for programs that read it.
  static func create(_ path: String) throws(ArtError) -> JournalLock {
    let folder = FilePath(path).folder
    var tries = 0
    while true {
      guard mkdir(folder, 0o700) == 0 || errno == EEXIST else { throw .system("make the folder", folder) }
      // Until the file is in it, another program may remove the folder.
      guard let lock = try existing(path, O_RDWR | O_CREAT) else {
        tries += 1
        guard tries < 1_000 else { throw .system("make the folder", folder, ENOTDIR) }
        continue
      }
      while flock(lock.descriptor, LOCK_EX) != 0 {
        guard errno == EINTR else { throw .system("lock", path) }
      }
      if try lock.isAtPath() { return lock }
    }
  }

  /// Tries to lock an orphaned journal exclusively. Waits until the deadline while others share the lock, and
  /// with `waitsForHolder`, also while another has it exclusively.
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

  /// The outcome of trying to lock.
  enum Attempt {
    case acquired(JournalLock)
    /// There is no lock file.
    case missing
    /// Its program runs, or another program restores the journal.
    case lockedExclusively
    /// Other programs read the journal, or the lock file was just replaced.
    case lockedShared

    /// The lock, if it was acquired.
    var lock: JournalLock? { if case .acquired(let lock) = self { lock } else { nil } }
  }

  private static func attempt(_ path: String, _ flags: Int32) throws(ArtError) -> Attempt {
    guard let lock = try existing(path, flags) else { return .missing }
    if try lock.tryLock(LOCK_EX) { return try lock.isAtPath() ? .acquired(lock) : .lockedShared }
    return try lock.tryLock(LOCK_SH) ? .lockedShared : .lockedExclusively
  }

  /// Shares the lock of an orphaned journal. Writes nothing.
  static func share(_ path: String) throws(ArtError) -> Attempt {
    guard let lock = try existing(path, O_RDONLY) else { return .missing }
    guard try lock.tryLock(LOCK_SH) else { return .lockedExclusively }
    return try lock.isAtPath() ? .acquired(lock) : .lockedShared
  }

  /// Writes the journal's head into the lock file, as that of segment 0, for programs that find no segment.
  func write(_ head: JournalHead) throws(ArtError) {
    var lines = JournalLines()
    lines.append(head, segment: 0)
    guard ftruncate(descriptor, 0) == 0, lseek(descriptor, 0, SEEK_SET) == 0 else {
      throw .system("write", path)
    }
    try PlainFile.write(lines.bytes, to: descriptor, name: path)
  }

  /// Unlinks the lock file. The lock is kept until `deinit`; programs that wait for it then find that the
  /// file is no longer at the path.
  func unlink() throws(ArtError) {
    guard Glibc.unlink(path) == 0 || errno == ENOENT else { throw .system("remove", path) }
  }

  /// Whether the locked file is still the one at the path.
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

  /// Whether the file could be locked without waiting.
  private func tryLock(_ kind: Int32) throws(ArtError) -> Bool {
    while flock(descriptor, kind | LOCK_NB) != 0 {
      if errno == EWOULDBLOCK { return false }
      guard errno == EINTR else { throw .system("lock", path) }
    }
    return true
  }
}
