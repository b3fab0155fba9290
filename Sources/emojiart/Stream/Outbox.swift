// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtSystem
import Dispatch
import Glibc
import Synchronization

/// Lines that are to be written between answers, put in by any thread, taken out by the one that writes. It holds so
/// many bytes at most: when more come, one line that says so takes the place of them all. It also tells that thread
/// whether it may read on.
final class Outbox: Sendable {
  private struct Contents {
    var lines: [UInt8] = []
    var late: [UInt8] = []
    var isOpen = true
    var isTerminalNew = true
    var waiters: [DispatchSemaphore] = []
  }

  private static let limit = 4 << 20

  let wakeup: WakeupPipe
  private let contents = Mutex(Contents())
  private let overflow: [UInt8]

  /// `overflow` is the line that takes the place of what was too much. Throws `inputOutput`.
  init(overflow: [UInt8]) throws(ArtError) {
    self.overflow = overflow
    wakeup = try WakeupPipe.made()
  }

  /// Puts in whole lines, and wakes the one who writes, without any, too.
  func put(_ lines: [UInt8]) {
    contents.withLock { contents in
      if contents.lines.count + lines.count > Self.limit {
        contents.lines = overflow
      } else {
        contents.lines.append(contentsOf: lines)
      }
    }
    wakeup.wake()
  }

  /// Puts in an answer that was long in coming: it is never left out, and there are few.
  func putLate(_ line: [UInt8]) {
    contents.withLock { $0.late.append(contentsOf: line) }
    wakeup.wake()
  }

  /// What was there when it was taken out. Who takes it lets the waiters go when it is written.
  struct Taken {
    var lines: [UInt8]
    var late: [UInt8]
    var waiters: [DispatchSemaphore]
    var isTerminalNew: Bool
  }

  func take() -> Taken {
    contents.withLock { contents in
      defer {
        (contents.lines, contents.late, contents.waiters, contents.isTerminalNew) = ([], [], [], false)
      }
      return Taken(
        lines: contents.lines, late: contents.late, waiters: contents.waiters,
        isTerminalNew: contents.isTerminalNew)
    }
  }

  /// The terminal may have become another: its size, its mode, or who it belongs to.
  func noteTerminal() {
    contents.withLock { $0.isTerminalNew = true }
    wakeup.wake()
  }

  /// Waits until what was put in is written, that long at most.
  func waitUntilWritten(atMost time: DispatchTimeInterval) {
    let waiter = DispatchSemaphore(value: 0)
    contents.withLock { $0.waiters.append(waiter) }
    wakeup.wake()
    _ = waiter.wait(timeout: .now() + time)
  }

  /// Whether more is to be read.
  var isOpen: Bool {
    get { contents.withLock { $0.isOpen } }
    set {
      contents.withLock { $0.isOpen = newValue }
      wakeup.wake()
    }
  }
}

extension WakeupPipe {
  /// Makes one. Throws `inputOutput`.
  static func made() throws(ArtError) -> WakeupPipe {
    do throws(SystemError) { return try WakeupPipe() } catch {
      throw ArtError(.inputOutput, "cannot make a pipe: \(error.text)")
    }
  }
}
