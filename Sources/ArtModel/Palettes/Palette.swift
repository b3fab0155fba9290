// SPDX-License-Identifier: Apache-2.0

/// Emoji at hand under one name, the first at place 1.
public struct Palette: Equatable, Sendable {
  /// Where a palette comes from.
  public enum Origin: String, Sendable {
    /// There from the start.
    case theme
    /// A theme that the person changed.
    case changed
    /// The person's own.
    case own
    /// Kept by itself.
    case recent
  }

  /// Emoji in one palette.
  public static let limit = 256

  /// Its name.
  public var name: PaletteName
  /// At least one, each once; of what keeps itself, perhaps none.
  public var emojis: [EmojiText]
  /// Where it comes from.
  public var origin: Origin

  /// What a person types for the emoji at a place.
  public func pick(_ place: Int) -> String { "@\(name):\(place)" }
}

/// What is to be done to a palette.
public struct PaletteEdit: Sendable {
  /// What comes in; what is in it already stays where it is, unless there is a place for it.
  public var added: [EmojiText]
  /// Where it comes in, from 1; at the end where there is none.
  public var place: Int?
  /// What goes.
  public var removed: [EmojiText]
  /// What it is called afterwards.
  public var newName: PaletteName?

  /// An edit; what goes, goes before anything comes in.
  public init(
    adding added: [EmojiText] = [], at place: Int? = nil, removing removed: [EmojiText] = [],
    renaming newName: PaletteName? = nil
  ) {
    self.added = added
    self.place = place
    self.removed = removed
    self.newName = newName
  }
}

extension PaletteEdit {
  /// What becomes of a palette's emoji. Throws `badValue`, `tooLarge`.
  func emojis(of palette: Palette) throws(ArtError) -> [EmojiText] {
    var emojis = palette.emojis
    for text in removed {
      guard let index = emojis.firstIndex(where: { $0.comparisonKey == text.comparisonKey }) else {
        throw .notInPalette(text, palette.name)
      }
      emojis.remove(at: index)
    }
    let added = added.withoutDoubles()
    if let place {
      let keys = Set(added.map(\.comparisonKey))
      emojis.removeAll { keys.contains($0.comparisonKey) }
      guard place >= 1, place - 1 <= emojis.count else {
        throw .badPalettePlace(place, upTo: emojis.count + 1)
      }
      emojis.insert(contentsOf: added, at: place - 1)
    } else {
      emojis = (emojis + added).withoutDoubles()
    }
    guard !emojis.isEmpty else { throw .emptyPalette(palette.name) }
    guard emojis.count <= Palette.limit else { throw .largePalette(palette.name, emojis.count) }
    return emojis
  }
}

extension [EmojiText] {
  /// Each once, where it stands first.
  func withoutDoubles() -> [EmojiText] {
    var seen: Set<String> = []
    return filter { seen.insert($0.comparisonKey).inserted }
  }
}
