// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import ArtModel
import ArtSystem
import ArtWorkspace
import Glibc

@main
enum Main {
  static func main() {
    OwnProcess.requireProc()
    OwnProcess.hideMemory()
    occupyStandardDescriptors()
    // With SIGXFSZ ignored, a write beyond `ulimit -f` fails with an error.
    signal(SIGXFSZ, SIG_IGN)
    // Ctrl-Z stops a command only after it has closed the file: a stopped process would keep its locks.
    FileGate.shared.delay(SIGTSTP)
    do {
      try checkDescriptors()
      try checkEncoding()
      let arguments = Arguments.all.dropFirst()
      try checkCommandName(arguments)
      if VersionDetails.areRequested(by: arguments) {
        try VersionDetails.write()
        return try Output.flush()
      }
      var command = try Emojiart.parseAsRoot(Array(arguments))
      try command.run()
      try Output.flush()
    } catch let error as ArtError {
      fail(error)
    } catch let interruption as Interruption {
      SignalSource.die(of: interruption.number)
    } catch {
      finish(with: error)
    }
  }

  /// Flushes stdout, prints the error on stderr and exits with its status.
  private static func fail(_ error: ArtError) -> Never {
    do { try Output.flush() } catch { Output.printError(error.message) }
    Output.printError(error.message)
    exit(ExitStatus(error.code).rawValue)
  }

  /// Handles an error of the argument parser: help and version go to stdout, a usage error is one line on stderr.
  private static func finish(with error: any Error) -> Never {
    let status = Emojiart.exitCode(for: error).rawValue
    guard status == 0 else {
      if !(error is ExitCode) { Output.printError(usageLine(Emojiart.message(for: error))) }
      exit(status)
    }
    do throws(ArtError) {
      try Output.line(CompletionScript.amended(Emojiart.fullMessage(for: error)))
      try Output.flush()
    } catch {
      fail(error)
    }
    exit(0)
  }

  /// A usage error with a hint where to read on. The parser takes a document named `-x` for an unknown option.
  private static func usageLine(_ message: String) -> String {
    let words = Arguments.all.dropFirst().prefix(2)
    let isCommand = words.first.map(Emojiart.commandNames.contains) ?? false
    let command = isCommand ? "emojiart \(words.first ?? "")" : "emojiart"
    let document = isCommand ? words.dropFirst().first : nil
    let isDashed = document.map { $0.hasPrefix("-") && !$0.hasPrefix("--") && $0 != "-" } ?? false
    let hint = isDashed ? "a name that begins with a dash is written ./\(document ?? ""); " : ""
    return usageLine(message, hint: hint, more: "`\(command) --help`")
  }

  /// Turns a message of the parser into one line in our style.
  static func usageLine(_ message: String, hint: String = "", more: String) -> String {
    var what = message.prefix(1).lowercased() + message.dropFirst()
    // The parser adds suggestions such as "… Did you mean '--json'?".
    if what.hasSuffix("?") { return what }
    if what.hasSuffix(".") { what.removeLast() }
    return "\(what); \(hint)see \(more)"
  }

  /// Refuses arguments that are not UTF-8: with replacement characters they would name another file. Throws
  /// `badValue`.
  private static func checkEncoding() throws(ArtError) {
    if let argument = Arguments.firstInvalid {
      throw ArtError(.badValue, "\(argument) is no UTF-8 text; rename the file, or type it again")
    }
  }

  /// Suggests similar command names; the parser only suggests options. Throws `usage`.
  private static func checkCommandName(_ arguments: ArraySlice<String>) throws(ArtError) {
    let name = arguments.first == "help" ? arguments.dropFirst().first : arguments.first
    guard let name, !name.hasPrefix("-"), !Emojiart.commandNames.contains(name) else { return }
    let near = name.isEmpty ? [] : nearest(to: name, among: Emojiart.commandNames)
    let hint =
      near.isEmpty ? "`emojiart --help` lists them" : "did you mean \(near.joined(separator: " or "))?"
    throw ArtError(.usage, "no command \(shown(name)); \(hint)")
  }

  /// Descriptors that must be free at the start. Dispatch traps when it cannot open its own.
  private static let neededDescriptors = 16

  /// Throws `inputOutput` when too few descriptors are free.
  private static func checkDescriptors() throws(ArtError) {
    var free: [Int32] = []
    defer { for descriptor in free { close(descriptor) } }
    while free.count < neededDescriptors {
      let descriptor = fcntl(2, F_DUPFD_CLOEXEC, 3)
      guard descriptor >= 0 else {
        throw ArtError(
          .inputOutput,
          "only \(free.count) more files may be opened, and \(neededDescriptors) are needed; raise `ulimit -n`"
        )
      }
      free.append(descriptor)
    }
  }

  /// Opens `/dev/null` for each closed standard descriptor. Otherwise a document opened as descriptor 0, 1 or 2 would
  /// be read as input or overwritten by messages. The replacement is opened in the wrong direction, so that a lost
  /// result is still an error.
  private static func occupyStandardDescriptors() {
    for descriptor: Int32 in 0...2 where fcntl(descriptor, F_GETFD) == -1 {
      _ = open("/dev/null", descriptor == 0 ? O_WRONLY : O_RDONLY)
    }
  }
}

// MARK: - Command line

struct Emojiart: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "emojiart",
    abstract: "Make, edit and look at emoji art documents.",
    discussion: """
      A document has a canvas, a background and emoji, each at a place and in a size. It is one file, NAME.emojiart. \
      An edit is saved when its command ends, and can be undone.

      DOC is a path, or a name in the folder: --folder, else EMOJIART_FOLDER, else the current one. REF names an \
      emoji: its id or the beginning of its id; the emoji itself or its :name:, if the document has it only once; 🐝:2 \
      for the second one from the bottom; 🐝:2-4 for several and 🐝:* for all; the words of a caption; @last for the one that was added last.

      Examples:
        emojiart new bees --canvas 800x600
        emojiart add bees 🐝 🌸 --at 50%,50% --size 64
        emojiart caption bees "The secret life of bees" --at top
        emojiart move bees 🐝 --by -40,0
        emojiart show bees
        emojiart undo bees

      Exit status: 0 done, 64 usage, 65 bad data or value, 66 no such document, emoji or background, 69 something outside \
      cannot be reached, 73 exists already, 74 reading or writing failed, 75 busy or at another revision: try again, \
      77 not permitted.
      """,
    version: "\(EmojiArtVersion.current) (SQLite \(SQLiteLibrary.version))",
    subcommands: [
      New.self, Add.self, Caption.self, Move.self, Resize.self, Rotate.self, Mirror.self, Replace.self,
      Recolor.self, Duplicate.self,
      Remove.self,
      Order.self, Align.self, Distribute.self, LayOut.self, SetCanvas.self, SetBackground.self, Undo.self,
      Redo.self, Find.self, PaletteCommand.self, Show.self, Render.self, List.self, GalleryCommand.self,
      Import.self, Export.self, History.self, Revert.self, VersionCommand.self,
      Merge.self, Sync.self, Diff.self, Check.self, Edit.self,
      Serve.self, Watch.self, Warnings.self, Restore.self, Config.self,
    ])

  static var commandNames: [String] {
    configuration.subcommands.compactMap { $0.configuration.commandName } + ["help"]
  }
}

/// The arguments of this process, including its name.
enum Arguments {
  /// All arguments. Invalid UTF-8 is replaced by replacement characters.
  static let all = OwnProcess.arguments

  /// The first argument that is not valid UTF-8, with replacement characters.
  static var firstInvalid: String? { OwnProcess.firstNonUTF8Argument.map { all[$0] } }
}

// MARK: - Version

/// `emojiart --version --verbose`: the version, and the sandbox features of this system.
enum VersionDetails {
  /// Whether the arguments request the details.
  static func areRequested(by arguments: some Collection<String>) -> Bool {
    arguments.count == 2 && Set(arguments) == ["--version", "--verbose"]
  }

  /// Prints them. Throws `unavailable`, after the version, when the helper does not answer.
  static func write() throws(ArtError) {
    try Output.line(Emojiart.configuration.version)
    try checkThreads()
    let asked = Outcome { await result { () async throws(ArtError) in try await SandboxProbe().ask() } }
    let ability = try asked.wait().get()
    try Output.line(line(ability))
  }

  /// The sandbox features, and what follows from a missing one.
  static func line(_ ability: SandboxAbility) -> String {
    let files =
      ability.landlock.map { "Landlock \($0)" }
      ?? "no Landlock, so files are only as safe as their permissions"
    let calls = ability.hasSeccomp ? "seccomp" : "no seccomp, so every system call is open to it"
    return "sandbox of emojiart-worker: \(files); \(calls)"
  }
}
