// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import ArtModel
import ArtTerminal
import ArtWorkspace
import Glibc

struct List: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list",
    abstract: "List the documents of a folder.",
    usage: """
      emojiart list [<folder>] [--recursive] [-n <count>]
               [--graphics <how>] [--font <file>] [--json]
      """,
    discussion: """
      Prints how many emoji each document has. It reads only the counts that each document keeps; with --json it reads \
      the emoji, too, and counts those that lie off the canvas. `emojiart check` verifies the whole content. Files that are no documents, or cannot be read, are named on stderr, and the exit status is \
      that of the first one. With --recursive the documents in folders below are listed, too.

      On a terminal that can show them there are small pictures, if all of them fit two screens; else the table, if it fits one screen; \
      else counts and names in columns. EMOJIART_GRAPHICS=none is for tables without pictures. What is longer than the terminal is shown in \
      EMOJIART_PAGER, else PAGER, else less; an empty one means none.

      Examples:
        emojiart list
        emojiart list posters --recursive --json
      """)

  @Argument(help: ArgumentHelp("The folder.", valueName: "folder"), completion: .directory)
  var directory: String?
  @Flag(help: "List subfolders, too.") var recursive = false
  @OptionGroup var limits: LimitOptions
  @OptionGroup var looks: ShowOptions
  @OptionGroup var common: CommonOptions

  func run() throws {
    guard !common.json || looks.graphics == nil else {
      throw ArtError(.usage, "--json shows no pictures; leave out --graphics")
    }
    let choice = common.json ? .none : try looks.choice()
    let most = try limits.limit() ?? .max
    let folder = if let directory { try CommonOptions.listed(directory) } else { try common.currentFolder() }
    let list = try DocumentList(
      folder, recovery: .ofCommand, countsOffCanvas: common.json, isRecursive: recursive)
    let count = min(most, list.count)
    guard
      let previews = count == 0
        ? nil
        : try ListPreviews(
          choice, isRequested: looks.graphics != nil, font: looks.fontFile(), of: count, among: list.journals)
    else {
      return try Pager.show { try write(list, most: most) }
    }
    try write(list, most: most, previews)
  }

  /// Prints JSON, the table, or columns. A pipe gets the rows of the table as they come.
  private func write(_ list: DocumentList, most: Int) throws {
    var known: [(entry: DocumentList.Entry, summary: DocumentSummary)] = []
    var entries: [JSON] = []
    var isFirst = true
    let status = try read(list, most: most) { (entry, summary) in
      switch summary {
      case .success(let summary) where common.json: entries.append(json(entry, summary))
      case .success(let summary) where isatty(1) == 1: known.append((entry, summary))
      case .success(let summary):
        if isFirst { try Output.line(Self.heading) }
        isFirst = false
        try Output.line(row(entry, summary))
      case .failure(let error):
        entries.append(.object(["error": .string(error.message), "name": .string(entry.name)]))
      }
    }
    for line in lines(known) { try Output.line(line) }
    if common.json { try Output.json(.array(entries)) }
    try Output.flush()
    if status != .done { throw ExitCode(status.rawValue) }
  }

  private func write(_ list: DocumentList, most: Int, _ previews: ListPreviews) throws {
    var previews = previews
    let status = try read(list, most: most) { (entry, summary) throws in
      guard case .success(let summary) = summary, let path = entry.path else { return }
      try previews.add(path, safe(entry.name), text(summary) + (conflict(entry).map { [$0] } ?? []))
    }
    try previews.finish()
    if status != .done { throw ExitCode(status.rawValue) }
  }

  /// Reads the first documents, up to that many, and names those that cannot be read, which count. Returns the status of the first of these.
  private func read(
    _ list: DocumentList, most: Int,
    _ body: (DocumentList.Entry, Result<DocumentSummary, ArtError>) throws -> Void
  ) throws -> ExitStatus {
    var status = ExitStatus.done
    var left = most
    for entry in list {
      if left == 0 { return status }
      left -= 1
      if case .failure(let error) = entry.summary {
        // A file that is no document is told, and is no failure.
        if status == .done, error.code != .notADocument { status = ExitStatus(error.code) }
        Output.printError(error.message)
      }
      try body(entry, entry.summary)
    }
    return status
  }

  /// The table; on a terminal that it does not fit, columns of counts and names, if there is room for two.
  private func lines(_ known: [(entry: DocumentList.Entry, summary: DocumentSummary)]) -> [String] {
    guard !known.isEmpty else { return [] }
    let conflicts = known.compactMap { known in
      conflict(known.entry).map { "\(safe(known.entry.name)): \($0)" }
    }
    let terminal = TerminalSize.now(nil)
    if isatty(1) == 1, known.count + 2 > terminal.rows {
      let names = NameColumns(
        known.map { (String($0.summary.emojiCount), safe($0.entry.name)) }, columns: terminal.columns)
      if names.count > 1 { return names.lines + conflicts }
    }
    return [Self.heading] + known.map { row($0.entry, $0.summary) }
  }

  private static let heading = Style.bold("EMOJI     SIZE  MODIFIED          NAME")

  /// One row of the table.
  private func row(_ entry: DocumentList.Entry, _ summary: DocumentSummary) -> String {
    let mark = conflict(entry).map { "  (\($0))" } ?? ""
    let count = String(summary.emojiCount).indented(to: 5)
    let size = humanSize(summary.size).indented(to: 7)
    return "\(count)  \(size)  \(Time.local(summary.modified, seconds: false))  \(safe(entry.name))\(mark)"
  }

  private func conflict(_ entry: DocumentList.Entry) -> String? {
    entry.conflictOf.map { document in
      let remedy = ArtError.Remedy.merge.text(about: FilePath(document).name)
      return "conflict copy of \(safe(FilePath(document).name)); \(safe(remedy))"
    }
  }

  /// The text beside a preview.
  private func text(_ summary: DocumentSummary) -> [String] {
    let count = summary.emojiCount == 0 ? "no emoji" : "\(summary.emojiCount) emoji"
    return ["\(count), \(humanSize(summary.size))", Time.local(summary.modified, seconds: false)]
  }

  private func json(_ entry: DocumentList.Entry, _ summary: DocumentSummary) -> JSON {
    var members: [String: JSON] = [
      "emojiCount": .integer(summary.emojiCount),
      "modified": .optional(UTCTime.text(milliseconds: summary.modified * 1_000)),
      "name": .string(entry.name), "offCanvas": entry.offCanvas.map { .integer($0.count) } ?? .null,
      "revision": .integer(summary.revision), "size": .integer(summary.size),
    ]
    if let document = entry.conflictOf { members["conflictOf"] = .string(FilePath(document).name) }
    return .object(members)
  }

  private func humanSize(_ bytes: Int) -> String {
    if bytes < 1 << 20 { return "\((bytes + 1023) / 1024) KiB" }
    return "\((bytes + (1 << 20) - 1) / (1 << 20)) MiB"
  }
}
