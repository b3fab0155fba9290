// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import ArtModel
import ArtStore
import ArtTerminal
import Glibc

struct ShowPalette: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "show",
    abstract: "List the palettes, or the emoji of some.",
    usage: "emojiart palette show [<name> ...]",
    discussion: """
      Examples:
        emojiart palette show
        emojiart palette show animals
      """)

  @Argument(help: "The palettes.", completion: .custom(Completion.palettes)) var name: [String] = []
  @OptionGroup var options: PaletteOptions

  func run() throws {
    let palettes = try PaletteStore().palettes()
    var shown: [Palette] = []
    for name in name { shown.append(try Self.palette(name, in: palettes)) }
    if options.json { return try options.write(name.isEmpty ? palettes.all : shown) }
    if name.isEmpty {
      let isCompact = isatty(1) == 1 && TerminalSize.now(nil).sizeClass == .compact
      return try isCompact ? Self.listCompactly(palettes.all) : Self.list(palettes.all)
    }
    for palette in shown { try Self.write(palette) }
  }

  private static func palette(_ typed: String, in palettes: Palettes) throws(ArtError) -> Palette {
    do throws(ArtError) {
      return try palettes.palette(typed)
    } catch {
      // A mistyped command comes here, too.
      let commands = nearest(to: typed, among: PaletteCommand.commandNames)
      guard let near = commands.first, nearest(to: typed, among: palettes.all.map(\.name.string)).isEmpty
      else { throw error }
      throw ArtError(.usage, "no palette and no command \(typed); did you mean `emojiart palette \(near)`?")
    }
  }

  /// How many emoji of each stand in the list.
  private static let first = 8

  private static func list(_ palettes: [Palette]) throws(ArtError) {
    let width = palettes.map(\.name.string.count).max() ?? 0
    try Output.line(Style.bold("\("NAME".padded(to: width))  KIND     COUNT  EMOJI"))
    for palette in palettes {
      let emojis = palette.beginning(first)
      let row =
        "\(palette.name.string.padded(to: width))  \(palette.origin.rawValue.padded(to: 7))  "
        + String(palette.emojis.count).indented(to: 5)
      try Output.line(emojis.isEmpty ? row : "\(row)  \(emojis)")
    }
  }

  /// Where there is little room: names, and fewer emoji.
  private static func listCompactly(_ palettes: [Palette]) throws(ArtError) {
    let width = palettes.map(\.name.string.count).max() ?? 0
    for palette in palettes {
      let name = palette.name.string
      try Output.line(
        palette.emojis.isEmpty ? name : "\(name.padded(to: width))  \(palette.beginning(first / 2))")
    }
  }

  private static func write(_ palette: Palette) throws(ArtError) {
    if palette.emojis.isEmpty { Output.complain("nothing was added on this machine yet") }
    let width = palette.pick(palette.emojis.count).count
    for (index, text) in palette.emojis.enumerated() {
      try Output.line("\(palette.pick(index + 1).padded(to: width))  \(text)")
    }
  }
}

extension Palette {
  /// Its first emoji, and whether there are more.
  fileprivate func beginning(_ count: Int) -> String {
    (emojis.prefix(count).map(\.string) + (emojis.count > count ? ["…"] : [])).joined(separator: " ")
  }
}
