// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import ArtModel
import ArtStore
import Glibc

struct Watch: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "watch",
    abstract: "Tell of every change of the documents of a folder.",
    usage: """
      emojiart watch [<folder> ...] [--recursive] [--once] [--json]
               [--since <revision>] [--exec <command> [--shell]] [--poll]
      """,
    discussion: """
      Prints a line for each change, whoever made it, until it is interrupted: when, which document, by whom, what. A \
      document may stand in the place of a folder and is then watched alone.

      COMMAND is run for each change, one at a time, and finds EMOJIART_EVENT, EMOJIART_DOCUMENT, EMOJIART_REVISION and \
      EMOJIART_FROM in its environment. While it runs, later changes of a document wait, and only the latest is kept. \
      No shell reads it, unless --shell is given.

      Examples:
        emojiart watch
        emojiart watch posters --recursive --json
        emojiart watch bees --since 12
        emojiart watch bees --exec 'emojiart check bees'
      """)

  @Argument(
    help: ArgumentHelp("Folders, or documents; the current folder otherwise.", valueName: "folder"),
    completion: .custom(Completion.places))
  var folders: [String] = []
  @Flag(help: "The folders in them, too.") var recursive = false
  @Flag(help: "End after the first change.") var once = false
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("Of one document: tell the edits after it first.", valueName: "revision"))
  var since: String?
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("Run that for each change.", valueName: "command"))
  var exec: String?
  @Flag(help: "Have `sh -c` run COMMAND.") var shell = false
  @Flag(help: "Look every 2 s, and do not ask the system.") var poll = false
  @OptionGroup var common: CommonOptions

  func run() throws {
    let settings = try WatchSettings(
      json: common.json, recursive: recursive, once: once, poll: poll, since: since, exec: exec, shell: shell)
    let places = try WatchPlace.places(folders, common, isRecursive: recursive)
    guard settings.since == nil || places.count == 1 && places[0].names?.count == 1 else {
      throw ArtError(.usage, "--since is about one document; name just that one")
    }
    guard !settings.isRecursive || places.contains(where: { $0.names == nil }) else {
      throw ArtError(.usage, "--recursive is about folders; name one")
    }
    let inbox = try WatchInbox()
    var runner: CommandRunner?
    if let command = settings.command { runner = try CommandRunner(command, bell: inbox.bell) }
    let signals = try runner.map { runner throws(ArtError) in try CommandSignals(runner) }
    let end = try withExtendedLifetime(signals) { try watch(places, settings, inbox, runner) }
    if let end, end.status != 0 { throw ExitCode(end.status) }
  }

  private func watch(
    _ places: [WatchPlace], _ settings: WatchSettings, _ inbox: WatchInbox, _ runner: CommandRunner?
  ) throws(ArtError) -> CommandRunner.End? {
    // Then a write tells of it, and the command is ended, too.
    var pipe = StreamSignals.set([SIGPIPE])
    pthread_sigmask(SIG_BLOCK, &pipe, nil)
    var folders: [(place: WatchPlace, folder: WatchedFolder)] = []
    for place in places {
      let opened = Outcome {
        await result { () async throws(ArtError) in
          try await WatchedFolder.open(
            place, isRecursive: settings.isRecursive, pollBecause: settings.pollBecause)
        }
      }
      folders.append((place, try opened.wait().get()))
      guard place.names == nil else { continue }
      for name in try FolderListing(of: place.folder).unreadable {
        Output.complain("\(name) has a name that is no UTF-8, and is not watched; rename it")
      }
    }
    var watching = Watching(folders, settings, inbox, runner)
    do throws(ArtError) {
      let end = try watching.run()
      let opened = folders.map(\.folder)
      Outcome { for folder in opened { await folder.close() } }.wait()
      return end
    } catch {
      runner?.kill(SIGTERM)
      if error == .brokenPipe, !StreamSignals.isIgnored(SIGPIPE) { StreamSignals.die(of: SIGPIPE) }
      throw error
    }
  }
}
