// SPDX-License-Identifier: Apache-2.0

// What can be wrong with a palette, and what there is instead: one line each.

extension ArtError {
  static func badPaletteName(_ typed: String) -> ArtError {
    ArtError(
      .badValue,
      "\"\(typed[...].shortened(to: 40))\" is no name for a palette; give letters, digits and hyphens, a letter first, "
        + "at most \(PaletteName.byteLimit) bytes, such as bugs")
  }

  static func takenPaletteName(_ typed: String) -> ArtError {
    ArtError(
      .badValue,
      "\"\(typed)\" is no name for a palette: @last names the emoji that came in last; give another one")
  }

  static func noSuchPalette(_ typed: String, in palettes: Palettes) -> ArtError {
    guard typed.lowercased() != PaletteName.taken else {
      return ArtError(
        .badValue, "no palette last; @last names the emoji that came in last, where one is moved or changed")
    }
    let near = nearest(to: typed, among: palettes.all.map(\.name.string))
    let hint =
      near.isEmpty
      ? "`emojiart palette` lists what is there" : "did you mean \(near.joined(separator: " or "))?"
    return ArtError(.badValue, "no palette \(typed.isEmpty ? "\"\"" : typed[...].shortened(to: 40)); \(hint)")
  }

  static func paletteExists(_ name: PaletteName) -> ArtError {
    ArtError(.exists, "a palette \(name) exists already; change it with `emojiart palette edit`")
  }

  static func recentPalette() -> ArtError {
    ArtError(.badValue, "recent keeps itself; `emojiart palette reset recent` empties it")
  }

  static func noTheme(_ name: PaletteName, in palettes: Palettes) -> ArtError {
    guard palettes[name] != nil else { return .noSuchPalette(name.string, in: palettes) }
    return ArtError(
      .badValue, "\(name) was not there from the start; `emojiart palette remove \(name)` takes it away")
  }

  static func notInPalette(_ text: EmojiText, _ name: PaletteName) -> ArtError {
    ArtError(.badValue, "no \(text) in the palette \(name); `emojiart palette show \(name)` lists it")
  }

  static func emptyPalette(_ name: PaletteName) -> ArtError {
    ArtError(
      .badValue, "nothing would be left in \(name); `emojiart palette remove \(name)` takes it away")
  }

  static func largePalette(_ name: PaletteName, _ count: Int) -> ArtError {
    ArtError(
      .tooLarge,
      "\(name) would have \(count) emoji; a palette has at most \(Palette.limit): begin another one"
    )
  }

  static func tooManyPalettes() -> ArtError {
    ArtError(.tooLarge, "there are at most \(Palettes.limit) own palettes; remove one")
  }

  static func badPalettePlace(_ place: Int, upTo last: Int) -> ArtError {
    ArtError(.badValue, "\(place) is no place in the palette; give a number from 1 to \(last)")
  }

  static func noPlace(in palette: Palette) -> ArtError {
    ArtError(.badValue, "which of \(palette.name)? \(palette.choices)")
  }

  static func noSuchPlace(_ typed: String, in palette: Palette) -> ArtError {
    ArtError(
      .badValue, "no \(typed[...].shortened(to: 40)) in the palette \(palette.name); \(palette.choices)")
  }
}

extension Palette {
  /// What there is, on one line: all of a short palette, the ends of a long one.
  fileprivate var choices: String {
    guard let first = emojis.first, let last = emojis.last else { return "it is empty" }
    guard emojis.count > 9 else {
      return "there are "
        + emojis.enumerated().map { "\(pick($0.offset + 1)) \($0.element)" }.joined(separator: ", ")
    }
    return "it goes from \(pick(1)) \(first) to \(pick(emojis.count)) \(last); "
      + "`emojiart palette show \(name)` lists it"
  }
}
