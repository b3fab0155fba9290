// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import ArtModel
import ArtTerminal

struct Edit: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "edit",
    abstract: "Edit a document line by line.",
    usage: """
      emojiart edit <doc> [--json] [--atomic] [--autosave-changes <n>]
               [--autosave-delay <seconds>] [--session <id>] [--own-changes]
               [--fetch <what>] [--allow-private]
               [--warn <when> | --suppress-warnings]
      """,
    discussion: """
      Reads one edit per line from stdin and answers each on stdout, in order. It saves automatically; at the end of \
      the input it saves and closes. A line is a command without `emojiart` and the document; with --json, lines and \
      answers are JSON objects. On a terminal there is a prompt; `help` lists its commands. `emojiart help json` describes \
      all requests and answers.

      Editing goes on while a background is fetched. A background that becomes pending in the document is fetched, too.

      An answered edit survives even a kill of the program: the next command that edits the document restores it. With \
      --atomic nothing is kept before the end of the input, and all edits together are one edit with one undo.

      Examples:
        emojiart edit bees
        echo 'add 🐝 --at 10,20' | emojiart edit bees
        echo '{"add":{"text":"🐝","x":10,"y":20}}' | emojiart edit bees --json
      """)

  @Argument(help: "The document.", completion: .custom(Completion.documents)) var doc: String
  @Option(
    name: .customLong("autosave-changes"), parsing: .unconditional,
    help: ArgumentHelp("Save after this many edits (default: 20).", valueName: "n"))
  var changes: String?
  @Option(
    name: .customLong("autosave-delay"), parsing: .unconditional,
    help: ArgumentHelp("Save this long after the first unsaved edit (default: 0.25).", valueName: "seconds"))
  var delay: String?
  @Flag(help: "Save all edits at the end, or none if a line fails.") var atomic = false
  @Option(
    name: .customLong("simulate-kill-after"), parsing: .unconditional,
    help: ArgumentHelp(
      "For tests of recovery: be killed after this many answered edits.", valueName: "n",
      visibility: .hidden)
  )
  var kill: String?
  @Option(
    name: .customLong("session"),
    help: ArgumentHelp(
      "Edit as the client with this session of 12 characters: undo reverts its edits, tags identify its requests.",
      valueName: "id"))
  var session: String?
  @Flag(name: .customLong("own-changes"), help: "With --json, report the changes of this stream, too.")
  var ownChanges = false
  @OptionGroup var fetching: FetchOptions
  @OptionGroup var warnings: WarningOptions
  @OptionGroup var options: EditOptions

  func run() throws {
    var settings = try StreamSettings(changes: changes, delay: delay, isAtomic: atomic, killAfter: kill)
    try settings.apply(fetching, warnings)
    settings.session = try session.map(StreamSettings.session)
    settings.reportsOwnChanges = ownChanges
    let expected = try options.expectedRevision()
    let file = try options.common.file(doc)
    var document = StreamDocument(path: file.path, folder: try options.common.currentFolder())
    var session = StreamSession(file, settings, expecting: expected)
    if !options.common.json, let terminal = TerminalMode() {
      session.terminal = terminal
      defer { terminal.restore() }
      document.isPrompt = true
      // At a prompt the user has read each error.
      _ = try session.run(PromptForm(document, terminal: terminal))
    } else if options.common.json {
      // Each error was reported as an answer.
      _ = try session.run(JSONForm(isPending: atomic, isFollowed: ownChanges))
    } else if let error = try runWords(session, document) {
      throw ExitCode(ExitStatus(error.code).rawValue)
    }
  }

  /// Runs a stream of words. With `--atomic` the answers are written when everything is saved: no emoji has an id before.
  private func runWords(_ session: StreamSession, _ document: StreamDocument) throws(ArtError) -> ArtError? {
    guard atomic else { return try session.run(WordForm(document)) }
    Output.hold()
    do throws(ArtError) {
      let error = try session.run(WordForm(document))
      Output.release()
      return error
    } catch {
      Output.discard()
      throw error
    }
  }
}
