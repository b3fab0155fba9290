// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtStore
import Glibc

/// A file that another one is to take the place of. It is held open, so that its number goes to no other file meanwhile.
final class OldFile: Sendable {
  private static let headBytes = 1024

  /// Its first bytes.
  let head: [UInt8]
  /// Who may do what with it.
  let rights: FileRights
  private let state: State
  private let descriptor: Int32

  /// What makes it the one that was looked at.
  private struct State: Equatable {
    let device: dev_t
    let number: ino_t
    let size: off_t
    let seconds: time_t
    let nanoseconds: Int

    init(_ status: stat) {
      (device, number, size) = (status.st_dev, status.st_ino, status.st_size)
      (seconds, nanoseconds) = (status.st_mtim.tv_sec, status.st_mtim.tv_nsec)
    }
  }

  /// Looks at it; `path` is how a person called it. Throws what `notSaved` says.
  init(_ target: String, _ path: String) throws(ArtError) {
    let descriptor = open(target, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)
    guard descriptor >= 0 else { throw .notSaved(as: path, errno) }
    var status = stat()
    var head = [UInt8](repeating: 0, count: Self.headBytes)
    let count = fstat(descriptor, &status) == 0 ? read(descriptor, &head, head.count) : -1
    guard count >= 0 else {
      let number = errno
      PlainFile.close(descriptor)
      throw .notSaved(as: path, number)
    }
    do throws(ArtError) {
      rights = try FileRights(of: descriptor, status, name: path)
    } catch {
      PlainFile.close(descriptor)
      throw error
    }
    self.head = Array(head.prefix(count))
    state = State(status)
    self.descriptor = descriptor
  }

  deinit { PlainFile.close(descriptor) }

  /// Whether it is still there, and nobody wrote to it.
  func isUnchanged(at target: String) -> Bool {
    var status = stat()
    return lstat(target, &status) == 0 && State(status) == state
  }
}

extension OldFile: Equatable {
  static func == (one: OldFile, other: OldFile) -> Bool { one === other }
}
