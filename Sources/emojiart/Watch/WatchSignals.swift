// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtSystem
import Glibc

/// The signals of `emojiart watch`, taken by a thread of their own:
///
///     TSTP                    the process stops when no file is open
///     TERM, INT, HUP, QUIT    with COMMAND only: it is ended, too. The terminal's own signals do not reach its process group
enum WatchSignals {
  /// Blocks the signals in this thread, and in those that it begins, and begins the one that takes them. `runner` is the one of COMMAND.
  /// Throws `inputOutput`.
  static func follow(_ runner: CommandRunner?) throws(ArtError) {
    let source = SignalSource([SIGTSTP] + (runner == nil ? [] : SignalSource.endings))
    do throws(SystemError) {
      try source.follow { number in
        guard number != SIGTSTP else { return SignalSource.stopWithoutOpenFiles() }
        runner?.kill(number)
        SignalSource.die(of: number)
      }
    } catch {
      throw .noThread(error)
    }
  }
}
