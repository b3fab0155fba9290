// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import ArtModel
import ArtProtocol
import ArtSystem
import ArtTerminal
import ArtWorkspace

/// The document that a stream edits, as the lines of a script name it.
struct StreamDocument {
  /// Its path, as messages show it.
  let path: String
  /// The folder of documents that are given by name.
  let folder: String
  /// Whether the lines are typed at a prompt. There `--help` shows help; a line of a script would do nothing by it.
  var isPrompt = false

  /// Whether a word behind a command is this document.
  func isNamed(by word: String) -> Bool {
    let named: String
    do throws(ArtError) {
      named = try CommonOptions.file(word) { () throws(ArtError) in folder }.path
    } catch {
      // An empty word names nothing.
      return false
    }
    return FileStatus.isSameFile(named, path) || Self.location(named) == Self.location(path)
  }

  /// The same for each path of a file, also while the file is missing.
  private static func location(_ path: String) -> FilePath {
    let parts = FilePath(path)
    return FilePath(FilePath.resolvedIfThere(parts.folder) ?? parts.folder).appending(parts.name)
  }
}

/// A line of the input, and what its answer needs.
struct StreamLine {
  var request: Request
  /// The number of the line in the input, from 1; nil for one that was typed at a prompt.
  var number: Int?
  /// The mark that the caller gave it.
  var tag: ProtocolTag?
  /// The saved state that the caller knew when it first sent the request; nil if unknown.
  var since: KnownHead?
  /// Whether it may concern any number of emoji.
  var isAboutSeveral = false
  /// Describes an emoji that it has changed, as text.
  var describe: ((Emoji) -> String)?

  enum Request {
    case edit(DocumentRequest)
    /// An edit whose words are measured first.
    case caption(CaptionAction)
    case save
    case show
    /// The edits, at most that many.
    case history(most: Int?)
    /// A request about earlier states.
    case earlier(ProtocolRequest)
    /// Something that neither reads nor changes the document, and writes by `Output`.
    case look(() throws -> Void)
    case background(BackgroundLine)
    /// A request that is answered with this text.
    case help(String)
    case quit
    /// The error of an invalid line.
    case bad(ArtError)
  }
}

extension StreamLine {
  /// The direction and the number of steps of an undo or a redo; nil for every other request.
  var steps: (UndoDirection, Int)? {
    switch request {
    case .edit(.undo(let count)): (.undo, count)
    case .edit(.redo(let count)): (.redo, count)
    case .edit(.takeBack): (.undo, 1)
    default: nil
    }
  }

  /// The state to which the line goes back; nil for every other request.
  var revertedState: RevisionReference? {
    guard case .earlier(let request) = request, case .revert(let state) = request.body else { return nil }
    return state
  }

  /// The new texts that are probably mistakes.
  var mistakes: [ProbableMistake] {
    if case .edit(.action(let action)) = request { action.probableMistakes } else { [] }
  }

  /// Parses a line of JSON; nil for a blank line.
  init?(json: UnsafeBufferPointer<UInt8>) {
    do throws(ProtocolRequest.Unreadable) {
      guard let request = try ProtocolRequest(json) else { return nil }
      self.init(
        request: Request(request), tag: request.tag, since: request.since,
        isAboutSeveral: request.isAboutSeveral)
    } catch {
      self.init(request: .bad(error.error), tag: error.tag)
    }
  }
}

extension StreamLine.Request {
  fileprivate init(_ request: ProtocolRequest) {
    guard !request.isAboutEarlierStates else {
      self = .earlier(request)
      return
    }
    switch request.body {
    case .action(let action): self = .edit(.action(action))
    case .caption(let caption): self = .caption(caption)
    case .undo(let count): self = .edit(.undo(count))
    case .redo(let count): self = .edit(.redo(count))
    case .save: self = .save
    case .show: self = .show
    case .background(let background): self = .background(.request(background))
    case .revert, .keepVersion, .removeVersion, .versions: self = .earlier(request)
    }
  }
}

extension StreamLine.Request {
  fileprivate init(_ requested: RequestedEdit) {
    switch requested {
    case .action(let action): self = .edit(.action(action))
    case .caption(let caption): self = .caption(caption)
    }
  }
}

extension StreamLine {
  /// Parses `move 🐝 --by 1,1`; nil for a blank line.
  init?(words line: UnsafeBufferPointer<UInt8>, of document: StreamDocument) {
    guard let text = String(validating: line, as: UTF8.self) else {
      self.init(request: .bad(ArtError(.badValue, "a line that is no UTF-8 text")))
      return
    }
    self.init(words: text, of: document)
  }

  /// The same for a string; nil also for a comment, which begins with `#`. A line that begins with `emojiart` is one of a script: it names the
  /// document behind its command, and another document is an error.
  init?(words line: String, of document: StreamDocument) {
    guard line.unicodeScalars.first(where: { !$0.properties.isWhitespace }) != "#" else { return nil }
    do throws(ArtError) {
      // Lines from other systems end with a carriage return.
      let words = try ShellWords.split(line.hasSuffix("\r") ? String(line.dropLast()) : line)[...]
      let isOfScript = words.first == "emojiart" && words.count > 1
      guard let typed = isOfScript ? words[1] : words.first else { return nil }
      self = try Self.line(
        StreamCommands.aliases[typed] ?? typed, words.dropFirst(isOfScript ? 2 : 1),
        of: document, isOfScript: isOfScript)
    } catch {
      self.init(request: .bad(error))
    }
  }

  /// The words behind a command; in a line of a script without the document's name. Throws `usage` for a line about another document or
  /// about none, for a word that looks like an option and is none, and for a request of help in a script, where it would be an edit
  /// that is not made.
  private static func arguments(
    _ name: String, _ words: ArraySlice<String>, _ declared: DeclaredArguments, of document: StreamDocument,
    isOfScript: Bool
  ) throws(ArtError) -> CommandArguments {
    var arguments = CommandArguments(words, of: declared)
    if arguments.isHelpRequested, document.isPrompt { return arguments }
    guard !arguments.isHelpRequested else {
      throw ArtError(.usage, "--help is for the prompt; text that begins with a dash goes behind --")
    }
    let isAboutDocument = StreamCommands.areAboutDocument.contains(name)
    if isOfScript, isAboutDocument { try arguments.removeDocument(document) }
    try arguments.check(behind: isAboutDocument ? 1 : 0, help: "`help \(name)`") { words in
      "\(name) " + words.map(ArtError.Remedy.shellWord).joined(separator: " ")
    }
    return arguments
  }

  private static func line(
    _ name: String, _ rest: ArraySlice<String>, of document: StreamDocument, isOfScript: Bool
  ) throws(ArtError) -> StreamLine {
    if let type = StreamCommands.commands[name] ?? StreamCommands.looking[name] {
      return try line(name, type, rest, of: document, isOfScript: isOfScript)
    }
    guard StreamCommands.own.keys.contains(name) else {
      if let lead = StreamCommands.lead(name) {
        throw ArtError(.usage, "no command \(name); \(lead)", about: name)
      }
      throw .unknown("no command", name, among: StreamCommands.names, all: "`help` lists them")
    }
    if name == "help", rest.count <= 1 {
      return StreamLine(request: .help(try StreamCommands.help(rest.first)))
    }
    if name == "background" {
      let arguments = try arguments(name, rest, .of(name), of: document, isOfScript: isOfScript)
      guard !arguments.isHelpRequested else {
        return StreamLine(request: .help(try StreamCommands.help(name)))
      }
      return StreamLine(request: .background(try BackgroundLine(words: arguments.words()[...])))
    }
    guard rest.isEmpty else { throw ArtError(.usage, "\(name) takes no other word; see `help`") }
    return StreamLine(request: name == "save" ? .save : .quit)
  }

  /// Parses a line of a command that exists outside streams, too, with the command's own parser.
  private static func line(
    _ name: String, _ type: any ParsableCommand.Type, _ rest: ArraySlice<String>, of document: StreamDocument,
    isOfScript: Bool
  ) throws(ArtError) -> StreamLine {
    let isAboutDocument = StreamCommands.areAboutDocument.contains(name)
    let options = rest.prefix { $0 != "--" }
    for foreign in isAboutDocument ? ["--folder", "--json", "--if-revision"] : ["--json"]
    where options.contains(where: { $0 == foreign || $0.hasPrefix(foreign + "=") }) {
      throw ArtError(.usage, "\(foreign) is for all of the stream; give it to emojiart edit")
    }
    var (path, type, rest) = ([name], type, rest)
    if let standard = type.configuration.defaultSubcommand, let only = standard.configuration.commandName {
      if let typed = rest.first,
        type.configuration.subcommands.contains(where: { $0.configuration.commandName == typed })
      {
        guard typed == only else {
          throw ArtError(.usage, "palettes are only shown here; outside, `emojiart palette` changes them")
        }
        rest.removeFirst()
      }
      path.append(only)
      type = standard
    }
    let arguments = try arguments(name, rest, .of(type), of: document, isOfScript: isOfScript)
    guard !arguments.isHelpRequested else {
      return StreamLine(request: .help(try StreamCommands.help(name)))
    }
    // `document` stands where the parser expects the name of the document, which is open already. Pictures and questions are for a
    // terminal of their own.
    let words =
      path + (name == "list" ? ["--graphics", "none"] : [])
      + arguments.words(behind: isAboutDocument ? ["document"] : [])
    do {
      return try line(of: try Emojiart.parseAsRoot(words), arguments)
    } catch let error as ArtError {
      throw error
    } catch {
      throw ArtError(.usage, UsageMessage.line(Emojiart.message(for: error), more: "`help \(name)`"))
    }
  }

  private static func line(
    of command: any ParsableCommand, _ arguments: CommandArguments
  ) throws(ArtError) -> StreamLine {
    switch command {
    case let command as any EmojiCommand:
      return StreamLine(
        request: Request(try command.requested()), isAboutSeveral: true, describe: command.line)
    case let command as any StepCommand:
      if let edit = try (command as? Undo)?.editID() { return StreamLine(request: .edit(.takeBack(edit))) }
      let count = try command.steps()
      return StreamLine(
        request: .edit(command.direction == .undo ? .undo(count) : .redo(count)), isAboutSeveral: count > 1)
    case let command as Show:
      let state = try command.state.reference()
      guard arguments.options.isEmpty || state != nil && arguments.options.count <= 2 else {
        throw ArtError(
          .usage, "show takes no other words here than --at and a state; outside, `emojiart show` draws")
      }
      return StreamLine(request: state.map { .earlier(ProtocolRequest(.show(at: $0))) } ?? .show)
    case let command as Revert:
      return StreamLine(request: .earlier(ProtocolRequest(.revert(to: try command.reference()))))
    case let command as VersionCommand:
      return StreamLine(request: .earlier(ProtocolRequest(try command.request())))
    case let history as History: return StreamLine(request: .history(most: try history.limits.limit()))
    default:
      return StreamLine(
        request: .look {
          var command = command
          do { try command.run() } catch let code as ExitCode { throw ArtError.reported(code) }
        })
    }
  }
}

extension CommandArguments {
  /// Removes the document's name, the first operand. Throws `usage` for another document or none.
  fileprivate mutating func removeDocument(_ document: StreamDocument) throws(ArtError) {
    let open = safe(DocumentName.withoutEnding(document.path))
    guard let first = operands.first else {
      throw ArtError(.usage, "this line names no document; the stream edits \(open)")
    }
    if document.isNamed(by: first) { return removeFirstOperand() }
    // Behind a mistyped option, which the check names.
    guard isMistaken, operands.contains(where: document.isNamed) else {
      throw ArtError(.usage, "this line is about \(shown(first)); the stream edits \(open)")
    }
  }
}

// MARK: - Backgrounds

/// A request about the background.
enum BackgroundLine: Equatable {
  /// A request that JSON has, too. A URL is as it was typed.
  case request(ProtocolRequest.Background)
  /// A local picture of the user.
  case picture(path: String, keepsCanvas: Bool)
}

extension BackgroundLine {
  /// Parses the words behind `background`: a URL or a path, and options.
  init(words: ArraySlice<String>) throws(ArtError) {
    var source: String?
    var options: Set<String> = []
    var isPlain = false
    for word in words {
      if !isPlain, word == "--" {
        isPlain = true
      } else if !isPlain, word.hasPrefix("--") {
        guard Self.options.contains(word) else {
          throw .unknown("background has no option", word, among: Self.options)
        }
        options.insert(word)
      } else if source == nil {
        source = word
      } else {
        throw ArtError(.usage, "background takes one URL or path; quote one with blanks in it")
      }
    }
    self = try Self.parse(source, options)
  }

  static let options = ["--allow-private", "--clear", "--keep-canvas", "--later"]

  private static func parse(_ source: String?, _ options: Set<String>) throws(ArtError) -> BackgroundLine {
    if options.contains("--clear") {
      guard source == nil, options.count == 1 else {
        throw ArtError(.usage, "--clear stands alone; leave out the others")
      }
      return .request(.clear)
    }
    guard let source else { throw ArtError(.usage, "which background? give a URL, a path or --clear") }
    let (keepsCanvas, allowsPrivate) = (
      options.contains("--keep-canvas"), options.contains("--allow-private")
    )
    let isLater = options.contains("--later")
    if !isLater, let path = PictureSource.localPath(source) {
      try BackgroundAction.checkColor(path)
      return .picture(path: path, keepsCanvas: keepsCanvas)
    }
    return .request(
      try ProtocolRequest.Background(
        url: source, keepsCanvas: keepsCanvas, allowsPrivate: allowsPrivate, isLater: isLater))
  }
}

extension ArtError {
  /// The error of a line whose command has reported its errors, with a code of the same exit status.
  fileprivate static func reported(_ code: ExitCode) -> ArtError {
    let same = Code.allCases.first { ExitStatus($0).rawValue == code.rawValue }
    return ArtError(same ?? .unavailable, "not everything could be read")
  }

  static func nothingFetchedAtomically() -> ArtError {
    ArtError(
      .usage, "with --atomic nothing is fetched; use `emojiart background` before or after")
  }

  static func tooLongToKeep() -> ArtError {
    ArtError(
      .tooLarge, "a URL of more than \(Limits.urlBytes) bytes is not kept for later; leave out later")
  }

  /// The error of a line whose background was refused.
  static func refused(_ refusal: Refusal) -> ArtError {
    ArtError(refusal.reason.code, "background refused: \(refusal.reason.rawValue): \(refusal.detail)")
  }
}
