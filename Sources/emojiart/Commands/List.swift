// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import ArtModel
import ArtWorkspace

struct List: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list",
    abstract: "List the documents of a folder.",
    usage: """
      emojiart list [<folder>] [--graphics <how>] [--font <file>]
               [--folder <folder>] [--json]
      """,
    discussion: """
      Prints how many emoji each document has. It reads only the counts that each document keeps; with --json it reads \
      the emoji, too, and counts those that lie off the canvas. `emojiart check` verifies the whole content. Files that are no documents, or cannot be read, are named on stderr, and the exit status is \
      that of the first one.

      Examples:
        emojiart list
        emojiart list posters --json
      """)

  @Argument(help: "The folder.", completion: .directory) var directory: String?
  @OptionGroup var looks: ShowOptions
  @OptionGroup var common: CommonOptions

  func run() throws {
    let choice = try looks.choice()
    guard !common.json || looks.graphics == nil else {
      throw ArtError(.usage, "--json shows no pictures; leave out --graphics")
    }
    let folder = if let directory { try CommonOptions.checked(directory) } else { try common.currentFolder() }
    var entries: [JSON] = []
    var isFirst = true
    var status = ExitStatus.done
    let list = try DocumentList(folder, recovery: .ofCommand, countsOffCanvas: common.json)
    var previews =
      common.json || list.count == 0
      ? nil : try ListPreviews(choice, font: looks.fontFile(), of: list.count, among: list.journals)
    for entry in list {
      let summary: DocumentSummary
      do throws(ArtError) {
        summary = try entry.summary.get()
      } catch {
        if status == .done { status = ExitStatus(error.code) }
        if common.json {
          entries.append(.object(["error": .string(error.message), "name": .string(entry.name)]))
        }
        Output.printError(error.message)
        continue
      }
      if common.json {
        entries.append(json(entry, summary))
      } else if let path = entry.path, previews != nil {
        try previews?.add(path, safe(entry.name), text(summary) + (conflict(entry).map { [$0] } ?? []))
      } else {
        if isFirst { try Output.line(Style.bold("EMOJI     SIZE  MODIFIED          NAME")) }
        isFirst = false
        try Output.line(row(entry.name, summary) + (conflict(entry).map { "  (\($0))" } ?? ""))
      }
    }
    try previews?.finish()
    if common.json { try Output.json(.array(entries)) }
    try Output.flush()
    if status != .done { throw ExitCode(status.rawValue) }
  }

  /// One row of the table.
  private func row(_ name: String, _ summary: DocumentSummary) -> String {
    let count = String(summary.emojiCount).indented(to: 5)
    let size = humanSize(summary.size).indented(to: 7)
    return "\(count)  \(size)  \(Time.local(summary.modified, seconds: false))  \(safe(name))"
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
      "emojis": .integer(summary.emojiCount),
      "modified": .optional(Time.utc(summary.modified)),
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
