// SPDX-License-Identifier: Apache-2.0

import ArtModel
import Glibc

/// `emojiart-worker`: fetches pictures, has a look at them and draws for `emojiart`, on pipes. It has verbs and no commands, opens
/// no documents, and ends with its standard input.
@main
enum Main {
  /// Begins with `hello`, then answers requests until there are no more.
  static func main() {
    guard CommandLine.arguments.count == 1 else {
      end(EX_USAGE, "a helper of emojiart, which starts it; it has no commands")
    }
    // A write that nobody reads is an error of that write.
    signal(SIGPIPE, SIG_IGN)
    let output = ReplyWriter()
    output.write(.hello(version: WorkerRequest.version))
    var requests = RequestReader { question in
      switch question {
      case .fetch(let fetch): output.answer(fetch)
      case .decode(let bytes, let limits): output.answer(bytes, limits)
      case .draw(let drawing): output.answer(drawing)
      }
    }
    requests.run()
    end(0)
  }
}

/// Ends the program, with a line for people where something is wrong. Exit handlers are not run: libraries may still have
/// threads of their own, under which they would take things away.
func end(_ status: Int32, _ complaint: String? = nil) -> Never {
  if let complaint {
    let line = Array("emojiart-worker: \(complaint)\n".utf8)
    // Nobody is told where that cannot be written; the status remains.
    _ = line.withUnsafeBytes { write(STDERR_FILENO, $0.baseAddress, $0.count) }
  }
  _exit(status)
}
