// SPDX-License-Identifier: Apache-2.0

/// All palettes of a person: the themes that are there from the start, the person's own, and what was added last.
///
/// A theme that is edited becomes the person's own version of it, and one that is removed is kept as an empty one, until
/// it is reset.
public struct Palettes: Equatable, Sendable {
  /// Palettes that one person may have.
  public static let limit = 256

  /// What differs from the themes: own palettes, own versions of themes, and empty ones for themes that are removed.
  public private(set) var own: [PaletteName: [EmojiText]]
  /// What was added last, newest first. Not part of a person's configuration.
  public var recent: [EmojiText] = []

  /// The themes only.
  public init() { own = [:] }

  /// With what a file says. Checked by its reader.
  init(own: [PaletteName: [EmojiText]]) { self.own = own }

  /// All of them by name.
  public var all: [Palette] {
    let names = Set(Themes.names).union(own.keys).union([.recent])
    return names.sorted().compactMap { self[$0] }
  }

  /// The palette of that name; nil where there is none.
  public subscript(name: PaletteName) -> Palette? {
    if name == .recent { return Palette(name: name, emojis: recent, origin: .recent) }
    let theme = Themes.emojis(of: name)
    guard let mine = own[name] else {
      return theme.map { Palette(name: name, emojis: $0, origin: .theme) }
    }
    return mine.isEmpty ? nil : Palette(name: name, emojis: mine, origin: theme == nil ? .own : .changed)
  }

  /// The palette of that name. Throws `badValue` with what is near.
  public func palette(_ name: PaletteName) throws(ArtError) -> Palette {
    guard let palette = self[name] else { throw .noSuchPalette(name.string, in: self) }
    return palette
  }

  /// The same for a name as it was typed.
  public func palette(_ typed: String) throws(ArtError) -> Palette {
    // What cannot be a name is none that there is.
    guard let name = try? PaletteName(typed) else { throw .noSuchPalette(typed, in: self) }
    return try palette(name)
  }
}

extension Palettes {
  /// Makes a palette; one that is given twice is in it once. Throws `exists`, `badValue`, `tooLarge`.
  public mutating func make(_ name: PaletteName, of emojis: [EmojiText]) throws(ArtError) {
    try checkNew(name)
    let edit = PaletteEdit(adding: emojis)
    var changed = self
    changed.own[name] = try edit.emojis(of: Palette(name: name, emojis: [], origin: .own))
    try changed.checkCount()
    self = changed
  }

  /// Changes one, and returns what it is afterwards. Throws `badValue`, `exists`, `tooLarge`; then nothing is changed.
  @discardableResult
  public mutating func edit(_ name: PaletteName, _ edit: PaletteEdit) throws(ArtError) -> Palette {
    let palette = try editable(name)
    let emojis = try edit.emojis(of: palette)
    let target = edit.newName ?? name
    var changed = self
    if target != name {
      try checkNew(target)
      changed.drop(name)
    }
    changed.own[target] = emojis == Themes.emojis(of: target) ? nil : emojis
    try changed.checkCount()
    self = changed
    return try self.palette(target)
  }

  /// Takes one away. Throws `badValue`.
  public mutating func remove(_ name: PaletteName) throws(ArtError) {
    _ = try editable(name)
    drop(name)
  }

  /// Makes a theme again what it was from the start. Throws `badValue` for what is no theme.
  public mutating func reset(_ name: PaletteName) throws(ArtError) {
    guard Themes.emojis(of: name) != nil else { throw .noTheme(name, in: self) }
    own[name] = nil
  }

  private func editable(_ name: PaletteName) throws(ArtError) -> Palette {
    guard name != .recent else { throw .recentPalette() }
    return try palette(name)
  }

  private mutating func drop(_ name: PaletteName) {
    own[name] = Themes.emojis(of: name) == nil ? nil : []
  }

  private func checkNew(_ name: PaletteName) throws(ArtError) {
    guard name != .recent else { throw .recentPalette() }
    guard self[name] == nil else { throw .paletteExists(name) }
  }

  private func checkCount() throws(ArtError) {
    guard own.count <= Self.limit else { throw .tooManyPalettes() }
  }
}
