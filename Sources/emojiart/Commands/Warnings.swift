// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import ArtModel
import ArtStore

struct Warnings: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "warnings",
    abstract: "Say whether refused backgrounds are told.",
    usage: "emojiart warnings <doc> [--show | --keep | --stop]",
    discussion: """
      Where a background cannot be fetched a warning tells so, once for a document, and on a terminal asks whether it \
      should in the future. What was answered is kept on this machine, and seen and changed here. Exit statuses and \
      --json always tell of a refused background.

      Examples:
        emojiart warnings bees
        emojiart warnings bees --keep
      """)

  @Argument(help: "The document.", completion: .custom(Completion.documents)) var doc: String
  @Flag(help: "Only tell what is kept.") var show = false
  @Flag(help: "Warn of the next one.") var keep = false
  @Flag(help: "Warn no more, on this machine.") var stop = false
  @OptionGroup var common: CommonOptions

  func run() throws {
    guard [show, keep, stop].count(where: { $0 }) <= 1 else {
      throw ArtError(.usage, "--show, --keep or --stop: give one of them")
    }
    let file = try common.file(doc)
    let store = try WarningStore(for: file)
    if keep {
      try store.update { $0 = WarningRecord() }
    } else if stop {
      try store.stop()
    }
    let record = store.record()
    if common.json {
      return try Output.json(
        .object(["stopped": .boolean(record.isStopped), "told": .boolean(record.wasTold)]))
    }
    try Output.line(record.words)
  }
}

extension WarningStore {
  /// Stops the warning. Throws what keeping that throws, also where there is no place for it.
  func stop() throws(ArtError) {
    _ = try StateFolder.made()
    try update { $0.isStopped = true }
  }
}

extension WarningRecord {
  /// What becomes of the next warning.
  fileprivate var words: String {
    if isStopped { return "stopped: no refused background is told; --keep brings the warning back" }
    if wasTold {
      return
        "told once: the next refused background is not, unless it is the same again; --keep takes that back"
    }
    return "kept: the next refused background is told"
  }
}
