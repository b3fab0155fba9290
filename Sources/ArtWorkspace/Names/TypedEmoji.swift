// SPDX-License-Identifier: Apache-2.0

import ArtDocument
import ArtModel
import ArtNames
import ArtStore

extension EmojiText {
  /// Parses what a user types for a new label: the emoji itself, `:name:`, or `@palette:3`. Throws `badText` with similar names,
  /// `badValue` with the palette's size, and what reading the palettes throws.
  public init(typed word: String) throws(ArtError) {
    if let name = Self.name(in: word) {
      self = try EmojiNames.emoji(named: name)
    } else {
      do throws(ArtError) {
        try self.init(word)
      } catch {
        guard Palettes.isPick(word) else { throw Self.lackingColons(word) ?? error }
        self = try PaletteStore().palettes().pick(word)
      }
    }
  }

  /// Parses several words.
  public static func typed(_ words: [String]) throws(ArtError) -> [EmojiText] {
    var texts: [EmojiText] = []
    for word in words { texts.append(try EmojiText(typed: word)) }
    return texts
  }

  /// The name between two colons. A label may also have colons around an emoji.
  fileprivate static func name(in word: String) -> String? {
    guard word.utf8.count > 2, word.hasPrefix(":"), word.hasSuffix(":") else { return nil }
    let name = String(word.dropFirst().dropLast())
    return name.contains(where: EmojiText.isEmoji) ? nil : name
  }

  /// The error for a name without its colons, or without one of them.
  private static func lackingColons(_ word: String) -> ArtError? {
    let name = word.filter { $0 != ":" }
    let letters = name.unicodeScalars.filter(\.properties.isAlphabetic)
    guard letters.count > 1,
      name.unicodeScalars.allSatisfy({
        $0.properties.isAlphabetic || "0123456789-_ ".unicodeScalars.contains($0)
      })
    else { return nil }
    // A word that is no name gets the ordinary error.
    guard let text = try? EmojiNames.emoji(named: name) else { return nil }
    return ArtError(.badText, "\"\(word)\" has no emoji in it; did you mean :\(name): \(text)?", about: word)
  }
}

extension Reference {
  /// Parses what a user types for an emoji of the document: everything that `init(_:)` reads, and `:name:`, `:name::2` or `:name::*` in place
  /// of the emoji itself. Throws `badText` with similar names, and `badValue`.
  public init(typed word: String) throws(ArtError) {
    if let name = EmojiText.name(in: word) {
      self = .text(try EmojiNames.emoji(named: name))
    } else if let (text, ordinals) = Ordinals.split(word), let name = EmojiText.name(in: String(text)) {
      self = .text(try EmojiNames.emoji(named: name), ordinals)
    } else {
      self = try Reference(word)
    }
  }
}

/// Finds emoji by words, or words by emoji.
public struct EmojiSearch: Sendable {
  /// The name of an emoji in a language; nil for a text that is none, and for an emoji without a name.
  public static func name(of emoji: String, in language: EmojiLanguage) -> String? {
    EmojiNames.names(of: emoji, in: language).first?.name
  }

  /// Why the search was not made.
  public enum Failure: Error, Equatable, Sendable {
    /// The search mixes words and emoji.
    case mixed
    /// The text is neither a word nor one emoji.
    case unsearchable(String)
    /// No emoji has these words; with emoji that have similar names.
    case nothing(String, near: [NamedEmoji])
    /// The font lacks all emoji that have these words.
    case lacking(String, [NamedEmoji])
  }

  /// The best matches, up to the limit.
  public let emojis: [NamedEmoji]
  /// The number of all matches.
  public let count: Int

  /// Searches for words; an emoji in place of a word gives its name. `limit` is at least 1. What is found by English names only
  /// comes behind what is found by those of another language.
  public init(
    _ words: [String], tone: ToneChoice = .none, in language: EmojiLanguage = .english, limit: Int
  ) throws(Failure) {
    let found = try Self.found(words, tone, language, limit)
    guard !found.emojis.isEmpty else {
      let typed = words.joined(separator: " ")
      throw .nothing(typed, near: EmojiNames.names(near: typed, in: language))
    }
    (emojis, count) = (found.emojis, found.count)
  }

  /// The same without emoji that a font lacks: they are not offered. Emoji in place of words are given their names whatever the font has.
  /// `count` has those that were not tried.
  public init(
    _ words: [String], tone: ToneChoice = .none, in language: EmojiLanguage = .english, limit: Int,
    drawnBy font: FontCoverage
  ) async throws(Failure) {
    let all: EmojiSearch
    do throws(Failure) {
      all = try EmojiSearch(words, tone: tone, in: language, limit: .max)
    } catch {
      guard case .nothing(let typed, let near) = error else { throw error }
      throw .nothing(typed, near: await font.drawn(near))
    }
    guard words.contains(where: { EmojiNames.names(of: $0).isEmpty }) else {
      (emojis, count) = (Array(all.emojis.prefix(limit)), all.count)
      return
    }
    var drawn: [NamedEmoji] = []
    var rest = all.emojis[...]
    while drawn.count < limit, !rest.isEmpty {
      let tried = rest.prefix(limit - drawn.count)
      drawn += await font.drawn(Array(tried))
      rest = rest.dropFirst(tried.count)
    }
    guard !drawn.isEmpty else { throw .lacking(words.joined(separator: " "), all.emojis) }
    (emojis, count) = (drawn, drawn.count + rest.count)
  }

  private static func found(
    _ words: [String], _ tone: ToneChoice, _ language: EmojiLanguage, _ limit: Int
  ) throws(Failure) -> EmojiNames.Found {
    let named = words.map { EmojiNames.names(of: $0, tone: tone, in: language) }
    if !named.contains([]) {
      let all = named.flatMap { $0 }
      return EmojiNames.Found(emojis: Array(all.prefix(limit)), count: all.count)
    }
    guard named.allSatisfy(\.isEmpty) else { throw .mixed }
    if let bad = words.first(where: { !EmojiNames.canSearch($0) }) { throw .unsearchable(bad) }
    let names = words.map(EmojiText.name(in:))
    if names.count == 1, let name = names[0] { return found(byName: name, tone, language, limit) }
    let words = zip(words, names).map { $1 ?? $0 }
    return EmojiNames.search(words, tone: tone, in: language, limit: limit)
      ?? EmojiNames.Found(emojis: [], count: 0)
  }

  /// What `:name:` stands for, and then what the name finds as a word.
  private static func found(
    byName name: String, _ tone: ToneChoice, _ language: EmojiLanguage, _ limit: Int
  ) -> EmojiNames.Found {
    var emojis: [NamedEmoji] = []
    do throws(ArtError) {
      emojis = EmojiNames.names(of: try EmojiNames.emoji(named: name).string, tone: tone, in: language)
    } catch {
      // A name of no emoji, or of several ones, is a word.
    }
    let others = EmojiNames.search([name], tone: tone, in: language, limit: .max)?.emojis ?? []
    emojis += others.filter { !emojis.contains($0) }
    return EmojiNames.Found(emojis: Array(emojis.prefix(limit)), count: emojis.count)
  }
}

/// Completions of a word that the user has begun.
public enum EmojiCompletion {
  /// One completion.
  public struct Offer: Sendable, Equatable {
    /// The whole word.
    public let text: String
    /// The emoji that it stands for, if the text does not contain it.
    public let emoji: String?
  }

  /// Completions for a new label: `:honeybee:`, `@animals:3`. Palettes that cannot be read are left out.
  public static func labels(beginningWith word: String) -> [Offer] {
    names(word) + picks(word)
  }

  private static func names(_ word: String) -> [Offer] {
    guard word.hasPrefix(":") else { return [] }
    return EmojiNames.shortcodes(beginningWith: String(word.dropFirst())).map {
      Offer(text: ":\($0):", emoji: nil)
    }
  }

  /// Completions for the emoji of palettes: all of one palette, or else the first of each, so that every completion is complete.
  private static func picks(_ word: String) -> [Offer] {
    guard word.isEmpty || Palettes.isPick(word), let palettes = try? PaletteStore().palettes() else {
      return []
    }
    let fitting = palettes.all.filter { palette in
      !palette.emojis.isEmpty && (palette.pick(1).hasPrefix(word) || word.hasPrefix("@\(palette.name):"))
    }
    return fitting.flatMap { palette in
      palette.emojis.prefix(fitting.count == 1 ? Palette.limit : 1).enumerated().map {
        Offer(text: palette.pick($0.offset + 1), emoji: $0.element.string)
      }
    }
  }

  /// All references to these emoji, which are all of a document: by text, by id, and `@last`; by `:name:` if the word begins with
  /// a colon. Captions are offered by their ids, because words would have to be quoted.
  public static func references(of emojis: [Emoji], beginningWith word: String) -> [String] {
    let labels = emojis.filter { !$0.text.isCaption }
    return word.hasPrefix(":")
      ? shortcodes(of: labels) : texts(of: labels) + emojis.map(\.id.description) + ["@last"]
  }

  /// `🐝` for a single one, `🐝:1` and `🐝:2` for two.
  private static func texts(of emojis: [Emoji]) -> [String] {
    let same = Dictionary(grouping: emojis, by: \.text.comparisonKey).values
    return same.flatMap { group in
      group.count == 1
        ? [group[0].text.string] : group.enumerated().map { "\($1.text):\($0 + 1)" }
    }
    .sorted()
  }

  /// The same by name, `:honeybee:` or `:honeybee::2`; emoji without a name are left out.
  private static func shortcodes(of emojis: [Emoji]) -> [String] {
    let same = Dictionary(grouping: emojis, by: \.text.comparisonKey)
    return same.flatMap { (text, group) -> [String] in
      guard let name = EmojiNames.names(of: text).first?.shortcode else { return [] }
      return group.count == 1 ? [":\(name):"] : group.indices.map { ":\(name)::\($0 + 1)" }
    }
    .sorted()
  }
}

extension Collection<Emoji> {
  /// The length of the shortest unique prefix of each id among these emoji, which are all of a document.
  public var typedLengths: [EmojiID: Int] {
    let ids = map(\.id).sorted()
    var lengths: [EmojiID: Int] = [:]
    for (index, id) in ids.enumerated() {
      let before = index > 0 ? ids[index - 1] : nil
      let after = index + 1 < ids.count ? ids[index + 1] : nil
      lengths[id] = id.uniquePrefixLength(between: before, after)
    }
    return lengths
  }
}

/// The emoji that a client added and that are not yet in the palette `recent`. They are stored with each answer to a user, or at
/// the end for a program that adds thousands a second.
public struct RecentAdditions: Sendable {
  private var added: [EmojiText] = []
  private static let most = 256

  /// No additions.
  public init() {}

  /// Records an edit that was answered.
  public mutating func note(_ request: DocumentRequest) {
    guard case .action(.add(let texts, _, _)) = request, texts.count > 1 || texts.last != added.last else {
      return
    }
    added += texts
    guard added.count >= Self.most else { return }
    var recent = RecentEmoji()
    recent.add(added)
    added = recent.emojis.reversed()
  }

  /// Stores the additions.
  public mutating func keep() {
    guard !added.isEmpty else { return }
    RecentStore().add(added)
    added.removeAll()
  }
}

extension FontCoverage {
  /// Those of the emoji that the font has.
  fileprivate func drawn(_ emojis: [NamedEmoji]) async -> [NamedEmoji] {
    let texts = emojis.map { Self.text(of: $0) }
    let toned = triesTones ? Self.toned(emojis).keys.map(\.self) : []
    let lacking = await lacking(among: texts.compactMap(\.self) + toned)
    return zip(emojis, texts).filter { $1.map { !lacking.contains($0) } ?? true }.map(\.0)
  }

  /// Those of the emoji that the font has without a skin tone only. A font has all tones of an emoji, or none.
  package func untoned(among emojis: [NamedEmoji]) async -> Set<String> {
    let toned = Self.toned(emojis)
    return Set(await lacking(among: Array(toned.keys)).compactMap { toned[$0] })
  }

  /// The emoji that have skin tones, each by one of its toned versions.
  private static func toned(_ emojis: [NamedEmoji]) -> [EmojiText: String] {
    var toned: [EmojiText: String] = [:]
    for named in emojis where named.tones.isEmpty {
      let versions = EmojiNames.names(of: named.emoji, tone: .all)
      guard let version = versions.first(where: { $0.tones.count == 1 }) else { continue }
      if let text = Self.text(of: version) { toned[text] = named.emoji }
    }
    return toned
  }

  private static func text(of named: NamedEmoji) -> EmojiText? {
    do throws(ArtError) { return try EmojiText(named.emoji) } catch { return nil }
  }
}
