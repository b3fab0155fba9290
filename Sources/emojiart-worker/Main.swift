// SPDX-License-Identifier: Apache-2.0

import ArtDrawing
import ArtFetch
import ArtModel
import ArtSystem
import CWorker
import Glibc

/// `emojiart-worker` fetches, decodes, draws and measures text for `emojiart`, connected by pipes. Its argument is the one
/// verb that it is started for. It opens no documents, and ends when its standard input does.
@main
enum Main {
  /// Enters the sandbox, writes `hello`, and answers requests until standard input ends.
  static func main() {
    Sandbox.begin()
    let verb: WorkerVerb
    do { verb = try WorkerVerb(arguments: Array(CommandLine.arguments.dropFirst())) } catch {
      end(EX_USAGE, error.cause)
    }
    // A write to a closed pipe fails with EPIPE instead of a signal.
    signal(SIGPIPE, SIG_IGN)
    let fonts = Sandbox.close(for: verb)
    let output = ReplyWriter()
    output.write(.hello(version: WorkerRequest.version))
    if verb == .sandbox {
      output.write(.sandbox(Sandbox.ability))
      end(0)
    }
    var requests = RequestReader(verb) { request in
      switch request {
      case .fetch(let fetch): output.answer(fetch)
      case .decode(let bytes, let limits): output.answer(bytes, limits)
      case .anonymise(let bytes): output.answerAnonymous(bytes)
      case .draw(let drawing): output.answer(drawing, with: fonts)
      case .exchange(let exchange, let body): output.answer(exchange, body)
      case .measure(let words): output.answer(words, with: fonts)
      }
    }
    requests.run()
    end(0)
  }
}

/// Ends the program, with a message on stderr if something is wrong. Skips exit handlers: threads of libraries
/// may still use what these would release.
func end(_ status: Int32, _ message: String? = nil) -> Never {
  if let message {
    let line = Array("emojiart-worker: \(message)\n".utf8)
    // If this fails there is no other place for the message; the status remains.
    _ = line.withUnsafeBytes { write(STDERR_FILENO, $0.baseAddress, $0.count) }
  }
  _exit(status)
}

// MARK: - Sandbox

/// Restricts this process permanently before it reads untrusted data. The rights of each verb are in the table
/// of sandbox_policy.c.
enum Sandbox {
  /// The first call of the program: no new privileges, and no access to its memory by other processes.
  static func begin() { csandbox_begin() }

  /// The sandbox features that the system has.
  static var ability: SandboxAbility {
    let ability = csandbox_ability()
    return SandboxAbility(
      landlock: ability.landlock > 0 ? Int(ability.landlock) : nil, hasSeccomp: ability.seccomp)
  }

  /// Opens what the verb needs, then enters the sandbox. Returns the fonts to draw with. Ends the program where
  /// the sandbox cannot be entered.
  static func close(for verb: WorkerVerb) -> OpenFonts {
    switch verb {
    case .fetch:
      let certificates = Fetcher.prepare()
      close(csandbox_fetch, readable: certificates)
    case .store:
      let certificates = Fetcher.prepare()
      close(csandbox_store, readable: certificates)
    case .decode(let kinds):
      PictureDecoders.prepare(kinds)
      close(csandbox_decode)
    case .draw(let paths, let kinds):
      let fonts = OpenFonts(colors: paths.colors, letterFolders: paths.letterFolders)
      if !kinds.isEmpty { PictureDecoders.prepare(kinds) }
      close(csandbox_draw)
      return fonts
    case .measure(let paths):
      let fonts = OpenFonts(colors: paths.colors, letterFolders: paths.letterFolders)
      close(csandbox_measure)
      return fonts
    case .sandbox: break
    }
    return OpenFonts(colors: [])
  }

  private static func close(_ policy: csandbox_policy, readable paths: [String] = []) {
    let names = paths.map { strdup($0) }
    defer { for name in names { free(name) } }
    let ended = names.map { $0.map { UnsafePointer($0) } } + [nil]
    var number: Int32 = 0
    guard let step = csandbox_close(policy, ended, &number) else { return }
    end(EX_OSERR, "cannot close its sandbox (\(String(cString: step))): \(SystemError.text(of: number))")
  }
}
