// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import ArtModel
import ArtSystem
import Glibc

struct SetBackground: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "background",
    abstract: "Set the picture behind the emoji.",
    usage: """
      emojiart background <doc> [<source>] [--keep-canvas] [--forget-url]
               [--clear | --refresh | --save-as <file> | --later |
               --fetch-pending] [--allow-private]
               [--warn <when> | --suppress-warnings]
      """,
    discussion: """
      SOURCE is a URL (http, https, data), a path, or - for stdin. The picture (PNG, JPEG, GIF, WebP or AVIF, up to \
      20 MiB and 24 megapixels) is fetched and checked. Then its bytes are stored in the document, and the canvas takes \
      its size. Prints its type and size. A refused picture changes nothing; the exit status and a message give the \
      reason. Without SOURCE the present background is printed.

      Examples:
        emojiart background bees https://example.org/meadow.jpg
        emojiart background bees meadow.png --keep-canvas
        emojiart background bees --save-as meadow.png
        emojiart background bees --clear
      """)

  @Argument(help: "The document.", completion: .custom(Completion.documents)) var doc: String
  @Argument(help: "A URL, a path, or - for stdin.", completion: .file()) var source: String?
  @Flag(help: "Leave the canvas as it is.") var keepCanvas = false
  @Flag(name: .customLong("forget-url"), help: "Do not store its URL.") var forgetURL = false
  @Flag(help: "Remove the background, and a pending one.") var clear = false
  @Flag(help: "Fetch the URL of the present background again.") var refresh = false
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("Write the present background into a new file, or - for stdout.", valueName: "file"),
    completion: .file())
  var saveAs: String?
  @Flag(help: "Only store the URL as pending; fetch it later.") var later = false
  @Flag(help: "Fetch the pending background.") var fetchPending = false
  @Flag(help: "Fetch from addresses of this machine and its network, too.") var allowPrivate = false
  @OptionGroup var warnings: WarningOptions
  @OptionGroup var options: EditOptions

  func run() throws {
    let action = try BackgroundAction(self)
    try BackgroundCommand(self).perform(action)
  }
}

/// What the arguments of `background` request.
enum BackgroundAction: Equatable {
  case show
  case set(String)
  case clear
  case refresh
  case saveAs(String)
  case later(String)
  case fetchPending
  case forgetURL

  /// Throws `usage` for arguments that exclude each other.
  init(_ arguments: SetBackground) throws(ArtError) {
    let given = [
      ("--clear", arguments.clear), ("--refresh", arguments.refresh), ("--save-as", arguments.saveAs != nil),
      ("--later", arguments.later), ("--fetch-pending", arguments.fetchPending),
    ].filter(\.1).map(\.0)
    guard given.count <= 1 else {
      throw ArtError(.usage, "\(given.joined(separator: " and ")) do not go together; give one of them")
    }
    self = try Self.action(arguments, given.first)
    try check(arguments)
  }

  private static func action(_ arguments: SetBackground, _ flag: String?) throws(ArtError) -> BackgroundAction
  {
    if let flag, flag != "--later", arguments.source != nil {
      throw ArtError(.usage, "\(flag) takes no picture; leave one of them out")
    }
    if arguments.clear { return .clear }
    if arguments.refresh { return .refresh }
    if let file = arguments.saveAs { return .saveAs(file) }
    if arguments.fetchPending { return .fetchPending }
    if arguments.later {
      guard let source = arguments.source else { throw ArtError(.usage, "--later needs a URL; give one") }
      return .later(source)
    }
    if let source = arguments.source {
      try checkColor(source)
      return .set(source)
    }
    return arguments.forgetURL ? .forgetURL : .show
  }

  /// Throws `usage` for a colour that is no file: it is the canvas's.
  static func checkColor(_ source: String) throws(ArtError) {
    do throws(ArtError) { _ = try Color(typed: source) } catch { return }
    do throws(SystemError) {
      _ = try FileStatus(at: source)
      return
    } catch {
      // Another error is reported when the file is read.
      guard error.number == ENOENT else { return }
    }
    throw ArtError(
      .usage,
      "\(source) is a colour, and no picture; `emojiart canvas DOC --fill '\(source)'` sets the colour of the canvas",
      about: source)
  }

  private func check(_ arguments: SetBackground) throws(ArtError) {
    let more = [
      ("--keep-canvas", arguments.keepCanvas, takesPicture),
      ("--allow-private", arguments.allowPrivate, takesPicture),
      ("--warn", arguments.warnings.warn != nil, takesPicture),
      ("--suppress-warnings", arguments.warnings.suppressWarnings, takesPicture),
      ("--forget-url", arguments.forgetURL, takesPicture && self != .fetchPending || self == .forgetURL),
      ("--if-revision", arguments.options.ifRevision != nil, isEdit),
    ]
    for (option, isGiven, fits) in more where isGiven && !fits {
      throw ArtError(
        .usage, "\(option) is about \(option == "--if-revision" ? "an edit" : "a new picture"); \(rest)")
    }
  }

  private var takesPicture: Bool {
    switch self {
    case .set, .refresh, .fetchPending: true
    case .show, .clear, .saveAs, .later, .forgetURL: false
    }
  }

  private var isEdit: Bool {
    switch self {
    case .show, .saveAs: false
    case .set, .clear, .refresh, .later, .fetchPending, .forgetURL: true
    }
  }

  private var rest: String { self == .show ? "give one" : "leave it out" }
}
