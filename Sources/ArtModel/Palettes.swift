// SPDX-License-Identifier: Apache-2.0

/// All palettes of a user: the built-in themes, the user's own palettes, and the recently added emoji.
///
/// An edited theme is stored as the user's version of it. A removed theme is stored as an empty one until it is
/// reset.
public struct Palettes: Equatable, Sendable {
  /// The number of own palettes.
  public static let limit = 256

  /// The differences from the themes: own palettes, changed themes, and empty palettes for removed themes.
  public private(set) var own: [PaletteName: [EmojiText]]
  /// The recently added emoji, newest first. They are not part of the configuration file.
  public var recent: [EmojiText] = []

  /// The themes only.
  public init() { own = [:] }

  /// Palettes from a file, already checked by its reader.
  init(own: [PaletteName: [EmojiText]]) { self.own = own }

  /// All palettes, sorted by name.
  public var all: [Palette] {
    let names = Set(Themes.names).union(own.keys).union([.recent])
    return names.sorted().compactMap { self[$0] }
  }

  /// The palette with that name; nil without one.
  public subscript(name: PaletteName) -> Palette? {
    if name == .recent { return Palette(name: name, emojis: recent, origin: .recent) }
    let theme = Themes.emojis(of: name)
    guard let custom = own[name] else {
      return theme.map { Palette(name: name, emojis: $0, origin: .theme) }
    }
    return custom.isEmpty ? nil : Palette(name: name, emojis: custom, origin: theme == nil ? .own : .changed)
  }

  /// The palette with that name. Throws `badValue` with similar names.
  public func palette(_ name: PaletteName) throws(ArtError) -> Palette {
    guard let palette = self[name] else { throw .noSuchPalette(name.string, in: self) }
    return palette
  }

  /// The palette with that name, as the user typed it.
  public func palette(_ typed: String) throws(ArtError) -> Palette {
    // A text that is no valid name cannot name a palette.
    guard let name = try? PaletteName(typed) else { throw .noSuchPalette(typed, in: self) }
    return try palette(name)
  }
}

// MARK: - Editing

extension Palettes {
  /// Creates a palette. Duplicates are dropped. Throws `exists`, `badValue`, `tooLarge`.
  public mutating func make(_ name: PaletteName, of emojis: [EmojiText]) throws(ArtError) {
    try checkNew(name)
    let edit = PaletteEdit(adding: emojis)
    var changed = self
    changed.own[name] = try edit.emojis(of: Palette(name: name, emojis: [], origin: .own))
    try changed.checkCount()
    self = changed
  }

  /// Edits a palette and returns the result. Throws `badValue`, `exists`, `tooLarge`; then nothing is changed.
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

  /// Removes a palette. Throws `badValue`.
  public mutating func remove(_ name: PaletteName) throws(ArtError) {
    _ = try editable(name)
    drop(name)
  }

  /// Restores the original emoji of a theme. Throws `badValue` if it is not a theme.
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

// MARK: - References to emoji

extension Palettes {
  /// The first character of a reference to an emoji of a palette.
  public static let mark: Unicode.Scalar = "@"

  /// Whether a typed word refers to an emoji of a palette.
  public static func isPick(_ typed: String) -> Bool { typed.unicodeScalars.first == mark }

  /// The emoji that `@animals:3` refers to: the third of `animals`. Throws `badValue` with the choices.
  public func pick(_ typed: String) throws(ArtError) -> EmojiText {
    let word = String(String.UnicodeScalarView(typed.unicodeScalars.dropFirst()))
    let parts = word.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
    let palette = try palette(String(parts[0]))
    guard parts.count == 2, !parts[1].isEmpty else { throw .noPlace(in: palette) }
    guard let place = Int(parts[1]), (1...Palette.limit).contains(place),
      place <= palette.emojis.count
    else { throw .noSuchPlace(String(parts[1]), in: palette) }
    return palette.emojis[place - 1]
  }
}

// MARK: - One palette

/// Emoji under one name. Positions count from 1.
public struct Palette: Equatable, Sendable {
  /// The origin of a palette.
  public enum Origin: String, Sendable {
    /// A built-in theme.
    case theme
    /// A theme that the user changed.
    case changed
    /// A palette that the user created.
    case own
    /// The recently added emoji, maintained automatically.
    case recent
  }

  /// The number of emoji in one palette.
  public static let limit = 256

  /// The name.
  public var name: PaletteName
  /// At least one emoji, without duplicates. `recent` may be empty.
  public var emojis: [EmojiText]
  /// The origin.
  public var origin: Origin

  /// The reference to the emoji at a position, such as `@animals:3`.
  public func pick(_ place: Int) -> String { "@\(name):\(place)" }
}

/// A change of a palette.
public struct PaletteEdit: Sendable {
  /// The emoji to add. Emoji that are already in the palette stay where they are, unless `place` is given.
  public var added: [EmojiText]
  /// The position of the added emoji, from 1; nil for the end.
  public var place: Int?
  /// The emoji to remove.
  public var removed: [EmojiText]
  /// The new name; nil to keep it.
  public var newName: PaletteName?

  /// An edit. Emoji are removed before others are added.
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
  /// The palette's emoji after the edit. Throws `badValue`, `tooLarge`.
  func emojis(of palette: Palette) throws(ArtError) -> [EmojiText] {
    var emojis = palette.emojis
    for text in removed {
      guard let index = emojis.firstIndex(where: { $0.comparisonKey == text.comparisonKey }) else {
        throw .notInPalette(text, palette.name)
      }
      emojis.remove(at: index)
    }
    let added = added.withoutDuplicates()
    if let place {
      let keys = Set(added.map(\.comparisonKey))
      emojis.removeAll { keys.contains($0.comparisonKey) }
      guard place >= 1, place - 1 <= emojis.count else {
        throw .badPalettePlace(place, upTo: emojis.count + 1)
      }
      emojis.insert(contentsOf: added, at: place - 1)
    } else {
      emojis = (emojis + added).withoutDuplicates()
    }
    guard !emojis.isEmpty else { throw .emptyPalette(palette.name) }
    guard emojis.count <= Palette.limit else { throw .largePalette(palette.name, emojis.count) }
    return emojis
  }
}

extension [EmojiText] {
  /// The emoji without duplicates. The first of equal ones stays.
  func withoutDuplicates() -> [EmojiText] {
    var keys: Set<String> = []
    return filter { keys.insert($0.comparisonKey).inserted }
  }
}

/// A palette's name: letters, digits and hyphens, beginning with a letter, at most 64 bytes, in lower case.
public struct PaletteName: Hashable, Sendable, Comparable, CustomStringConvertible {
  /// The name as it is stored and displayed.
  public let string: String

  /// The automatic palette of recently added emoji.
  public static let recent = PaletteName(checked: "recent")
  /// The number of UTF-8 bytes in a name.
  public static let byteLimit = 64
  /// A reserved name: `@last` refers to the last added emoji.
  static let reserved = "last"

  /// Parses a name, ignoring case. Throws `badValue`.
  public init(_ typed: String) throws(ArtError) {
    let name = typed.lowercased()
    guard name != Self.reserved else { throw .takenPaletteName(typed) }
    guard name.utf8.count <= Self.byteLimit, name.unicodeScalars.first.map(Self.isLetter) == true,
      name.unicodeScalars.allSatisfy(Self.isPlain)
    else { throw .badPaletteName(typed) }
    string = name
  }

  /// A name that is known to be valid.
  init(checked name: String) { string = name }

  private static func isPlain(_ scalar: Unicode.Scalar) -> Bool {
    scalar == "-" || ("0"..."9").contains(scalar) || isLetter(scalar)
  }

  /// Some emoji are letters, such as 🅰. A word with one of them is an emoji text, not a name.
  private static func isLetter(_ scalar: Unicode.Scalar) -> Bool {
    scalar.properties.isAlphabetic && !scalar.properties.isEmoji
  }

  /// Alphabetical order.
  public static func < (left: PaletteName, right: PaletteName) -> Bool { left.string < right.string }

  /// The name.
  public var description: String { string }
}

// MARK: - Errors

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
      "\"\(typed)\" is no name for a palette: @last names the emoji that was added last; give another one",
      about: typed)
  }

  static func noSuchPalette(_ typed: String, in palettes: Palettes) -> ArtError {
    guard typed.lowercased() != PaletteName.reserved else {
      return ArtError(
        .badValue, "no palette last; @last names the emoji that was added last, in commands that change emoji"
      )
    }
    let near = nearest(to: typed, among: palettes.all.map(\.name.string))
    let cause = "no palette \(typed.isEmpty ? "\"\"" : typed[...].shortened(to: 40))"
    return near.isEmpty
      ? ArtError(.badValue, cause, about: typed, remedy: .listPalettes)
      : ArtError(.badValue, "\(cause); did you mean \(near.joined(separator: " or "))?", about: typed)
  }

  static func paletteExists(_ name: PaletteName) -> ArtError {
    ArtError(.exists, "a palette \(name) exists already", about: name.string, remedy: .editPalette)
  }

  static func recentPalette() -> ArtError {
    ArtError(
      .badValue, "recent keeps itself", about: PaletteName.recent.string, remedy: .resetPalette)
  }

  static func noTheme(_ name: PaletteName, in palettes: Palettes) -> ArtError {
    guard palettes[name] != nil else { return .noSuchPalette(name.string, in: palettes) }
    return ArtError(
      .badValue, "\(name) is not one of the themes", about: name.string, remedy: .removePalette)
  }

  static func notInPalette(_ text: EmojiText, _ name: PaletteName) -> ArtError {
    ArtError(
      .badValue, "no \(text) in the palette \(name)", about: name.string, remedy: .showPalette)
  }

  static func emptyPalette(_ name: PaletteName) -> ArtError {
    ArtError(
      .badValue, "nothing would be left in \(name)", about: name.string, remedy: .removePalette)
  }

  static func largePalette(_ name: PaletteName, _ count: Int) -> ArtError {
    ArtError(
      .tooLarge,
      "\(name) would have \(count) emoji; a palette has at most \(Palette.limit): begin another one",
      about: name.string)
  }

  static func tooManyPalettes() -> ArtError {
    ArtError(.tooLarge, "there are at most \(Palettes.limit) own palettes; remove one")
  }

  static func badPalettePlace(_ place: Int, upTo last: Int) -> ArtError {
    ArtError(
      .badValue, "\(place) is no place in the palette; give a number from 1 to \(last)", about: "\(place)")
  }

  static func noPlace(in palette: Palette) -> ArtError {
    ArtError(
      .badValue, "which of \(palette.name)? \(palette.choices)", about: palette.name.string,
      remedy: palette.isLong ? .showPalette : nil)
  }

  static func noSuchPlace(_ typed: String, in palette: Palette) -> ArtError {
    ArtError(
      .badValue, "no \(typed[...].shortened(to: 40)) in the palette \(palette.name); \(palette.choices)",
      about: palette.name.string, remedy: palette.isLong ? .showPalette : nil)
  }
}

extension Palette {
  /// The choices, on one line: all emoji of a short palette, the first and the last of a long one.
  fileprivate var choices: String {
    guard let first = emojis.first, let last = emojis.last else { return "it is empty" }
    guard isLong else {
      return "there are "
        + emojis.enumerated().map { "\(pick($0.offset + 1)) \($0.element)" }.joined(separator: ", ")
    }
    return "it goes from \(pick(1)) \(first) to \(pick(emojis.count)) \(last)"
  }

  /// Whether there is too much for a line.
  fileprivate var isLong: Bool { emojis.count > 9 }
}

// MARK: - The file

/// The configuration file, which users may edit: `{"palettes":{"bugs":["🐝","🐛"]},"version":1}`.
extension Palettes {
  private static let version = 1

  /// The text of the file: sorted keys, one palette a line.
  public var fileText: String {
    let lines = own.sorted { $0.key < $1.key }.map { name, emojis in
      "    \(JSON.string(name.string).text): \(JSON.array(emojis.map { .string($0.string) }).text)"
    }
    let palettes = lines.isEmpty ? "{}" : "{\n\(lines.joined(separator: ",\n"))\n  }"
    return "{\n  \"palettes\": \(palettes),\n  \"version\": \(Self.version)\n}\n"
  }

  /// Parses the file strictly. Throws `badJSON` with the line, and `newerFormat`.
  public init(file bytes: UnsafeBufferPointer<UInt8>) throws(ArtError) {
    try ConfigFile.checkVersion(bytes, knows: Self.version, of: "palettes")
    self.init(own: try JSONReader.read(bytes, Self.read))
  }

  private static func read(_ reader: inout JSONReader) throws(ArtError) -> [PaletteName: [EmojiText]] {
    var palettes: [PaletteName: [EmojiText]]?
    try reader.object { (key, reader) throws(ArtError) in
      switch key {
      case "palettes": palettes = try Self.palettes(from: &reader)
      case "version":
        guard try reader.integer() == Self.version else { throw reader.error("a version that is none") }
      default: throw reader.error("the key \"\(key[...].shortened(to: 60))\" beside palettes and version")
      }
    }
    guard let palettes else { throw reader.error("no palettes in it") }
    return palettes
  }

  private static func palettes(from reader: inout JSONReader) throws(ArtError) -> [PaletteName: [EmojiText]] {
    var palettes: [PaletteName: [EmojiText]] = [:]
    try reader.object { (key, reader) throws(ArtError) in
      let name = try located(&reader) { () throws(ArtError) in try PaletteName(key) }
      guard name != .recent else { throw reader.error("a palette recent, which is kept automatically") }
      guard palettes[name] == nil else { throw reader.error("the palette \(name) twice") }
      guard palettes.count < limit else { throw reader.error("more than \(limit) palettes") }
      let emojis = try emojis(from: &reader)
      guard !emojis.isEmpty || Themes.emojis(of: name) != nil else {
        throw reader.error("the palette \(name) without emoji")
      }
      palettes[name] = emojis
    }
    return palettes
  }

  private static func emojis(from reader: inout JSONReader) throws(ArtError) -> [EmojiText] {
    var emojis: [EmojiText] = []
    var keys: Set<String> = []
    try reader.array { (reader) throws(ArtError) in
      let typed = try reader.string()
      let text = try located(&reader) { () throws(ArtError) in try EmojiText(typed) }
      guard keys.insert(text.comparisonKey).inserted else { throw reader.error("\(text) twice in a palette") }
      guard emojis.count < Palette.limit else {
        throw reader.error("more than \(Palette.limit) emoji in a palette")
      }
      emojis.append(text)
    }
    return emojis
  }

  /// Adds the offset to the error of an invalid value.
  private static func located<Value>(
    _ reader: inout JSONReader, _ value: () throws(ArtError) -> Value
  ) throws(ArtError) -> Value {
    do throws(ArtError) { return try value() } catch { throw reader.error("a bad value: \(error.cause)") }
  }
}

// MARK: - Recent emoji

/// The recently added emoji, newest first, without duplicates.
public struct RecentEmoji: Equatable, Sendable {
  /// The number of emoji kept.
  public static let limit = 32

  /// The emoji, newest first.
  public private(set) var emojis: [EmojiText] = []

  /// An empty list.
  public init() {}

  /// Adds emoji at the front, the last of them first. Texts that are probably mistakes are left out.
  public mutating func add(_ texts: some BidirectionalCollection<EmojiText>) {
    var keys: Set<String> = []
    var newest: [EmojiText] = []
    // Stops at the limit only after duplicates are dropped.
    for text in texts.reversed() where newest.count < Self.limit && keys.insert(text.comparisonKey).inserted {
      if ProbableMistake(text.string) == nil { newest.append(text) }
    }
    emojis = Array((newest + emojis).withoutDuplicates().prefix(Self.limit))
  }
}

extension RecentEmoji {
  /// The text of the file: `{"recent":["🐝","🌸"]}`.
  public var fileText: String {
    JSON.object(["recent": .array(emojis.map { .string($0.string) })]).text + "\n"
  }

  /// Parses the file. Throws `badJSON`, `badText`.
  public init(file bytes: UnsafeBufferPointer<UInt8>) throws(ArtError) {
    self.init()
    try JSONReader.read(bytes) { (reader) throws(ArtError) in
      try reader.object { (key, reader) throws(ArtError) in
        guard key == "recent" else { throw reader.error("recent emoji with the key \"\(key)\"") }
        try reader.array { (reader) throws(ArtError) in emojis.append(try EmojiText(reader.string())) }
      }
    }
    emojis = Array(emojis.withoutDuplicates().prefix(Self.limit))
  }
}

// MARK: - Themes

/// The built-in palettes.
enum Themes {
  static let names = Array(texts.keys)

  /// The emoji of a theme; nil if there is no such theme.
  static func emojis(of name: PaletteName) -> [EmojiText]? {
    texts[name].map { text in
      // A test checks that each of them is valid.
      text.unicodeScalars.split(separator: " ").compactMap { try? EmojiText(String($0)) }
    }
  }

  /// The number of emoji in a theme's text.
  static func count(of name: PaletteName) -> Int {
    texts[name].map { $0.unicodeScalars.split(separator: " ").count } ?? 0
  }

  private static let texts = Dictionary(
    uniqueKeysWithValues: table.map { (PaletteName(checked: $0.0), $0.1) })

  private static let table = [
    ("animal-faces", "🐵 🐶 🐺 🦊 🦝 🐱 🦁 🐯 🐴 🦄 🦓 🐮 🐷 🐗 🐭 🐹 🐰 🐻 🐻‍❄️ 🐨 🐼 🐸 🐲 🐔 🐣 🦒"),
    (
      "animals",
      "🐒 🦍 🐕 🐩 🐈 🐅 🐆 🐎 🦌 🐂 🐄 🐖 🐏 🐑 🐐 🐪 🐘 🦏 🦛 🐁 🐇 🐿️ 🦔 🦇 🦘 🦡 🦃 🐓 🐧 🕊️ 🦅 🦆 🦢 🦉 🦩 🦜 🐊 🐢 🦎 🐍 🐳 🐋 🐬 🦭 🐟 🐠 🐡 🦈 🐙 🐌 🦋 🐛 🐜 🐝 🪲 🐞 🦗 🕷️ 🦂"
    ),
    ("drinks", "☕ 🫖 🍵 🥛 🧃 🥤 🧋 🍶 🍾 🍷 🍸 🍹 🍺 🍻 🥂 🥃 🧉 🧊"),
    (
      "faces",
      "😀 😃 😄 😁 😆 😅 🤣 😂 🙂 🙃 😉 😊 😇 🥰 😍 🤩 😘 😋 😜 🤪 🤗 🤔 🤐 😐 😏 😒 🙄 😬 😌 😴 😷 🤒 🥵 🥶 🤯 🤠 🥳 😎 🤓 😟 😮 😳 🥺 😢 😭 😱 😤 😡 😈 💀 💩 🤡 👻 👽 🤖"
    ),
    ("flags", "🏁 🚩 🎌 🏴 🏳️ 🏳️‍🌈 🏳️‍⚧️ 🏴‍☠️ 🇪🇺 🇺🇳 🇦🇹 🇧🇪 🇧🇷 🇨🇦 🇨🇭 🇨🇳 🇩🇪 🇩🇰 🇪🇸 🇫🇷 🇬🇧 🇮🇳 🇮🇹 🇯🇵 🇰🇷 🇳🇱 🇺🇦 🇺🇸"),
    (
      "food",
      "🍎 🍐 🍊 🍋 🍌 🍉 🍇 🍓 🫐 🍒 🍑 🥭 🍍 🥥 🥝 🍅 🍆 🥑 🥦 🥕 🌽 🌶️ 🥔 🍄 🍞 🥐 🥨 🧀 🥚 🍳 🥞 🧇 🥓 🍗 🍔 🍟 🍕 🌭 🥪 🌮 🌯 🥗 🍝 🍜 🍣 🍦 🍩 🍪 🎂 🍰 🧁 🍫 🍬 🍭 🍯"
    ),
    ("hands", "👋 🤚 🖐️ ✋ 🖖 👌 🤌 🤏 ✌️ 🤞 🤟 🤘 🤙 👈 👉 👆 👇 ☝️ 👍 👎 ✊ 👊 👏 🙌 👐 🤲 🤝 🙏 ✍️ 💪"),
    ("hearts", "❤️ 🧡 💛 💚 💙 💜 🤎 🖤 🤍 💔 ❣️ 💕 💞 💓 💗 💖 💘 💝 💟 ❤️‍🔥 ❤️‍🩹 💌"),
    ("music", "🎵 🎶 🎼 🎤 🎧 📻 🎷 🪗 🎸 🎹 🎺 🎻 🪕 🥁 🪘 🔔 📯 🎙️ 🎚️ 🎛️"),
    ("plants", "💐 🌸 💮 🏵️ 🌹 🥀 🌺 🌻 🌼 🌷 🌱 🪴 🌲 🌳 🌴 🌵 🌾 🌿 ☘️ 🍀 🍁 🍂 🍃 🍄 🎄 🎋"),
    ("sports", "⚽ ⚾ 🥎 🏀 🏐 🏈 🏉 🎾 🥏 🎳 🏏 🏑 🏒 🥍 🏓 🏸 🥊 🥋 🥅 ⛳ ⛸️ 🎣 🤿 🎽 🎿 🛷 🥌 🎯 🏆 🥇 🥈 🥉 🏅 🚴 🏊 🏄 🏇"),
    (
      "vehicles",
      "🚗 🚕 🚙 🚌 🚎 🏎️ 🚓 🚑 🚒 🚐 🛻 🚚 🚛 🚜 🛵 🏍️ 🚲 🛴 🛹 🚂 🚆 🚇 🚊 🚝 🚃 🚋 ✈️ 🛩️ 🚁 🚀 🛸 🚡 🎈 ⛵ 🚤 🛥️ ⛴️ 🚢 ⚓"
    ),
    (
      "weather",
      "☀️ 🌤️ ⛅ 🌥️ ☁️ 🌦️ 🌧️ ⛈️ 🌩️ 🌨️ ❄️ ☃️ ⛄ 🌬️ 💨 🌪️ 🌫️ 🌈 ☔ ☂️ 💧 🌊 ⚡ 🔥 ☄️ ⭐ 🌟 🌙 🌑 🌓 🌕 🌗 🌍 🌡️"
    ),
  ]
}
