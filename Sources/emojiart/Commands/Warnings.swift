// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import ArtModel
import ArtWorkspace

struct Warnings: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "warnings",
    abstract: "Show or change whether refused backgrounds are reported.",
    usage: "emojiart warnings <doc> [--show | --keep | --stop]",
    discussion: """
      If a background cannot be fetched, a warning reports it, once for a document. On a terminal it asks whether to warn \
      in the future. The answer is kept on this machine; this command shows and changes it. Exit statuses and --json \
      always report a refused background.

      Examples:
        emojiart warnings bees
        emojiart warnings bees --keep
      """)

  @Argument(help: "The document.", completion: .custom(Completion.documents)) var doc: String
  @Flag(help: "Only show the state.") var show = false
  @Flag(help: "Warn of the next one.") var keep = false
  @Flag(help: "Do not warn any more, on this machine.") var stop = false
  @OptionGroup var common: CommonOptions

  func run() throws {
    guard [show, keep, stop].count(where: { $0 }) <= 1 else {
      throw ArtError(.usage, "--show, --keep or --stop: give one of them")
    }
    let file = try common.file(doc)
    let warnings = RefusalWarnings(of: file)
    if keep {
      try warnings.keep()
    } else if stop {
      try warnings.stop()
    }
    let (state, record) = try warnings.state()
    if common.json {
      return try Output.json(
        .object(["stopped": .boolean(record.isStopped), "told": .boolean(record.wasShown)]))
    }
    try Output.line(Self.text(state))
  }

  /// What happens to the next warning.
  private static func text(_ state: RefusalWarnings.State) -> String {
    switch state {
    case .stopped:
      "stopped: a refused background is reported only to the command that asks for it; --keep brings the warning back"
    case .shown:
      "reported once: the next refused background is reported only to the command that asks for it; --keep brings the warning back"
    case .active: "kept: the next refused background is reported"
    }
  }
}
