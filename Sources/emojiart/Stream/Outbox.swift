// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtSystem
import Dispatch
import Glibc
import Synchronization

/// Lines to be written between answers: any thread adds them, and the writing thread removes them. When the lines
/// exceed the capacity, one line replaces them all. The outbox also tells the writing thread whether it may continue
/// reading.
final class Outbox: Sendable {
  private struct Contents {
    var lines: [UInt8] = []
    /// The document's version after the last line that has one.
    var version = 0
    var late: [UInt8] = []
    var isOpen = true
    var isTerminalNew = true
    var waiters: [DispatchSemaphore] = []
  }

  private static let limit = 4 << 20

  let wakeup: WakeupPipe
  private let contents = Mutex(Contents())
  private let overflow: @Sendable (Int) -> [UInt8]

  /// `overflow` returns the line that replaces lines beyond the capacity, up to a version of the document. Throws
  /// `inputOutput`.
  init(overflow: @escaping @Sendable (Int) -> [UInt8]) throws(ArtError) {
    self.overflow = overflow
    wakeup = try WakeupPipe.create()
  }

  /// Adds whole lines and wakes the writing thread, even if there are none.
  func put(_ lines: [UInt8], version: Int? = nil) {
    contents.withLock { contents in
      contents.version = version ?? contents.version
      if contents.lines.count + lines.count > Self.limit {
        contents.lines = overflow(contents.version)
      } else {
        contents.lines.append(contentsOf: lines)
      }
    }
    wakeup.wake()
  }

  /// Adds a delayed answer. It is never dropped; there are few of them.
  func putLate(_ line: [UInt8]) {
    contents.withLock { $0.late.append(contentsOf: line) }
    wakeup.wake()
  }

  /// The content of one read. The reader releases the waiters after it has written the lines.
  struct Batch {
    var lines: [UInt8]
    var late: [UInt8]
    var waiters: [DispatchSemaphore]
    var isTerminalNew: Bool
  }

  func drain() -> Batch {
    contents.withLock { contents in
      defer {
        (contents.lines, contents.late, contents.waiters, contents.isTerminalNew) = ([], [], [], false)
      }
      return Batch(
        lines: contents.lines, late: contents.late, waiters: contents.waiters,
        isTerminalNew: contents.isTerminalNew)
    }
  }

  /// Notes that the terminal may have changed: its size, its mode, or its foreground process.
  func noteTerminal() {
    contents.withLock { $0.isTerminalNew = true }
    wakeup.wake()
  }

  /// Waits until all lines are written, with a timeout.
  func waitUntilWritten(atMost time: DispatchTimeInterval) {
    let waiter = DispatchSemaphore(value: 0)
    contents.withLock { $0.waiters.append(waiter) }
    wakeup.wake()
    _ = waiter.wait(timeout: .now() + time)
  }

  /// Whether reading may continue.
  var isOpen: Bool {
    get { contents.withLock { $0.isOpen } }
    set {
      contents.withLock { $0.isOpen = newValue }
      wakeup.wake()
    }
  }
}

extension WakeupPipe {
  /// Creates a pipe. Throws `inputOutput`.
  static func create() throws(ArtError) -> WakeupPipe {
    do throws(SystemError) { return try WakeupPipe() } catch {
      throw ArtError(.inputOutput, "cannot make a pipe: \(error.text)")
    }
  }
}
