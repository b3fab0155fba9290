// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtSystem
import ArtTerminal
import ArtWorkspace
import Glibc

/// The work of `import`: one file after the other. An error of one file is reported, and the next one follows.
struct Importing {
  private let settings: ImportSettings
  private let list: ImportList
  private var importer: Importer<Transfer>
  private var progress = ImportProgress(total: 0)
  private var done = 0
  /// The number of files whose documents were there already.
  private var existing = 0
  /// Whether there is one source.
  private var isOne: Bool { !list.hasFolder && list.sources.count == 1 }
  private let start = ContinuousClock.now
  private let isShown = isatty(2) == 1

  init(_ settings: ImportSettings, _ list: ImportList) {
    (self.settings, self.list) = (settings, list)
    let options = ImportOptions(
      isOffline: settings.isOffline, allowsPrivate: settings.allowsPrivate,
      demand: settings.isStrict ? .everything : .something, hint: RefusalMessages.hint)
    importer = Importer(list, options, transfer: Transfer(), notice: { Output.printError($0.message) })
  }

  /// The exit status, from the first failure.
  var status: ExitStatus { importer.tally.firstFailure.map { ExitStatus($0) } ?? .done }

  /// Throws when results cannot be printed, and when stdin cannot be read.
  mutating func run() throws {
    progress = ImportProgress(total: list.sources.count)
    try printSkipped()
    // Reads stdin before signals are blocked, so that a user at a terminal can cancel.
    let stdin = try list.sources.first { $0.path == nil }.map { (_) throws(ArtError) in
      try SourceBytes(descriptor: 0, name: "stdin")
    }
    let signals = SignalSource()
    Output.wait(until: signals)
    for source in list.sources {
      if let number = signals.next() { try end(by: number) }
      do { try bringIn(source, stdin) } catch let interruption as Interruption {
        try end(by: interruption.number)
      }
      done += 1
      try showBar()
    }
    try finish()
    Output.wait(until: nil)
    signals.release()
  }

  private mutating func bringIn(_ source: ImportSource, _ stdin: SourceBytes?) throws {
    let document: ImportedDocument
    do {
      guard let foreign = try importer.read(source, bytes: stdin) else { return }
      if foreign.background != nil {
        // Report the result before waiting for the next file, when the user may cancel.
        hideBar()
        try Output.flush()
      }
      document = try importer.make(foreign, from: source)
    } catch ImportFailure.targetExists where settings.skipsExisting {
      existing += 1
      return
    } catch let failure as ImportFailure {
      var notes: ExchangeReport?
      if case .incomplete(let report) = failure {
        hideBar()
        for line in report.lines { Output.printError("\(source.name): \(line)") }
        notes = report
      }
      let isTaken = if case .targetExists = failure { true } else { false }
      return try fail(
        source.name, ArtError(failure, of: source.name, isStrict: settings.isStrict, isOne: isOne), notes,
        isTaken: isTaken)
    }
    if let refusal = document.refusal {
      let file = DocumentFile(document.path)
      RefusalMessages.warn(refusal, of: file, settings.choice, asked: nil, mayAsk: false)
    }
    Output.addToErrors("the documents themselves are there")
    if settings.isJSON { return try Output.line(document.json) }
    for line in document.lines { try Output.line(safe(line)) }
    guard let notice = document.offCanvasNotice else { return }
    hideBar()
    try Output.flush()
    Output.printError(notice)
  }

  /// Reports the failure of a source, with what of it would have been left out.
  private mutating func fail(
    _ name: String, _ error: ArtError, _ notes: ExchangeReport? = nil, isTaken: Bool = false
  ) throws(ArtError) {
    importer.tally.addFailure(error.code, isTaken: isTaken)
    hideBar()
    // An error of the text itself names no file, and may begin like a name.
    let isNamed =
      error.code != .badJSON && error.code != .notADocument
      && error.message.unicodeScalars.starts(with: "\(name) ".unicodeScalars)
    Output.printError(isNamed ? error.message : "\(name): \(error.message)")
    guard settings.isJSON else { return }
    var fields: [String: JSON] = [
      "code": .string(error.code.rawValue), "message": .string(error.message), "source": .string(name),
    ]
    if let notes { fields["notes"] = notes.json }
    try Output.json(.object(["failed": .object(fields)]))
  }
}

extension Importing {
  private mutating func printSkipped() throws(ArtError) {
    for (name, kind) in list.passed { Output.printError("\(name) is \(kind), and is skipped") }
    for (name, error) in list.faults { try fail(name, error) }
  }

  private mutating func finish() throws(ArtError) {
    hideBar()
    if settings.isJSON {
      try Output.line(importer.tally.json(existing: existing))
    } else if !isOne || existing > 0 {
      try Output.line(importer.tally.text(existing: existing))
    }
    try Output.flush()
  }

  private mutating func end(by number: Int32) throws(ArtError) -> Never {
    Output.beginLast(before: number)
    try finish()
    let left = list.sources.count - done
    Output.printError(
      "interrupted: \(left.of("file is", "files are")) left, the imported documents are whole")
    SignalSource.die(of: number)
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

/// The arguments of `import`, parsed before any file is opened.
struct ImportSettings {
  let files: [String]
  let name: String?
  let into: String?
  let isRecursive: Bool
  let isStrict: Bool
  let skipsExisting: Bool
  let isOffline: Bool
  let allowsPrivate: Bool
  let choice: WarningChoice?
  let common: CommonOptions

  var isJSON: Bool { common.json }

  /// Throws `usage` and `badValue`.
  init(_ arguments: Import) throws(ArtError) {
    files = arguments.files
    name = arguments.name
    into = try arguments.into.map { (folder) throws(ArtError) in try CommonOptions.checked(folder) }
    isRecursive = arguments.recursive
    isStrict = arguments.strict
    skipsExisting = arguments.skipExisting
    isOffline = arguments.offline
    allowsPrivate = arguments.allowPrivate
    choice = try arguments.warnings.choice()
    common = arguments.common
    try check()
  }

  private func check() throws(ArtError) {
    if let name {
      guard files.count == 1 else {
        throw ArtError(.usage, "--as names one document, and there are \(files.count) files; use --into")
      }
      if into != nil, FilePath(name).hasSlash {
        throw ArtError(.usage, "--as with a path, or --into: give one of them")
      }
    }
    if files.contains("-"), name == nil || files.count > 1 {
      throw ArtError(.usage, "- stands for stdin, alone and with a name for the document; add --as")
    }
    if isOffline, allowsPrivate {
      throw ArtError(.usage, "--offline fetches nothing, so that --allow-private has no use; leave one out")
    }
  }

  /// All files to be imported. Throws when the import cannot start at all.
  func list() throws(ArtError) -> ImportList {
    let folder = if let into { into } else { try common.currentFolder() }
    var list = ImportList(folder: folder, isRecursive: isRecursive)
    for file in files {
      guard file != "-" else {
        list.add(.bytes(name: "stdin", target: try target(name ?? "")))
        continue
      }
      guard !file.isEmpty else { throw ArtError(.badValue, "an empty name is no file; give one") }
      let isFolder = FileStatus.isFolder(at: file)
      if let name {
        guard !isFolder else {
          throw ArtError(.usage, "\(file) is a folder, and --as names one document; use --into")
        }
        list.add(ImportSource(file, target: try target(name)))
      } else if isFolder {
        list.addFolder(file)
      } else {
        list.addFile(file)
      }
    }
    return list
  }

  private func target(_ name: String) throws(ArtError) -> String {
    var options = common
    options.folder = into ?? common.folder
    return try options.newFile(name).path
  }
}
