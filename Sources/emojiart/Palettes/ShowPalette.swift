// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import ArtModel
import ArtStore

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
    if name.isEmpty { return try Self.list(palettes.all) }
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
      let emojis = palette.emojis.prefix(first).map(\.string) + (palette.emojis.count > first ? ["…"] : [])
      let row =
        "\(palette.name.string.padded(to: width))  \(palette.origin.rawValue.padded(to: 7))  "
        + String(palette.emojis.count).indented(to: 5)
      try Output.line(emojis.isEmpty ? row : "\(row)  \(emojis.joined(separator: " "))")
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
