// SPDX-License-Identifier: Apache-2.0

/// A search query; every word must match the name, a shortcode or a keyword.
struct NameQuery {
  /// The quality of a match; smaller is better. docs/decisions/0056-order-of-names.md says why in this order.
  struct Rank: Comparable {
    /// The match of the worst word.
    let fit: Fit
    /// Whether the query is neither a keyword nor what the name is about: a red heart is a heart, a heart decoration is not.
    let isOffTopic: Bool
    /// Whether the query is none of GitHub's tags, which are few and chosen by hand.
    let isNoTag: Bool
    /// Whether a word of the query is no word of the name.
    let isBeyondName: Bool
    /// What is said of the emoji besides: see the weight of `NameTable.Row`.
    let weight: Int
    /// The position in Unicode's order.
    let position: Int

    static func < (left: Rank, right: Rank) -> Bool { left.order < right.order }

    private var order: (Int, Int, Int, Int, Int, Int) {
      let aside = (isOffTopic ? 2 : 0) + (isNoTag ? 1 : 0)
      return (fit.rawValue, aside, weight / NameTable.Row.newer, isBeyondName ? 1 : 0, weight, position)
    }
  }

  enum Fit: Int {
    case name
    /// A shortcode of GitHub or Slack, or another spelling of the whole name.
    case alias
    case word
    case beginning
    /// `hearts` for `heart`, in English.
    case singular
    /// `wagen` in `krankenwagen`, in languages that write compounds as one word.
    case inside
    /// `dinosaur` for `dinosaurio`.
    case stem
  }

  /// A word of the query, and what of it matches where the word does not.
  private struct Word {
    let bytes: [UInt8]
    /// Without a plural `s`; nil for a word that has no singular to search for.
    let singular: [UInt8]?
    /// The first three quarters of a long word, at least four letters; nil for a short word.
    let stem: [UInt8]?

    init(_ text: Substring, _ language: EmojiLanguage) {
      bytes = Array(text.utf8)
      let isPlural = language.isEnglish && bytes.count > 3 && bytes.last == UInt8(ascii: "s")
      singular = isPlural ? Array(bytes.dropLast()) : nil
      let letters = text.unicodeScalars
      let length = max(4, letters.count - letters.count / 4)
      stem = letters.count > 4 ? Array(String(letters.prefix(length)).utf8) : nil
    }
  }

  private let whole: [UInt8]
  private let words: [Word]
  private let language: EmojiLanguage

  /// Nil where the words contain nothing searchable.
  init?(_ words: [String], in language: EmojiLanguage = .english) {
    self.language = language
    let code = Shortcode.of(words.joined(separator: " "))
    whole = Array(code.utf8)
    // The hyphen before a number is its sign.
    let sign = code.hasPrefix("-") ? 1 : 0
    self.words = code.dropFirst(sign).split(separator: "-").enumerated().map { (place, word) in
      Word(place == 0 && sign == 1 ? "-" + word : word, language)
    }
    guard !self.words.isEmpty else { return nil }
  }

  /// A text that the table's line of every match contains: the longest word, or its shortest form.
  var needle: [UInt8] {
    let longest = words.max { $0.bytes.count < $1.bytes.count }
    return longest?.stem ?? longest?.singular ?? longest?.bytes ?? []
  }

  /// Nil where the emoji does not match.
  func rank(_ row: NameTable.Row, at position: Int) -> Rank? {
    let columns = [row.keywords] + others(row)
    var worst = Fit.name
    var isBeyondName = false
    if !row.shortcode.elementsEqual(whole) {
      worst = .alias
      let isAlias = row.aliases.hasPart(whole)
      for word in words {
        let name = Self.match(of: word.bytes, in: row.shortcode)
        if name != .word { isBeyondName = true }
        if isAlias { continue }
        guard let fit = fit(word, name, columns, row) else { return nil }
        if fit.rawValue > worst.rawValue { worst = fit }
      }
    }
    return Rank(
      fit: worst, isOffTopic: !isKeyword(of: row) && !isHead(of: row), isNoTag: !row.tags.hasPart(whole),
      isBeyondName: isBeyondName, weight: row.weight, position: position)
  }

  /// The columns with words besides the keywords.
  private func others(_ row: NameTable.Row) -> [NameTable.Bytes] {
    language.isEnglish ? [row.aliases, row.tags] : [row.spellings]
  }

  private func isKeyword(of row: NameTable.Row) -> Bool {
    row.hasKeyword(whole) || row.tags.hasPart(whole) || !language.isEnglish && row.spellings.hasPart(whole)
  }

  /// Whether the name is about the query.
  private func isHead(of row: NameTable.Row) -> Bool {
    let name = row.shortcode
    guard name.count > whole.count else { return name.elementsEqual(whole) }
    if language.headIsLast {
      return name.suffix(whole.count).elementsEqual(whole) && name.dropLast(whole.count).last == Self.hyphen
    }
    return name.starts(with: whole) && name.dropFirst(whole.count).first == Self.hyphen
  }

  private static let hyphen = UInt8(ascii: "-")

  private func fit(_ word: Word, _ name: Match, _ columns: [NameTable.Bytes], _ row: NameTable.Row) -> Fit? {
    switch columns.reduce(name, { max($0, Self.match(of: word.bytes, in: $1)) }) {
    case .word: return .word
    case .beginning: return .beginning
    case .none: break
    }
    func best(_ word: [UInt8]) -> Match {
      columns.reduce(Self.match(of: word, in: row.shortcode)) { max($0, Self.match(of: word, in: $1)) }
    }
    if let singular = word.singular, best(singular) == .word { return .singular }
    if !language.isEnglish, isInside(word.bytes, [row.shortcode] + columns) { return .inside }
    if let stem = word.stem, best(stem) != .none { return .stem }
    return nil
  }

  /// Whether a word that is long enough to say something is a part of another one.
  private func isInside(_ word: [UInt8], _ columns: [NameTable.Bytes]) -> Bool {
    (word.count > 3 || language.hasNoBlanks) && columns.contains { $0.firstIndex(of: word) != nil }
  }

  private enum Match: Int, Comparable {
    case none, beginning, word

    static func < (left: Match, right: Match) -> Bool { left.rawValue < right.rawValue }
  }

  /// The best match of a word in a column, whose words begin at the start, after a hyphen or after `|`. A hyphen at the start of a
  /// word is a sign.
  private static func match(of word: some RandomAccessCollection<UInt8>, in column: NameTable.Bytes) -> Match
  {
    var best = Match.none
    var start = column.startIndex
    while start < column.endIndex {
      let rest = column[start...]
      if rest.starts(with: word) {
        let end = start + word.count
        if end == column.endIndex || isSeparator(column[end]) { return .word }
        best = .beginning
      }
      guard let next = rest.dropFirst().firstIndex(where: isSeparator) else { break }
      start = next + 1
    }
    return best
  }

  private static func isSeparator(_ byte: UInt8) -> Bool { byte == hyphen || byte == UInt8(ascii: "|") }
}
