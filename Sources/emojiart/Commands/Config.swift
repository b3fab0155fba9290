// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import ArtModel
import ArtSystem
import ArtWorkspace

private let syncExamples = """
  Examples:
    emojiart config sync syncthing ~/Sync/art
  """

struct Config: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "config",
    abstract: "Show and change your settings.",
    usage: """
      emojiart config [<setting>] [--json]
      emojiart config <setting> <value>
      emojiart config <setting> --unset
      emojiart config sync syncthing <folder>
      emojiart config sync other <folder> [--unset]
      """,
    discussion: """
      Without arguments it lists the settings: the value in force, and where it comes from. The settings are in \
      config.json in the folder EMOJIART_CONFIG, else ~/.config/emojiart. A variable of the environment, such as \
      EMOJIART_AUTHOR, wins over a setting, and an option such as --size over both.

      \(Setting.explanations)

      Examples:
        emojiart config
        emojiart config author Ada
        emojiart config size 10%
        emojiart config graphics --unset
        emojiart config sync syncthing ~/Sync/art
      """,
    subcommands: [ConfigSetting.self, ConfigSync.self],
    defaultSubcommand: ConfigSetting.self)
}

/// `emojiart config [SETTING [VALUE]]`.
struct ConfigSetting: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "setting", abstract: "Show and change a setting.", shouldDisplay: false)

  @Argument(help: "The setting.", completion: .list(Setting.allCases.map(\.rawValue))) var setting: String?
  @Argument(help: "Its new value.") var value: [String] = []
  @Flag(help: "Remove the setting.") var unset = false
  @Flag(help: "Write the result as one JSON value.") var json = false

  func run() throws {
    let store = SettingsStore()
    guard let typed = setting else {
      guard !unset else { throw ArtError(.usage, "--unset: which setting? \(Setting.list)") }
      return try write(Setting.allCases)
    }
    guard let setting = Setting(rawValue: typed.lowercased()) else {
      throw ArtError.unknown("no setting", typed, among: Setting.allCases.map(\.rawValue))
    }
    guard value.count <= 1 else {
      let words = safe(value.joined(separator: " "))
      throw ArtError(.usage, "the value is one argument; put it in quotes: \"\(words)\"")
    }
    guard !unset || value.isEmpty else { throw ArtError(.usage, "a value or --unset: give one of them") }
    if unset { try store.set(setting, to: nil) }
    if let value = value.first { try store.set(setting, to: setting.absolute(value)) }
    try write([setting])
    if let message = try shadowed(setting) { Output.printError(message) }
    if setting == .font, let value = value.first { Self.explain(font: value) }
  }

  /// Says once what the chosen design demands, and whether it is there.
  private static func explain(font value: String) {
    let design = EmojiFontName(typed: value)
    if let design, EmojiFont.find(design.rawValue).first == design.rawValue {
      Output.printError("no font of \(design.rawValue) is installed; \(design.remedy)")
    }
    let file = value.split(separator: "/").last.map(String.init) ?? value
    if let credit = (design ?? EmojiFontName(fileName: file))?.credit {
      Output.printError(
        "who publishes a picture with these emoji has to say: \"\(credit)\"; the files have it in their metadata"
      )
    }
  }

  /// A notice that a variable hides the setting that was just changed; nil if none does.
  private func shadowed(_ setting: Setting) throws(ArtError) -> String? {
    guard unset || !value.isEmpty, case .variable(let name)? = try CurrentSettings.ofCommand[setting]?.source,
      name == setting.variable
    else { return nil }
    return "\(name) wins over the setting as long as it is set"
  }

  private func write(_ settings: [Setting]) throws(ArtError) {
    let current = try CurrentSettings.ofCommand
    guard !json else {
      var members: [String: JSON] = [:]
      for setting in settings {
        let value = try current[setting]
        members[setting.rawValue] = .object([
          "from": .optional(value?.source.name), "value": .optional(value?.text),
        ])
      }
      return try Output.json(.object(members))
    }
    for setting in settings {
      let value = try current[setting]
      let shown = value.map { safe($0.text) } ?? "-"
      let source = value.map { "from \($0.source.name)" } ?? setting.fallback
      try Output.line("\(setting.rawValue.padded(to: 8))  \(shown.padded(to: 16))  \(source)")
    }
  }
}

extension Setting {
  /// The names, for messages.
  static var list: String { "there are \(allCases.map(\.rawValue).joined(separator: ", "))" }

  /// What each setting is, a line each.
  static var explanations: String {
    allCases.map { "  \($0.rawValue.padded(to: 8))  \($0.explanation)" }.joined(separator: "\n")
  }

  /// What the setting is.
  var explanation: String {
    switch self {
    case .author: "Your name in `history`, `watch` and `undo`."
    case .font: "The emoji: \(EmojiFontName.list), or the file of a font."
    case .graphics: "How art is shown: \(GraphicsChoice.list)."
    case .language: "The language in which `find` knows emoji besides English."
    case .size: "The size of new emoji and captions, in pixels or percent."
    }
  }

  /// What is used where nothing is set.
  fileprivate var fallback: String {
    switch self {
    case .author: "not set: no name is stored"
    case .font: "not set: Noto Color Emoji where it is installed"
    case .graphics: "not set: the best that the terminal can show"
    case .language: "not set: the language of the locale"
    case .size: "not set: \(Length.standard) pixels"
    }
  }

  /// A font's path is stored so that it holds in each folder.
  fileprivate func absolute(_ value: String) -> String {
    guard self == .font, EmojiFontName(typed: value) == nil, let path = FilePath.resolvedIfThere(value)
    else {
      return value
    }
    return path
  }
}

struct ConfigSync: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "sync", abstract: "Set up programs that carry folders between machines.",
    discussion: syncExamples,
    subcommands: [ConfigSyncthing.self, ConfigCarried.self])
}

struct ConfigCarried: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "other",
    abstract: "Say that another program carries a folder between machines.",
    usage: "emojiart config sync other <folder> [--unset]",
    discussion: """
      The studio merges conflict copies by itself in folders that Syncthing, Dropbox, Nextcloud or ownCloud carry, which it \
      knows by the files that these put there. Elsewhere it asks, since the file may come from a stranger. This command \
      says once that another program carries a folder, with all folders in it.

      Examples:
        emojiart config sync other ~/Drive/art
      """)

  @Argument(help: "The folder.", completion: .directory) var folder: String
  @Flag(help: "No program carries it any more.") var unset = false

  func run() throws {
    let typed = try CommonOptions.checked(folder)
    guard let real = FilePath.resolvedIfThere(typed), FileStatus.isFolder(at: real) else {
      throw ArtError(.noSuchDocument, "there is no folder \(typed)", about: typed)
    }
    try CarriedFolderStore().set(real, isCarried: !unset)
    let (name, word) = (safe(real), safe(ArtError.Remedy.shellWord(folder)))
    try Output.line(
      unset
        ? "\(name): the studio asks before it merges a conflict copy"
        : "\(name): the studio merges conflict copies by itself; `emojiart watch \(word) --recursive --merge` does it without it"
    )
  }
}

struct ConfigSyncthing: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "syncthing",
    abstract: "Set up Syncthing for a folder of documents.",
    usage: "emojiart config sync syncthing <folder>",
    discussion: """
      Writes what belongs to one machine only into the folder's .stignore. If Syncthing runs and carries the folder, it is \
      told to keep all conflict copies, and the last five versions of what it replaces. Do this on each machine.

      \(syncExamples)
      """)

  @Argument(help: "The folder.", completion: .directory) var folder: String

  func run() throws {
    let folder = try SyncthingFolder(
      CommonOptions.checked(folder), path: environment("PATH") ?? "/usr/local/bin:/usr/bin:/bin")
    try prepareThreads()
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
