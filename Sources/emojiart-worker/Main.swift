// SPDX-License-Identifier: Apache-2.0

import ArtDrawing
import ArtFetch
import ArtModel
import ArtSystem
import CWorker
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
      end(EX_USAGE, error.cause)
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

/// What this process may still do, which is less for good before it reads what strangers send. The rights of each verb stand in
/// the table of sandbox_policy.c.
enum Sandbox {
  /// The first thing of all: no new rights, and no other process may open this one's memory.
  static func begin() { csandbox_begin() }

  /// What the system has.
  static var ability: SandboxAbility {
    let ability = csandbox_ability()
    return SandboxAbility(
      landlock: ability.landlock > 0 ? Int(ability.landlock) : nil, hasSeccomp: ability.seccomp)
  }

  /// Opens what the verb needs, and closes the sandbox. Gives the font to draw with. Where it cannot be closed the program ends.
  static func close(for verb: WorkerVerb) -> OpenFont {
    switch verb {
    case .fetch:
      let certificates = Fetcher.prepare()
      close(csandbox_fetch, readable: certificates)
    case .decode(let kinds):
      PictureLoaders.load(kinds)
      close(kinds.needThreads ? csandbox_decode_threads : csandbox_decode)
    case .draw(let path, let kinds):
      let font = OpenFont(path: path)
      if !kinds.isEmpty { PictureLoaders.load(kinds) }
      close(csandbox_draw)
      return font
    case .sandbox: break
    }
    return OpenFont(path: nil)
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

extension [PictureKind] {
  /// Whether the decoder of one of them begins threads.
  fileprivate var needThreads: Bool { contains(.avif) }
}
