// SPDX-License-Identifier: Apache-2.0

import ArtModel
import Glibc

#if Studio
  import ArtSystem
  import ArtWorkspace

  /// The server of the studio's page. `emojiart serve` becomes this program, with arguments that it has checked.
  ///
  /// Exit statuses are those of `emojiart`. Errors are one line on stderr.
  @main struct Main {
    static func main() {
      OwnProcess.requireProc()
      OwnProcess.hideMemory()
      // Before there is any other thread, which would take the signals.
      let signals = SignalSource()
      Task.detached {
        do throws(ArtError) {
          let launch = try StudioLaunch(words: OwnProcess.arguments.dropFirst())
          try await StudioServer.run(launch, signals)
        } catch {
          report(error.cause)
          exit(ExitStatus(error.code).rawValue)
        }
        exit(ExitStatus.done.rawValue)
      }
      while true { pause() }
    }
  }

#else
  @main struct Main {
    static func main() {
      report("emojiart-studio was built without the trait Studio; build it again with it")
      exit(ExitStatus.unavailable.rawValue)
    }
  }
#endif

extension Main {
  /// Writes a line to stderr, as `emojiart` does. What a terminal would interpret is escaped.
  static func report(_ text: String) { write("emojiart: \(text.visible)\n", to: 2) }

  /// Writes a text whole. An error is ignored: there is no other place to report it.
  static func write(_ text: String, to descriptor: Int32) {
    var bytes = Array(text.utf8)[...]
    while !bytes.isEmpty {
      let count = bytes.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
      guard count > 0 || errno == EINTR else { return }
      bytes = bytes.dropFirst(max(0, count))
    }
  }
}
