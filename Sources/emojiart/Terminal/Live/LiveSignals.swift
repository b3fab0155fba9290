// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtSystem
import ArtTerminal
import ArtWorkspace
import Glibc
import Synchronization

/// Signals on their way to the thread that draws: one that ends programs, one that stops them, the window's size.
final class LiveSignals: Sendable {
  /// Seconds that the thread that draws has for ending. It may wait for a file or a folder that does not answer.
  private static let timeout: UInt32 = 2

  private let wakeup: WakeupPipe
  private let mode: TerminalMode
  private let taken = Mutex<[Int32]>([])

  /// Blocks the signals in this thread, and those that it begins; one of its own takes them. Throws `inputOutput`.
  init(_ wakeup: WakeupPipe, _ mode: TerminalMode) throws(ArtError) {
    (self.wakeup, self.mode) = (wakeup, mode)
    let source = SignalSource(SignalSource.endings + [SIGTSTP, SIGCONT, SIGWINCH])
    do throws(SystemError) {
      try source.follow { self.note($0) }
    } catch {
      throw .noThread(error)
    }
  }

  /// Those that have come, in their order.
  func take() -> [Int32] {
    taken.withLock { taken in
      defer { taken = [] }
      return taken
    }
  }

  /// Whether one has come that is not to wait for a drawing to be written.
  var isUrgent: Bool {
    taken.withLock { $0.contains { $0 == SIGTSTP || SignalSource.endings.contains($0) } }
  }

  private func note(_ number: Int32) {
    // Of one kind the first is enough.
    taken.withLock { if !$0.contains(number) { $0.append(number) } }
    wakeup.wake()
    if SignalSource.endings.contains(number) { end(by: number) }
  }

  /// Ends this process when the thread that draws does not.
  private func end(by number: Int32) -> Never {
    sleep(Self.timeout)
    let mode = mode
    // The terminal may take nothing.
    _ = Outcome { mode.restore() }.wait(atMost: .milliseconds(200))
    SignalSource.die(of: number)
  }
}
