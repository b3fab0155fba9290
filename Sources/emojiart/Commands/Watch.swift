// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import ArtModel
import ArtSystem
import ArtWorkspace
import Glibc

struct Watch: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "watch",
    abstract: "Report every change of the documents of a folder.",
    usage: """
      emojiart watch [<folder> ...] [--recursive] [--once] [--json]
               [--since <revision>] [--exec <command> [--shell]] [--poll] [--merge]
               [--fetch <what>] [--allow-private]
               [--warn <when> | --suppress-warnings]
      """,
    discussion: """
      Prints a line for each change by any program, until it is interrupted: the time, the document, the author and the \
      change. If a document is given in place of a folder, only that document is watched.

      COMMAND is run for each change, one at a time, with EMOJIART_EVENT, EMOJIART_DOCUMENT, EMOJIART_REVISION and \
      EMOJIART_FROM in its environment. While it runs, later changes wait, and only the latest one of each document is \
      kept. COMMAND is run without a shell, unless --shell is given.

      With --merge, conflict copies that Syncthing, Dropbox or Nextcloud put beside a document are merged into it, and \
      when another file takes a document's place, the edits that only the former file had are merged into that. So no \
      edit is lost where several machines edit the same documents.

      A background that becomes pending in a document is fetched, unless --fetch says otherwise. A refused one is \
      reported.

      Examples:
        emojiart watch
        emojiart watch posters --recursive --json
        emojiart watch bees --since 12
        emojiart watch ~/Sync/art --recursive --merge
        emojiart watch bees --exec 'emojiart check bees'
      """)

  @Argument(
    help: ArgumentHelp("Folders, or documents (default: the current folder).", valueName: "folder"),
    completion: .custom(Completion.documentsAndFolders))
  var folders: [String] = []
  @Flag(help: "Watch subfolders, too.") var recursive = false
  @Flag(help: "End after the first change.") var once = false
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("For one document: report the edits after this revision first.", valueName: "revision")
  )
  var since: String?
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("Run this command for each change.", valueName: "command"))
  var exec: String?
  @Flag(help: "Have `sh -c` run COMMAND.") var shell = false
  @Flag(help: "Scan every 2 s instead of waiting for the system's events.") var poll = false
  @Flag(help: "Merge conflict copies, and what a replaced file held.") var merge = false
  @OptionGroup var fetching: FetchOptions
  @OptionGroup var warnings: WarningOptions
  @OptionGroup var common: CommonOptions

  func run() throws {
    var settings = try WatchSettings(
      json: common.json, recursive: recursive, once: once, poll: poll, since: since, exec: exec, shell: shell)
    settings.merges = merge
    try settings.apply(fetching, warnings)
    let places = try FollowedFolder.places(folders, common, isRecursive: recursive)
    guard settings.since == nil || places.count == 1 && places[0].names?.count == 1 else {
      throw ArtError(.usage, "--since is about one document; name just that one")
    }
    guard !settings.isRecursive || places.contains(where: { $0.names == nil }) else {
      throw ArtError(.usage, "--recursive is about folders; name one")
    }
    let inbox = try WatchInbox()
    var runner: CommandRunner?
    if let command = settings.command { runner = try CommandRunner(command, wakeup: inbox.wakeup) }
    // Besides: the merging, and the helper that waits for the system's events.
    try prepareThreads(merge ? 12 : 10)
    if let runner { try WatchSignals.follow(runner) }
    let end = try watch(places, settings, inbox, runner)
    if let end, end.status != 0 { throw ExitCode(end.status) }
  }

  private func watch(
    _ places: [FollowedFolder], _ settings: WatchSettings, _ inbox: WatchInbox, _ runner: CommandRunner?
  ) throws(ArtError) -> CommandRunner.End? {
    // With SIGPIPE blocked a write fails with an error instead, and COMMAND is ended, too.
    let pipe = SignalSource([SIGPIPE])
    var folders: [(place: FollowedFolder, folder: WatchedFolder)] = []
    for place in places {
      let opened = Outcome {
        await result { () async throws(ArtError) in
          try await WatchedFolder.open(
            place, isRecursive: settings.isRecursive, merges: settings.merges,
            pollBecause: settings.pollBecause)
        }
      }
      folders.append((place, try opened.wait().get()))
      guard place.names == nil else { continue }
      for name in try FolderListing(of: place.folder).unreadable {
        Output.printError("\(name) has a name that is no UTF-8, and is not watched; rename it")
      }
    }
    let pending = try fetch(folders.map(\.folder), settings, inbox)
    let merging = settings.merges ? try Self.merge(folders.map(\.folder), inbox, by: .ofCommand) : []
    var watching = Watching(folders, settings, inbox, runner)
    do throws(ArtError) {
      let end = try watching.run()
      let opened = folders.map(\.folder)
      Outcome {
        await pending.close()
        for folder in merging { await folder.close() }
        for folder in opened { await folder.close() }
      }
      .wait()
      return end
    } catch {
      runner?.kill(SIGTERM)
      if error == .brokenPipe, pipe.numbers == [SIGPIPE] { SignalSource.die(of: SIGPIPE) }
      throw error
    }
  }

  /// Has copies merged, and puts what was done into the inbox.
  private static func merge(
    _ folders: [WatchedFolder], _ inbox: WatchInbox, by recovery: Recovery
  ) -> [MergingFolder] {
    folders.enumerated().compactMap { index, folder in
      guard let merging = folder.merging?(recovery) else { return nil }
      let events = merging.events()
      Task.detached { for await event in events { await inbox.put(event, from: index) } }
      Outcome { await merging.begin() }.wait()
      return merging
    }
  }

  /// Has pending backgrounds fetched, and puts the results into the inbox.
  private func fetch(
    _ folders: [WatchedFolder], _ settings: WatchSettings, _ inbox: WatchInbox
  ) throws(ArtError) -> PendingBackgrounds {
    let pending = PendingBackgrounds(
      settings.fetch, allowsPrivate: settings.allowsPrivate, author: try Recovery.ofCommand.newAuthor().name)
    let events = pending.events()
    Task.detached { for await event in events { await inbox.put(event) } }
    Outcome { for folder in folders { await folder.fetch(pending) } }.wait()
    return pending
  }
}
