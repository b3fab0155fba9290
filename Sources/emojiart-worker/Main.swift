// SPDX-License-Identifier: Apache-2.0

import ArtModel
import Glibc

/// `emojiart-worker`: fetches pictures, decodes them and draws for `emojiart`, on pipes. Its argument is the one verb that it is
/// started for; it opens no documents, and ends with its standard input.
@main
enum Main {
  /// Closes the sandbox, begins with `hello`, and answers requests until there are no more.
  static func main() {
    Sandbox.begin()
    let verb: WorkerVerb
    do { verb = try WorkerVerb(arguments: Array(CommandLine.arguments.dropFirst())) } catch {
      end(EX_USAGE, error.message)
    }
    // A write that nobody reads is an error of that write.
    signal(SIGPIPE, SIG_IGN)
    let font = Sandbox.close(for: verb)
    let output = ReplyWriter()
    output.write(.hello(version: WorkerRequest.version))
    if verb == .sandbox {
      output.write(.sandbox(Sandbox.ability))
      end(0)
    }
    var requests = RequestReader(verb) { question in
      switch question {
      case .fetch(let fetch): output.answer(fetch)
      case .decode(let bytes, let limits): output.answer(bytes, limits)
      case .draw(let drawing): output.answer(drawing, with: font)
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
