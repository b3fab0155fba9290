// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Glibc
import Synchronization

/// Lines that are to be written between answers, put in by any thread, taken out by the one that writes. It holds so
/// many bytes at most: when more come, one line that says so takes the place of them all.
final class Outbox: Sendable {
  private struct Contents {
    var lines: [UInt8] = []
    var isEnding = false
    var waiters: [DispatchSemaphore] = []
  }

  private static let limit = 4 << 20
  private static let resync = Array("{\"resync\":true}\n".utf8)

  private let contents = Mutex(Contents())
  private let bell: Bell

  init(_ bell: Bell) { self.bell = bell }

  /// Puts in lines, each with its line break.
  func put(_ lines: [UInt8]) {
    contents.withLock { contents in
      if contents.lines.count + lines.count > Self.limit {
        contents.lines = Self.resync
      } else {
        contents.lines.append(contentsOf: lines)
      }
    }
    bell.ring()
  }

  /// Takes out what is there. Whoever waits for it is let go by `written`.
  func take() -> (lines: [UInt8], waiters: [DispatchSemaphore]) {
    contents.withLock { contents in
      defer { (contents.lines, contents.waiters) = ([], []) }
      return (contents.lines, contents.waiters)
    }
  }

  /// The program ends: nothing more is read.
  func end() {
    contents.withLock { $0.isEnding = true }
    bell.ring()
  }

  var isEnding: Bool { contents.withLock { $0.isEnding } }

  /// Waits until what was put in is written, that long at most.
  func waitUntilWritten(atMost time: DispatchTimeInterval) {
    let waiter = DispatchSemaphore(value: 0)
    contents.withLock { $0.waiters.append(waiter) }
    bell.ring()
    _ = waiter.wait(timeout: .now() + time)
  }
}

/// Wakes a thread that waits in `poll`.
struct Bell: Sendable {
  /// Readable when it was rung.
  let ear: Int32
  private let mouth: Int32

  init() {
    var ends: [Int32] = [-1, -1]
    // Without descriptors nothing rings, and nothing can be opened either.
    if pipe(&ends) == 0 {
      for end in ends {
        _ = fcntl(end, F_SETFL, O_NONBLOCK)
        _ = fcntl(end, F_SETFD, FD_CLOEXEC)
      }
    }
    (ear, mouth) = (ends[0], ends[1])
  }

  /// May be called by any thread. One that is rung already stays so.
  func ring() { _ = write(mouth, [1], 1) }

  /// Makes it still.
  func hush() {
    var bytes = [UInt8](repeating: 0, count: 256)
    while read(ear, &bytes, bytes.count) > 0 {}
  }
}
