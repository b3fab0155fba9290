// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import ArtModel
import ArtWorkspace

private let configExamples = """
  Examples:
    emojiart config sync syncthing ~/Sync/art
  """

struct Config: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "config", abstract: "Set up other programs for documents.",
    discussion: configExamples,
    subcommands: [ConfigSync.self])
}

struct ConfigSync: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "sync", abstract: "Set up programs that carry folders between machines.",
    discussion: configExamples,
    subcommands: [ConfigSyncthing.self])
}

struct ConfigSyncthing: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "syncthing",
    abstract: "Set up Syncthing for a folder of documents.",
    usage: "emojiart config sync syncthing <folder>",
    discussion: """
      Writes what belongs to one machine only into the folder's .stignore. If Syncthing runs and carries the folder, it is \
      told to keep all conflict copies, and the last five versions of what it replaces. Do this on each machine.

      \(configExamples)
      """)

  @Argument(help: "The folder.", completion: .directory) var folder: String
  @OptionGroup var common: CommonOptions

  func run() throws {
    guard !common.json else { throw ArtError(.usage, "config sync writes no JSON") }
    let folder = try SyncthingFolder(
      CommonOptions.checked(folder), path: environment("PATH") ?? "/usr/local/bin:/usr/bin:/bin")
    try checkThreads()
    let outcome = try folder.set()
    if case .inside(let above) = outcome {
      let word = ArtError.Remedy.shellWord(above)
      throw ArtError(
        .badValue,
        "syncthing carries this folder with \(above), and takes the settings of that one: `emojiart config sync syncthing \(word)`",
        about: above)
    }
    for line in try folder.ignore() { try Output.line(".stignore: \(line)") }
    switch outcome {
    case .set(let id): try Output.line("the folder \(safe(id)) keeps all conflict copies, and old versions")
    case .missing: try tellHow("syncthing is not installed on this machine")
    case .silent(let why): try tellHow("syncthing does not answer\(why.isEmpty ? "" : " (\(why))")")
    case .unknown, .inside: try tellHow("syncthing does not carry this folder")
    }
    let word = safe(ArtError.Remedy.shellWord(self.folder))
    try Output.line("run `emojiart watch \(word) --recursive --merge` on each machine")
  }

  private func tellHow(_ why: String) throws(ArtError) {
    Output.printError(
      "\(why); in its settings of the folder, set maxConflicts to -1, and File Versioning to Simple")
  }
}
