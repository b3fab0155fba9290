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
      Reads an edit a line on stdin, answers each on stdout in order, saves by itself, and on end of input saves and \
      closes. A line is a command without `emojiart` and the document, or with --json an object; answers are alike. \
      On a terminal there is a prompt; `help` lists its words. docs/CLI.md has all requests and answers.

      A background is fetched while editing goes on; so is what becomes pending in the document.

      An edit that is answered is kept, whatever becomes of the program: `emojiart restore` brings it back. With \
      --atomic nothing is kept before the end.

      Examples:
        emojiart edit bees
        echo 'add 🐝 --at 10,20' | emojiart edit bees
        echo '{"add":{"text":"🐝","x":10,"y":20}}' | emojiart edit bees --json
      """)

  @Argument(help: "The document.", completion: .custom(Completion.documents)) var doc: String
  @Option(
    name: .customLong("autosave-changes"), parsing: .unconditional,
    help: ArgumentHelp("Save after that many edits (default: 20).", valueName: "n"))
  var changes: String?
  @Option(
    name: .customLong("autosave-delay"), parsing: .unconditional,
    help: ArgumentHelp("Save that long after the first of them (default: 0.25).", valueName: "seconds"))
  var delay: String?
  @Flag(help: "Save all lines at the end, or none if one fails.") var atomic = false
  @Option(
    name: .customLong("simulate-kill-after"), parsing: .unconditional,
    help: ArgumentHelp("Be killed right after that many edits are answered, to try it.", valueName: "n"))
  var kill: String?
  @Option(
    name: .customLong("session"),
    help: ArgumentHelp(
      "Edit as the client with that session, 12 characters of its own; undo is about its edits, tags are its requests.",
      valueName: "id"))
  var session: String?
  @Flag(name: .customLong("own-changes"), help: "With --json, tell also the changes that this stream makes.")
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
    var session = StreamSession(file, settings, expecting: expected)
    if !options.common.json, let terminal = TerminalMode() {
      session.terminal = terminal
      defer { terminal.restore() }
      // At a prompt the user has read each error.
      _ = try session.run(PromptForm(path: file.path, terminal: terminal))
    } else if options.common.json {
      // Each error was reported as an answer.
      _ = try session.run(JSONForm(isPending: atomic, isFollowed: ownChanges))
    } else if let error = try session.run(WordForm(path: file.path)) {
      throw ExitCode(ExitStatus(error.code).rawValue)
    }
  }
}
