// SPDX-License-Identifier: Apache-2.0

import Glibc

/// Wakes a thread that waits in poll(2), however often it is woken before it looks. For one that lives as long as the program.
public struct WakeupPipe: Sendable {
  /// Readable when it was woken.
  public let readEnd: Int32
  private let writeEnd: Int32

  /// Makes one. Throws what pipe(2) says.
  public init() throws(SystemError) {
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else { throw SystemError("pipe") }
    for end in ends {
      _ = fcntl(end, F_SETFL, O_NONBLOCK)
      _ = fcntl(end, F_SETFD, FD_CLOEXEC)
    }
    (readEnd, writeEnd) = (ends[0], ends[1])
  }

  /// May be called by any thread. A full pipe wakes as well as it can.
  public func wake() { _ = write(writeEnd, [1], 1) }

  /// Has it wait for the next `wake`.
  public func clear() {
    var bytes = [UInt8](repeating: 0, count: 256)
    while read(readEnd, &bytes, bytes.count) > 0 {}
  }
}
