// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import ArtModel
import ArtWorkspace

struct History: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "history",
    abstract: "List the edits of a document, newest first.",
    discussion: """
      The last 1,000 edits are kept. BY is the name that `emojiart config author` had when the edit was made, else the \
      id of the program that made it.

      Examples:
        emojiart history bees
        emojiart history bees -n 10
        emojiart history bees --json | jq '.[0].what'
      """)

  @Argument(help: "The document.", completion: .custom(Completion.documents)) var doc: String
  @OptionGroup var limits: LimitOptions
  @OptionGroup var common: CommonOptions

  func run() throws {
    let most = try limits.limit()
    let log = try Recovery.ofCommand.content(of: common.file(doc)).log.reversed().prefix(most ?? .max)
    guard !common.json else { return try Output.json(.array(log.map(json))) }
    try Pager.show { try Self.write(log) }
  }

  /// Prints the table of edits, newest first.
  static func write(_ log: some Collection<LoggedEdit>) throws(ArtError) {
    guard !log.isEmpty else { return }
    func author(_ entry: LoggedEdit) -> String { safe(entry.author ?? entry.id.origin.description) }
    let width = max(12, log.lazy.map { author($0).count }.max() ?? 0)
    try Output.line(
      Style.bold("\("REV".indented(to: 6))  \("TIME".padded(to: 19))  \("BY".padded(to: width))  WHAT"))
    for entry in log {
      let revision = String(entry.revision).indented(to: 6)
      let by = author(entry).padded(to: width)
      try Output.line("\(revision)  \(Time.local(entry.time / 1000))  \(by)  \(safe(entry.title))")
    }
  }

  private func json(_ entry: LoggedEdit) -> JSON {
    .object([
      "by": .string(entry.author ?? entry.id.origin.description), "id": .string(entry.id.description),
      "revision": .integer(entry.revision), "save": .integer(entry.save),
      "time": .optional(UTCTime.text(milliseconds: entry.time)), "what": .string(entry.title),
    ])
  }
}
