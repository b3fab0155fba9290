// SPDX-License-Identifier: Apache-2.0

import ArtModel
import Glibc
import Synchronization

/// Signals on their way to the thread that draws: one that ends programs, one that stops them, the window's size.
final class LiveSignals: Sendable {
  private let followed: [Int32]
  private let bell: Bell
  private let taken = Mutex<[Int32]>([])

  /// Blocks the signals in this thread, and those that it begins; one of its own takes them. Throws `inputOutput`.
  init(_ bell: Bell) throws(ArtError) {
    self.bell = bell
    followed = [SIGTERM, SIGINT, SIGHUP, SIGQUIT, SIGTSTP, SIGCONT, SIGWINCH].filter {
      !StreamSignals.isIgnored($0)
    }
    var set = StreamSignals.set(followed)
    pthread_sigmask(SIG_BLOCK, &set, nil)
    var thread = pthread_t()
    let me = Unmanaged.passRetained(self)
    let number = pthread_create(
      &thread, nil,
      { me in
        if let me { Unmanaged<LiveSignals>.fromOpaque(me).takeRetainedValue().loop() }
        return nil
      }, me.toOpaque())
    guard number != 0 else { return }
    me.release()
    throw ArtError(.inputOutput, "cannot begin a thread: \(String(cString: strerror(number)))")
  }

  /// Those that have come, in their order.
  func take() -> [Int32] {
    taken.withLock { taken in
      defer { taken = [] }
      return taken
    }
  }

  private func loop() {
    var set = StreamSignals.set(followed)
    while true {
      var number: Int32 = 0
      guard sigwait(&set, &number) == 0 else { continue }
      // Of one kind the first is enough.
      taken.withLock { if !$0.contains(number) { $0.append(number) } }
      bell.ring()
    }
  }

  /// Stops this process as the terminal's own key does, until somebody lets it go on.
  func stop() {
    var set = StreamSignals.set([SIGTSTP])
    signal(SIGTSTP, SIG_DFL)
    pthread_sigmask(SIG_UNBLOCK, &set, nil)
    raise(SIGTSTP)
    pthread_sigmask(SIG_BLOCK, &set, nil)
  }
}
