// SPDX-License-Identifier: Apache-2.0

#if Studio
  import ArtModel
  import ArtSystem
  import ArtWorkspace
  import Glibc

  /// The server of the studio's page. `emojiart serve` becomes this program, with arguments that it has checked.
  ///
  /// Exit statuses are those of `emojiart`. Errors are one line on stderr.
  @main struct Main {
    static func main() {
      OwnProcess.requireProc()
      OwnProcess.hideMemory()
      // The control socket is for this user only.
      umask(0o077)
      // Before there is any other thread, which would take the signals.
      let signals = SignalSource()
      Task.detached {
        do throws(ArtError) {
          let launch = try StudioLaunch(words: OwnProcess.arguments.dropFirst())
          try await StudioServer.run(launch, signals)
        } catch {
          write("emojiart-studio: \(error.cause)\n", to: 2)
          exit(ExitStatus(error.code).rawValue)
        }
        exit(ExitStatus.done.rawValue)
      }
      while true { pause() }
    }

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

#else
  @main struct Main {
    static func main() { print("emojiart-studio was built without the trait Studio") }
  }
#endif
