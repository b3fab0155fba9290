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
      OwnProcess.returnFreedMemory()
      do throws(ArtError) {
        let launch = try StudioLaunch(words: OwnProcess.arguments.dropFirst())
        try ProgramStart.checkDescriptors(descriptors)
        try ProgramStart.checkAddressSpace(addressSpace)
        try ProgramStart.prepareThreads(threads) { report($0) }
        // Signals end the program by themselves until there is a thread that takes them, and that one begins before any other.
        let ending = try EndingSignals()
        Task.detached {
          do throws(ArtError) { try await StudioServer.run(launch, ending) } catch { fail(error) }
          exit(ExitStatus.done.rawValue)
        }
      } catch {
        fail(error)
      }
      while true { pause() }
    }

    /// What the server has at once with a page that edits: its loop, its files, a helper that watches the folder, and one that draws.
    private static let (descriptors, threads, addressSpace) = (48, 16, 1 << 30)

    private static func fail(_ error: ArtError) -> Never {
      report(error.cause)
      exit(ExitStatus(error.code).rawValue)
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
