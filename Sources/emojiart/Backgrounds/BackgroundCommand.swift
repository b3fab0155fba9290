// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import ArtModel
import ArtWorkspace

/// The work of `background` on one document, and its output.
struct BackgroundCommand {
  private let options: EditOptions
  private let keepsCanvas: Bool
  private let forgetsURL: Bool
  private let choice: WarningChoice?
  private let file: DocumentFile
  private let background: FileBackground<Transfer>

  /// Checks the arguments without reading any file. Throws `usage` and `badValue`.
  init(_ arguments: SetBackground) throws(ArtError) {
    options = arguments.options
    keepsCanvas = arguments.keepCanvas
    forgetsURL = arguments.forgetURL
    choice = try arguments.warnings.choice()
    let expected = try arguments.options.expectedRevision()
    file = try arguments.options.common.file(arguments.doc)
    background = try FileBackground(
      file, by: .ofCommand, transfer: Transfer(), expecting: expected, allowsPrivate: arguments.allowPrivate,
      proxies: .ofEnvironment)
  }

  /// Performs the change and prints the result. A refused picture is reported, too, and determines the exit status.
  /// Throws all other errors.
  func perform(_ action: BackgroundAction) throws {
    do {
      switch action {
      case .show: try show()
      case .saveAs(let path): try save(as: path)
      case .set(let typed):
        try write(
          background.set(
            PictureSource(argument: typed), typed: typed, keepsCanvas: keepsCanvas, forgetsURL: forgetsURL))
      case .refresh: try write(background.refresh(keepsCanvas: keepsCanvas, forgetsURL: forgetsURL))
      case .fetchPending: try write(background.fetchPending(keepsCanvas: keepsCanvas))
      case .later(let typed): try write(background.change(.later(pending(typed))))
      case .clear: try write(background.change(.clear))
      case .forgetURL: try write(background.change(.forgetURL))
      }
    } catch let refused as BackgroundRefusal {
      try report(refused)
      try Output.flush()
      throw ExitCode(ExitStatus(refused.refusal.reason.code).rawValue)
    }
  }

  private func pending(_ typed: String) throws -> PendingBackground {
    let url: BackgroundURL
    do throws(Refusal) {
      url = try BackgroundURL(typed)
    } catch {
      // Nothing was to be fetched, so this is an ordinary error. The part behind `?` may be a query, and is not shown.
      throw BackgroundRefusal(error, file: String(typed.prefix { $0 != "?" }.prefix(80)))
    }
    guard let pending = try PendingBackground(later: url, at: WallClock.milliseconds()) else {
      throw ArtError(
        .tooLarge, "a URL that is to be fetched later has at most \(Limits.urlBytes) bytes; fetch it now")
    }
    return pending
  }

  /// Prints the result, which is saved already.
  private func write(_ changed: ChangedBackground) throws(ArtError) {
    let (state, received) = (changed.state, changed.received)
    if received?.isFromURL == true { RefusalWarnings(of: file).forget() }
    if state.isChanged { Output.addToErrors("the edit itself is saved") }
    if options.common.json {
      return try Output.line(state.json(received?.picture, unchanged: received != nil && !state.isChanged))
    }
    guard let received else {
      for line in state.lines { try Output.line(safe(line)) }
      return
    }
    try Output.line(safe(received.text + (state.isChanged ? "" : ", unchanged")))
  }

  private func show() throws(ArtError) {
    let state = try background.state()
    if options.common.json { return try Output.line(state.json()) }
    for line in state.lines { try Output.line(safe(line)) }
  }

  /// Writes the original bytes of the picture to a file.
  private func save(as path: String) throws(ArtError) {
    guard path != "-" || !options.common.json else {
      throw ArtError(.usage, "--save-as - or --json: stdout takes one of them")
    }
    // Checks that need no document come first.
    if path == "-" || path.isEmpty { _ = try OutputLocation(argument: path, replacing: .nothing) }
    let (background, bytes) = try background.bytes()
    let result = try OutputFile(of: OutputLocation(argument: path, replacing: .nothing))
    _ = result.write(bytes)
    try result.finishOrEnd()
    guard path != "-" else { return }
    Output.addToErrors("the picture is in \(path)")
    if options.common.json {
      let fields: [String: JSON] = [
        "mediaType": .string(background.mediaType), "path": .string(path), "size": .integer(bytes.count),
      ]
      return try Output.json(.object(["saved": .object(fields)]))
    }
    try Output.line(safe("\(background.kind), \(path)"))
  }

  /// Reports a refusal: as a warning on stderr, and with `--json` completely on stdout. The reason includes what
  /// happened to the document.
  private func report(_ refused: BackgroundRefusal) throws(ArtError) {
    if options.common.json { try Output.line(refused.json) }
    guard refused.asked != nil else {
      // A local file that is no picture is an ordinary error.
      if choice != .never { Output.printError("\(refused.text); \(file.path) is as it was") }
      return
    }
    RefusalMessages.warn(
      refused.refusalWithAftermath, of: file, choice, asked: refused.asked, mayAsk: !options.common.json)
  }
}

/// The work of `new --background`: creates the document with its picture, or nothing at all.
struct NewWithBackground {
  let file: DocumentFile
  /// Nil when the canvas takes the size of the picture.
  let canvas: Canvas?
  let isJSON: Bool

  func run(_ typed: String) throws {
    let received: ReceivedPicture
    do {
      received = try Documents(by: .ofCommand).create(
        file, canvas: canvas, background: PictureSource(argument: typed), typed: typed, transfer: Transfer(),
        proxies: .ofEnvironment)
    } catch let refused as BackgroundRefusal {
      if isJSON { try Output.line(refused.json) }
      try Output.flush()
      Output.printError("\(file.path) is not made: \(refused.text)")
      throw ExitCode(ExitStatus(refused.refusal.reason.code).rawValue)
    }
    Output.addToErrors("the document itself is there")
    if isJSON {
      let state = BackgroundState(
        background: try Background(received.picture, from: received.url), pending: nil, revision: 0)
      try Output.line(state.json(received.picture, path: file.path))
    } else {
      try Output.line(safe(file.path))
      try Output.line(safe(received.text))
    }
  }
}

extension PictureSource {
  /// Parses an argument: a URL, a path, or `-` for stdin. Throws `badURL` and `scheme` for an invalid URL.
  init(argument: String) throws(Refusal) {
    self = argument == "-" ? .descriptor(0, name: "stdin") : try PictureSource(typed: argument)
  }
}
