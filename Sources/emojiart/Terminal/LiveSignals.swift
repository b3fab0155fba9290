// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtSystem
import ArtTerminal
import ArtWorkspace
import Glibc
import Synchronization

/// Signals for the drawing thread: those that end or stop programs, and changes of the window's size.
final class LiveSignals: Sendable {
  /// Seconds that the drawing thread has for ending. It may wait for a file or folder that does not respond.
  private static let timeout: UInt32 = 2

  private let wakeup: WakeupPipe
  private let mode: TerminalMode
  private let received = Mutex<[Int32]>([])

  /// Blocks the signals in this thread and all later ones, and starts the thread that handles them. Throws
  /// `inputOutput`.
  init(_ wakeup: WakeupPipe, _ mode: TerminalMode) throws(ArtError) {
    (self.wakeup, self.mode) = (wakeup, mode)
    let source = SignalSource(SignalSource.endings + [SIGTSTP, SIGCONT, SIGWINCH])
    do throws(SystemError) {
      try source.follow { self.note($0) }
    } catch {
      throw .noThread(error)
    }
  }

  /// Removes and returns the signals received, in their order.
  func drain() -> [Int32] {
    received.withLock { received in
      defer { received = [] }
      return received
    }
  }

  /// Whether a signal was received that must interrupt the writing of a drawing.
  var isUrgent: Bool {
    received.withLock { $0.contains { $0 == SIGTSTP || SignalSource.endings.contains($0) } }
  }

  private func note(_ number: Int32) {
    // Each kind of signal is kept once.
    received.withLock { if !$0.contains(number) { $0.append(number) } }
    wakeup.wake()
    if SignalSource.endings.contains(number) { end(by: number) }
  }

  /// Ends this process if the drawing thread does not.
  private func end(by number: Int32) -> Never {
    sleep(Self.timeout)
    let mode = mode
    // The terminal may block.
    _ = Outcome { mode.restore() }.wait(atMost: .milliseconds(200))
    SignalSource.die(of: number)
  }
}
