// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import ArtModel
import ArtWorkspace

/// `background`, on one document: what its words ask for, done and said.
struct BackgroundCommand {
  private let options: EditOptions
  private let keepsCanvas: Bool
  private let forgetsURL: Bool
  private let choice: WarningChoice?
  private let file: DocumentFile
  private let background: FileBackground<Transfer>

  /// Reads what can be wrong without looking anywhere. Throws `usage` and `badValue`.
  init(_ words: SetBackground) throws(ArtError) {
    options = words.options
    keepsCanvas = words.keepCanvas
    forgetsURL = words.forgetURL
    choice = try words.warnings.choice()
    let expected = try words.options.expectedRevision()
    file = try words.options.common.file(words.doc)
    background = FileBackground(
      file, by: .ofCommand, transfer: Transfer(), expecting: expected, allowsPrivate: words.allowPrivate,
      proxies: .ofEnvironment)
  }

  /// Does it and says what came of it; a refused picture, too, which ends the command with its code. Throws what else went wrong.
  func perform(_ deed: BackgroundDeed) throws {
    do {
      switch deed {
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
      try tell(refused)
      try Output.flush()
      throw ExitCode(ExitStatus(refused.refusal.reason.code).rawValue)
    }
  }

  private func pending(_ typed: String) throws -> PendingBackground {
    let url: BackgroundURL
    do throws(Refusal) {
      url = try BackgroundURL(typed)
    } catch {
      // Nothing was to be transferred; an error as any other. What may be a query is not told.
      throw BackgroundRefusal(error, file: String(typed.prefix { $0 != "?" }.prefix(80)))
    }
    guard let pending = try PendingBackground(later: url, at: WallClock.milliseconds()) else {
      throw ArtError(
        .tooLarge, "a URL that is to be fetched later has at most \(Limits.urlBytes) bytes; fetch it now")
    }
    return pending
  }

  /// The result, which is in the file.
  private func write(_ changed: ChangedBackground) throws(ArtError) {
    let (state, received) = (changed.state, changed.received)
    if received?.isFromURL == true { RefusalWarnings(of: file).forget() }
    if state.isChanged { Output.tell(of: "the edit itself is saved") }
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

  /// Writes the picture's bytes out, as they came.
  private func save(as path: String) throws(ArtError) {
    guard path != "-" || !options.common.json else {
      throw ArtError(.usage, "--save-as - or --json: stdout takes one of them")
    }
    // What needs no document is wrong before one is looked for.
    if path == "-" || path.isEmpty { _ = try OutputLocation(argument: path, replacing: .nothing) }
    let (background, bytes) = try background.bytes()
    let result = try OutputFile(OutputLocation(argument: path, replacing: .nothing))
    _ = result.write(bytes)
    try result.finishOrEnd()
    guard path != "-" else { return }
    Output.tell(of: "the picture is in \(path)")
    if options.common.json {
      let fields: [String: JSON] = [
        "mediaType": .string(background.mediaType), "path": .string(path), "size": .integer(bytes.count),
      ]
      return try Output.json(.object(["saved": .object(fields)]))
    }
    try Output.line(safe("\(background.kind), \(path)"))
  }

  /// Tells of a refused one: the warning to people, and with `--json` all of it to programs. What became of the document
  /// stands behind the reason.
  private func tell(_ refused: BackgroundRefusal) throws(ArtError) {
    if options.common.json { try Output.line(refused.json) }
    guard refused.asked != nil else {
      // A file of one's own that is no picture is an error as any other.
      if choice != .never { Output.complain("\(refused.text); \(file.path) is as it was") }
      return
    }
    RefusalMessages.tell(
      refused.refusalWithAftermath, of: file, choice, asked: refused.asked, mayAsk: !options.common.json)
  }
}

/// `new --background`: the document with its picture, or nothing at all.
struct NewWithBackground {
  let file: DocumentFile
  /// Nil where the canvas is to take the picture's size.
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
      Output.complain("\(file.path) is not made: \(refused.text)")
      throw ExitCode(ExitStatus(refused.refusal.reason.code).rawValue)
    }
    Output.tell(of: "the document itself is there")
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
  /// What a person gives a command: a URL, a path, or `-` for stdin. Throws `badURL` and `scheme` for a URL that is none.
  init(argument: String) throws(Refusal) {
    self = argument == "-" ? .descriptor(0, name: "stdin") : try PictureSource(typed: argument)
  }
}
