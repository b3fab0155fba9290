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

extension Palettes {
  /// What a person types for an emoji of a palette begins so.
  public static let mark: Unicode.Scalar = "@"

  /// Whether a typed word means one of a palette's emoji.
  public static func isPick(_ typed: String) -> Bool { typed.unicodeScalars.first == mark }

  /// The emoji that `@animals:3` names: the third of `animals`. Throws `badValue` with what there is.
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

/// What a palette is called: letters, digits and hyphens, a letter first, at most 64 bytes, in lower case.
public struct PaletteName: Hashable, Sendable, Comparable, CustomStringConvertible {
  /// The name as it is kept and shown.
  public let string: String

  /// The palette that keeps itself: what was added last.
  public static let recent = PaletteName(checked: "recent")
  /// UTF-8 bytes in a name.
  public static let byteLimit = 64
  /// What stands for something else behind an `@`.
  static let taken = "last"

  /// Reads what was typed; case does not matter. Throws `badValue`.
  public init(_ typed: String) throws(ArtError) {
    let name = typed.lowercased()
    guard name != Self.taken else { throw .takenPaletteName(typed) }
    guard name.utf8.count <= Self.byteLimit, name.unicodeScalars.first.map(Self.isLetter) == true,
      name.unicodeScalars.allSatisfy(Self.isPlain)
    else { throw .badPaletteName(typed) }
    string = name
  }

  /// A name that stands in the program.
  init(checked name: String) { string = name }

  private static func isPlain(_ scalar: Unicode.Scalar) -> Bool {
    scalar == "-" || ("0"..."9").contains(scalar) || isLetter(scalar)
  }

  /// Some emoji are letters, such as 🅰: a word with one of them is a label.
  private static func isLetter(_ scalar: Unicode.Scalar) -> Bool {
    scalar.properties.isAlphabetic && !scalar.properties.isEmoji
  }

  /// In the order of their letters.
  public static func < (left: PaletteName, right: PaletteName) -> Bool { left.string < right.string }

  /// The name.
  public var description: String { string }
}

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
      "\"\(typed)\" is no name for a palette: @last names the emoji that came in last; give another one",
      about: typed)
  }

  static func noSuchPalette(_ typed: String, in palettes: Palettes) -> ArtError {
    guard typed.lowercased() != PaletteName.taken else {
      return ArtError(
        .badValue, "no palette last; @last names the emoji that came in last, where one is moved or changed")
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
      .badValue, "\(name) was not there from the start", about: name.string, remedy: .removePalette)
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
  /// What there is, on one line: all of a short palette, the ends of a long one.
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

/// The form of the file, which people may edit by hand: `{"palettes":{"bugs":["🐝","🐛"]},"version":1}`.
extension Palettes {
  private static let version = 1

  /// The text of the file: keys sorted, a palette a line.
  public var fileText: String {
    let lines = own.sorted { $0.key < $1.key }.map { name, emojis in
      "    \(JSON.string(name.string).text): \(JSON.array(emojis.map { .string($0.string) }).text)"
    }
    let palettes = lines.isEmpty ? "{}" : "{\n\(lines.joined(separator: ",\n"))\n  }"
    return "{\n  \"palettes\": \(palettes),\n  \"version\": \(Self.version)\n}\n"
  }

  /// Reads the file strictly. Throws `badJSON` with the line, `newerFormat`.
  public init(file bytes: UnsafeBufferPointer<UInt8>) throws(ArtError) {
    try Self.checkVersion(bytes)
    let own = try JSONReader.read(bytes) { (reader) throws(ArtError) in
      do throws(ArtError) {
        return try Self.read(&reader)
      } catch {
        let line = 1 + bytes.prefix(reader.index).count { $0 == UInt8(ascii: "\n") }
        throw error.withCause("\(error.cause), line \(line)")
      }
    }
    self.init(own: own)
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

  /// A newer file may have palettes of another form, and they stand before its version.
  private static func checkVersion(_ bytes: UnsafeBufferPointer<UInt8>) throws(ArtError) {
    var found: Int?
    do throws(ArtError) {
      try JSONReader.read(bytes) { (reader) throws(ArtError) in
        try reader.object { (key, reader) throws(ArtError) in
          if key == "version" { found = try reader.integer() } else { try reader.skip() }
        }
      }
    } catch {
      // What is off is told, with its place, where the palettes are read.
      return
    }
    guard let found, found > version else { return }
    throw ArtError(.newerFormat, "palettes in format \(found), this program knows \(version)")
  }

  private static func palettes(from reader: inout JSONReader) throws(ArtError) -> [PaletteName: [EmojiText]] {
    var palettes: [PaletteName: [EmojiText]] = [:]
    try reader.object { (key, reader) throws(ArtError) in
      let name = try inPlace(&reader) { () throws(ArtError) in try PaletteName(key) }
      guard name != .recent else { throw reader.error("a palette recent, which keeps itself") }
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
    var seen: Set<String> = []
    try reader.array { (reader) throws(ArtError) in
      let typed = try reader.string()
      let text = try inPlace(&reader) { () throws(ArtError) in try EmojiText(typed) }
      guard seen.insert(text.comparisonKey).inserted else { throw reader.error("\(text) twice in a palette") }
      guard emojis.count < Palette.limit else {
        throw reader.error("more than \(Palette.limit) emoji in a palette")
      }
      emojis.append(text)
    }
    return emojis
  }

  /// Says where it is that a value is off.
  private static func inPlace<Value>(
    _ reader: inout JSONReader, _ value: () throws(ArtError) -> Value
  ) throws(ArtError) -> Value {
    do throws(ArtError) { return try value() } catch { throw reader.error("a bad value: \(error.cause)") }
  }
}

/// The emoji that were added last, newest first, each once.
public struct RecentEmoji: Equatable, Sendable {
  /// How many are kept.
  public static let limit = 32

  /// The newest first.
  public private(set) var emojis: [EmojiText] = []

  /// None yet.
  public init() {}

  /// Puts some in front, the last of them first.
  public mutating func add(_ texts: some BidirectionalCollection<EmojiText>) {
    var seen: Set<String> = []
    var newest: [EmojiText] = []
    // Many may be the same: those before them count, too.
    for text in texts.reversed() where newest.count < Self.limit && seen.insert(text.comparisonKey).inserted {
      newest.append(text)
    }
    emojis = Array((newest + emojis).withoutDoubles().prefix(Self.limit))
  }
}

extension RecentEmoji {
  /// The form of its file: `{"recent":["🐝","🌸"]}`.
  public var fileText: String {
    JSON.object(["recent": .array(emojis.map { .string($0.string) })]).text + "\n"
  }

  /// Reads the file. Throws `badJSON`, `badText`.
  public init(file bytes: UnsafeBufferPointer<UInt8>) throws(ArtError) {
    self.init()
    try JSONReader.read(bytes) { (reader) throws(ArtError) in
      try reader.object { (key, reader) throws(ArtError) in
        guard key == "recent" else { throw reader.error("recent emoji with the key \"\(key)\"") }
        try reader.array { (reader) throws(ArtError) in emojis.append(try EmojiText(reader.string())) }
      }
    }
    emojis = Array(emojis.withoutDoubles().prefix(Self.limit))
  }
}

/// The palettes that are there from the start.
enum Themes {
  static let names = Array(texts.keys)

  /// The emoji of a theme; nil where it is none.
  static func emojis(of name: PaletteName) -> [EmojiText]? {
    texts[name].map { text in
      // A test sees that each of them is one.
      text.unicodeScalars.split(separator: " ").compactMap { try? EmojiText(String($0)) }
    }
  }

  /// How many words a theme has.
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
