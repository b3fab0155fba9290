// SPDX-License-Identifier: Apache-2.0

import CStore
import Glibc

/// Until when a locked document is waited for.
final class Deadline {
  private let end: ContinuousClock.Instant

  init(_ timeout: Duration) { end = .now + timeout }

  var isOver: Bool { ContinuousClock.now >= end }

  /// Sleeps a little longer each time, never past the end. Chance keeps many waiters from waking together.
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
