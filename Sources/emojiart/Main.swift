// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import ArtModel
import ArtSystem
import ArtTerminal
import ArtWorkspace
import Glibc

@main
enum Main {
  static func main() {
    OwnProcess.requireProc()
    OwnProcess.hideMemory()
    OwnProcess.returnFreedMemory()
    occupyStandardDescriptors()
    // With SIGXFSZ ignored, a write beyond `ulimit -f` fails with an error.
    signal(SIGXFSZ, SIG_IGN)
    // Ctrl-Z stops a command only after it has closed the file: a stopped process would keep its locks. What has several threads calls
    // `prepareThreads`.
    FileGate.shared.delay(SIGTSTP)
    var arguments = Array(Arguments.all.dropFirst())
    do {
      try ProgramStart.checkDescriptors(16)
      try checkEncoding()
      arguments = try Synonyms.resolved(arguments)
      if VersionDetails.areRequested(by: arguments) {
        try VersionDetails.write()
        return try Output.flush()
      }
      if let page = HelpTopic.page(for: arguments, columns: TerminalSize.now(nil).columns) {
        try Output.line(page)
        return try Output.flush()
      }
      var command = try Emojiart.parseAsRoot(CommandArguments.forParser(arguments))
      try command.run()
      try Output.flush()
    } catch let error as ArtError {
      fail(error, asJSON: wantsJSON(arguments))
    } catch let interruption as Interruption {
      SignalSource.die(of: interruption.number)
    } catch {
      finish(with: error, arguments)
    }
  }

  /// Whether errors are written as JSON.
  private static func wantsJSON(_ arguments: [String]) -> Bool {
    arguments.prefix { $0 != "--" }.contains("--json")
  }

  /// Flushes stdout, prints the error on stderr and exits with its status.
  private static func fail(_ error: ArtError, asJSON isJSON: Bool) -> Never {
    do { try Output.flush() } catch { Output.printError(error.message) }
    let error = error.lookingInTheTrash
    if isJSON { Output.printJSON(error) } else { Output.printError(error.message) }
    exit(ExitStatus(error.code).rawValue)
  }

  /// Handles an error of the argument parser: help and version go to stdout, a usage error is one line on stderr.
  private static func finish(with error: any Error, _ arguments: [String]) -> Never {
    let status = Emojiart.exitCode(for: error).rawValue
    guard status == 0 else {
      guard !(error is ExitCode) else { exit(status) }
      let line = UsageMessage(Emojiart.message(for: error), arguments).line
      fail(ArtError(.usage, line), asJSON: wantsJSON(arguments))
    }
    do throws(ArtError) {
      try Output.line(CompletionScript.amended(Emojiart.fullMessage(for: error)))
      try Output.flush()
    } catch {
      fail(error, asJSON: false)
    }
    exit(0)
  }

  /// Refuses arguments that are not UTF-8: with replacement characters they would name another file. Throws
  /// `badValue`.
  private static func checkEncoding() throws(ArtError) {
    if let argument = Arguments.firstInvalid {
      throw ArtError(.badValue, "\(argument) is no UTF-8 text; rename the file, or type it again")
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

      Examples:
        emojiart new bees --canvas 800x600
        emojiart add bees 🐝 🌸 --at 50%,50% --size 64
        emojiart caption bees "The secret life of bees" --at top
        emojiart move bees 🐝 --by -40,0
        emojiart show bees
        emojiart undo bees
      """,
    version: "\(EmojiArtVersion.current) (SQLite \(SQLiteLibrary.version))",
    groupedSubcommands: [
      CommandGroup(
        name: "Documents",
        subcommands: [
          New.self, List.self, Show.self, Render.self, GalleryCommand.self, Copy.self, Rename.self,
          Delete.self,
          Import.self, Export.self,
        ]),
      CommandGroup(
        name: "Emoji and words",
        subcommands: [
          Add.self, Caption.self, Move.self, Resize.self, Remove.self, Rotate.self, Mirror.self, Replace.self,
          Recolor.self, Duplicate.self, Order.self, Align.self, Distribute.self, LayOut.self, Find.self,
          PaletteCommand.self,
        ]),
      CommandGroup(
        name: "Canvas", subcommands: [SetCanvas.self, SetBackground.self, Warnings.self]),
      CommandGroup(
        name: "History",
        subcommands: [
          Undo.self, History.self, Redo.self, Revert.self, VersionCommand.self, Diff.self,
        ]),
      CommandGroup(name: "Live", subcommands: [Edit.self, Serve.self, Watch.self]),
      CommandGroup(name: "Several machines", subcommands: [Merge.self, Sync.self]),
      CommandGroup(name: "Upkeep", subcommands: [Check.self, Restore.self, Config.self]),
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
    try prepareThreads()
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
