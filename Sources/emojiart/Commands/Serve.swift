// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import ArtModel
import ArtSystem
import ArtWorkspace

struct Serve: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "serve", abstract: "Edit documents in a browser.",
    usage: """
      emojiart serve [<folder or doc>] [--open] [--port <n>]
               [--link | --sessions | --revoke <session>] [--json]
      """,
    discussion: """
      Serves a page on this machine and prints its link. The page and the commands edit the same documents at the \
      same time. The link works once, for a minute; ask for another one with --link. A folder has one server: a \
      second `emojiart serve` prints a link of the first one. Only you can connect to it.

      A browser that has used a link has a session, which lasts until the server ends, or 7 days without use. A server \
      that is started again has another address, and its pages need a new link. A server that systemd keeps the \
      sockets for keeps its address and its sessions: emojiart-serve@.socket.

      Examples:
        emojiart serve --open
        emojiart serve bees
        emojiart serve ~/art --port 8080
        emojiart serve ~/art --link
        emojiart serve ~/art --sessions
        emojiart serve ~/art --revoke all
      """)

  @Argument(help: "The folder, or a document in it; the current folder by default.", completion: .directory)
  var path: String?
  @Flag(help: "Open the page in your browser. The server ends a minute after its last page.") var open = false
  @Option(help: ArgumentHelp("The port, from 1 to 65535; any free one by default.", valueName: "n"))
  var port: String?
  @Flag(help: "Print a new link of the server that is running.") var link = false
  @Flag(help: "List the sessions of the server that is running.") var sessions = false
  @Option(
    help: ArgumentHelp(
      "End a session of the server that is running, or all of them.", valueName: "session|all"))
  var revoke: String?
  @Flag(help: "Print the sessions as JSON.") var json = false
  @Option(
    help: ArgumentHelp(
      "Take the files of the page from this folder, to develop them.", valueName: "folder",
      visibility: .hidden),
    completion: .directory)
  var assets: String?

  func run() throws {
    var launch = try Self.launch(path ?? environment("EMOJIART_FOLDER") ?? ".")
    launch.opens = open
    launch.request = try request()
    launch.isJSON = json
    launch.assets = assets
    launch.author = try CurrentSettings.ofCommand[.author]?.text
    if let port {
      guard let number = Int(port), (1...65_535).contains(number) else {
        throw ArtError(.badValue, "\(shown(port)) is no port; give a number from 1 to 65535", about: port)
      }
      launch.port = number
    }
    try launch.start()
  }

  /// What the running server is asked for.
  private func request() throws(ArtError) -> StudioLaunch.Request? {
    guard [link, sessions, revoke != nil].count(where: \.self) <= 1 else {
      throw ArtError(.usage, "--link, --sessions and --revoke are asked for one at a time")
    }
    if sessions { return .sessions }
    guard let revoke else { return link ? .link : nil }
    guard revoke == "all" || StudioLaunch.Request.isSession(revoke) else {
      throw ArtError(
        .badValue, "\(shown(revoke)) is no session; see `emojiart serve --sessions`, or say all",
        about: revoke)
    }
    return .revoke(revoke == "all" ? nil : revoke)
  }

  /// A folder is served as a whole, a document with its folder.
  private static func launch(_ typed: String) throws(ArtError) -> StudioLaunch {
    if let folder = FilePath.resolvedIfThere(try TypedPath.existing(typed)), FileStatus.isFolder(at: folder) {
      return StudioLaunch(folder: folder)
    }
    let file = try CommonOptions.file(typed) { environment("EMOJIART_FOLDER") ?? "." }
    // Throws the error for a missing file, with near names, and for one that is no document.
    _ = try file.stamp()
    _ = try file.base()
    let path = FilePath.resolvedIfThere(file.path) ?? file.path
    var launch = StudioLaunch(folder: FilePath(path).folder)
    launch.document = FilePath(path).name
    return launch
  }
}
