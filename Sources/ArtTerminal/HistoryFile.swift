// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtSystem
import Glibc

/// The history of the prompt: a text file that several programs append to. Its folder must exist.
///
/// An append is one write under a shared lock, so appends do not wait for each other. Truncating the file to
/// its limit needs the exclusive lock, and replaces the file.
package struct HistoryFile {
  package let path: String
  /// The bytes that are read, the newest ones; a file of twice this size is truncated.
  package var byteLimit: Int
  package var lineLimit: Int

  /// Creates a history at a path.
  package init(path: String, byteLimit: Int = 1 << 20, lineLimit: Int = LineEditor.historyLimit) {
    (self.path, self.byteLimit, self.lineLimit) = (path, byteLimit, lineLimit)
  }

  /// The newest lines, oldest first; empty when there is no file. Skips lines that are not UTF-8 or are too
  /// long. Throws `inputOutput`.
  package func load() throws(ArtError) -> [String] {
    let file = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
    guard file >= 0 else {
      if errno == ENOENT { return [] }
      throw failure("read")
    }
    defer { close(file) }
    return try lines(of: file)
  }

  /// Adds a line, which must not contain line breaks. Throws `inputOutput`.
  package func append(_ line: String) throws(ArtError) {
    let file = try openLocked(LOCK_SH)
    defer { close(file) }
    try write(line + "\n", in: file)
    if try size(of: file) > byteLimit * 2 {
      // The lock belongs to the open file: an exclusive one would wait for this one.
      flock(file, LOCK_UN)
      try truncate()
    }
  }

  private func truncate() throws(ArtError) {
    let file = try openLocked(LOCK_EX)
    defer { close(file) }
    // Another program may have truncated it meanwhile.
    guard try size(of: file) > byteLimit * 2 else { return }
    let kept = try lines(of: file).map { $0 + "\n" }.joined()
    let new = path + ".new"
    unlink(new)
    let other = open(new, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard other >= 0 else { throw failure("write") }
    defer { close(other) }
    try write(kept, in: other)
    guard rename(new, path) == 0 else { throw failure("write") }
  }

  /// One write, so that lines of several programs do not mix.
  private func write(_ text: String, in file: Int32) throws(ArtError) {
    let bytes = Array(text.utf8)
    let count = Glibc.write(file, bytes, bytes.count)
    guard count >= 0 else { throw failure("write") }
    guard count == bytes.count else { throw failure("write", "the disk is full") }
  }

  /// Opens and locks the file at the path; tries again if it was replaced while this waited, because lines of
  /// the old file would be lost.
  private func openLocked(_ lock: Int32) throws(ArtError) -> Int32 {
    while true {
      let file = open(path, O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0o600)
      guard file >= 0 else { throw failure("write") }
      while flock(file, lock) != 0 {
        guard errno == EINTR else {
          defer { close(file) }
          throw failure("lock")
        }
      }
      var (mine, there) = (stat(), stat())
      let isThere = lstat(path, &there) == 0
      if isThere, fstat(file, &mine) == 0, mine.st_ino == there.st_ino, mine.st_dev == there.st_dev {
        return file
      }
      close(file)
    }
  }

  private func size(of file: Int32) throws(ArtError) -> Int {
    var status = stat()
    guard fstat(file, &status) == 0 else { throw failure("read") }
    guard status.st_mode & S_IFMT == S_IFREG else { throw failure("read", "it is no regular file") }
    return Int(status.st_size)
  }

  private func lines(of file: Int32) throws(ArtError) -> [String] {
    let start = max(0, try size(of: file) - byteLimit)
    var bytes: [UInt8] = []
    var piece = [UInt8](repeating: 0, count: 1 << 16)
    while bytes.count < byteLimit {
      let count = pread(file, &piece, min(piece.count, byteLimit - bytes.count), off_t(start + bytes.count))
      guard count >= 0 else { throw failure("read") }
      if count == 0 { break }
      bytes += piece.prefix(count)
    }
    // The first line may be incomplete.
    let whole = start == 0 ? bytes[...] : bytes.drop { $0 != UInt8(ascii: "\n") }
    return whole.split(separator: UInt8(ascii: "\n")).suffix(lineLimit).compactMap { line in
      line.count <= LineEditor.byteLimit ? String(validating: line, as: UTF8.self) : nil
    }
  }

  private func failure(_ verb: String, _ cause: String = SystemError.text(of: errno)) -> ArtError {
    ArtError(
      .inputOutput, "cannot \(verb) the history \(path): \(cause); lines are kept for this session only",
      about: path)
  }
}
