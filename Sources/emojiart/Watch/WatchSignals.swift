// SPDX-License-Identifier: Apache-2.0

import ArtModel
import Glibc

/// The signals of `emojiart watch`, taken by a thread of their own:
///
///     TSTP                    the process stops when no file is open
///     TERM, INT, HUP, QUIT    with COMMAND only: it is ended, too. The terminal's own signals do not reach its process group
final class WatchSignals: Sendable {
  private let runner: CommandRunner?
  private let followed: [Int32]

  /// Blocks the signals in this thread, and in those that it begins. `runner` is the one of COMMAND. Throws `inputOutput`.
  init(_ runner: CommandRunner?) throws(ArtError) {
    self.runner = runner
    let endings = runner == nil ? [] : HeldSignals.endings
    followed = ([SIGTSTP] + endings).filter { !StreamSignals.isIgnored($0) }
    var set = StreamSignals.set(followed)
    pthread_sigmask(SIG_BLOCK, &set, nil)
    if !followed.isEmpty { try beginThread { self.loop() } }
  }

  private func loop() {
    var set = StreamSignals.set(followed)
    while true {
      var number: Int32 = 0
      guard sigwait(&set, &number) == 0 else { continue }
      if number == SIGTSTP {
        StreamSignals.stopHere()
      } else {
        runner?.kill(number)
        StreamSignals.die(of: number)
      }
    }
  }
}
