// SPDX-License-Identifier: Apache-2.0

import ArtExchange
import ArtModel
import ArtStore
import Glibc

/// The work of `import`: one file after the other. What goes wrong with one is told, and the next one follows.
struct Importing {
  private let settings: ImportSettings
  private(set) var tally = ImportTally()
  private var progress = ImportProgress(total: 0)
  private var done = 0
  private let start = ContinuousClock.now
  private let isShown = isatty(2) == 1
  private var random = SystemRandomNumberGenerator()
  /// The folder that the last document went to.
  private var folder: String?

  init(_ settings: ImportSettings) { self.settings = settings }

  /// Throws what keeps it from telling, and from reading stdin.
  mutating func run(_ list: ImportList) throws {
    progress = ImportProgress(total: list.sources.count)
    try tellOfPassed(list)
    // Before signals are held back: a person at a terminal may give up.
    let stdin = try list.sources.first { $0.path == nil }.map { (_) throws(ArtError) in
      try SourceBytes.stdin()
    }
    let held = HeldSignals()
    Output.wait(until: held)
    for source in list.sources {
      if let number = held.next() { try end(by: number, of: list) }
      do { try take(source, stdin) } catch let interruption as Interruption {
        try end(by: interruption.number, of: list)
      }
      done += 1
      try showBar()
    }
    try finish(list)
    Output.wait(until: nil)
    held.release()
  }

  private mutating func take(_ source: ImportSource, _ stdin: SourceBytes?) throws {
    let foreign: ForeignArt?
    do throws(ArtError) { foreign = try self.foreign(source, stdin) } catch {
      return try fail(source.name, error)
    }
    guard let foreign else { return }
    if foreign.background != nil {
      // What is done is told before anybody waits, who may give up.
      hideBar()
      try Output.flush()
    }
    let document: ImportedDocument
    do { document = try make(foreign, source) } catch let error as ArtError {
      return try fail(source.name, error)
    }
    tally.add(document)
    Output.tell(of: "the documents themselves are there")
    if settings.isJSON { return try Output.line(document.json) }
    for line in document.lines { try Output.line(safe(line)) }
  }

  private mutating func fail(_ name: String, _ error: ArtError) throws(ArtError) {
    tally.add(error)
    hideBar()
    // What is wrong with the text itself is said without a name, and may begin as one.
    let isNamed =
      error.code != .badJSON && error.code != .notADocument
      && error.message.unicodeScalars.starts(with: "\(name) ".unicodeScalars)
    Output.complain(isNamed ? error.message : "\(name): \(error.message)")
    guard settings.isJSON else { return }
    let fields: [String: JSON] = [
      "code": .string(error.code.rawValue), "message": .string(error.message), "source": .string(name),
    ]
    try Output.json(.object(["failed": .object(fields)]))
  }
}

extension Importing {
  private mutating func tellOfPassed(_ list: ImportList) throws(ArtError) {
    tally.others = list.others
    tally.special = list.passed.count
    tally.folders = list.foldersPassed
    for (name, kind) in list.passed { Output.complain("\(name) is \(kind), and is passed over") }
    for (name, error) in list.faults { try fail(name, error) }
  }

  private mutating func finish(_ list: ImportList) throws(ArtError) {
    hideBar()
    if settings.isJSON {
      try Output.line(tally.json)
    } else if list.hasFolder || list.sources.count > 1 {
      try Output.line(tally.words)
    }
    try Output.flush()
  }

  private mutating func end(by number: Int32, of list: ImportList) throws(ArtError) -> Never {
    Output.beginLast(before: number)
    try finish(list)
    let left = list.sources.count - done
    Output.complain(
      "interrupted: \(left.of("file is", "files are")) left, the documents that came in are whole")
    StreamSignals.die(of: number)
  }

  private mutating func showBar() throws(ArtError) {
    let time = ContinuousClock.now - start
    guard isShown, progress.isDue(at: time) else { return }
    hideBar()
    try Output.flush()
    Output.writeError(progress.drawing(done, at: time, columns: Transfer.columns))
  }

  private mutating func hideBar() {
    let text = progress.clearing()
    if !text.isEmpty { Output.writeError(text) }
  }
}

extension Importing {
  /// What a file holds; nil for what is passed over.
  private mutating func foreign(_ source: ImportSource, _ stdin: SourceBytes?) throws(ArtError) -> ForeignArt?
  {
    let found: SourceBytes
    if let path = source.path {
      found = try SourceBytes(path, followsLinks: !source.isFound)
    } else {
      found = stdin ?? SourceBytes()
    }
    if found.kind == .document {
      guard source.isFound else {
        throw ArtError(.badValue, "\(source.name) is an emojiart document already; copy it with cp")
      }
      tally.own += 1
      return nil
    }
    if source.isFound, !source.hasEnding, found.kind == .other || found.bytes.isEmpty {
      tally.others += 1
      return nil
    }
    do throws(ArtError) {
      let foreign = try found.foreign()
      try checkRoom(for: source)
      return foreign
    } catch {
      guard error.code == .notADocument, source.isFound, !source.isCalledDocument else { throw error }
      tally.others += 1
      return nil
    }
  }

  /// Nobody should fetch for nothing. That nothing is replaced is seen to when the document is made.
  private func checkRoom(for source: ImportSource) throws(ArtError) {
    guard CommonOptions.isName(source.target) else {
      throw ArtError(.badValue, "no document can be called \"\(source.target)\"; give it a name with --as")
    }
    var status = stat()
    guard lstat(source.target, &status) != 0 else { throw .targetExists(source.target) }
  }

  private mutating func make(_ foreign: ForeignArt, _ source: ImportSource) throws -> ImportedDocument {
    let file = DocumentFile(source.target, notice: { Output.complain($0) })
    let background =
      if let named = foreign.background {
        try ImportBackground(
          named, by: Transfer(documentAt: file.path), isOffline: settings.isOffline,
          allowsPrivate: settings.allowsPrivate)
      } else {
        ImportBackground()
      }
    let pending = background.pending.map {
      (url: $0.url, since: millisecondsSince1970(), reason: $0.reason)
    }
    var (content, report) = try foreign.content(
      picture: background.picture, digest: background.picture?.digest, url: background.url, pending: pending,
      using: &random)
    for note in background.notes { report.note(note) }
    if settings.isOffline { try content.leaveUnfetched() }
    try makeFolder(of: source.target)
    do throws(ArtError) { try file.create(content, picture: background.picture) } catch {
      throw error.code == .exists ? ArtError.targetExists(source.target) : error
    }
    if let refusal = background.refusal { RefusalWarning.tell(refusal, of: file, settings.choice) }
    return ImportedDocument(
      source: source.name, path: source.target, dialect: foreign.dialect, found: foreign.emojisFound,
      content: content, report: report)
  }

  private mutating func makeFolder(of path: String) throws(ArtError) {
    let wanted = PathParts(path).folder
    guard folder != wanted else { return }
    try FolderMaking.make(wanted)
    folder = wanted
  }
}

extension DocumentContent {
  /// What our own JSON says is still to come is left alone, too, until somebody asks for it.
  fileprivate mutating func leaveUnfetched() throws(ArtError) {
    guard let pending else { return }
    setPending(
      try PendingBackground(
        url: pending.url, since: pending.since, reason: "offline", anchor: pending.anchor))
  }
}

extension ArtError {
  fileprivate static func targetExists(_ path: String) -> ArtError {
    ArtError(.exists, "\(path) exists already; choose another name with --as, or a folder with --into")
  }
}
