// SPDX-License-Identifier: Apache-2.0

/// Words that emoji are looked for by; each must fit the name or a keyword.
struct NameQuery {
  /// How well an emoji fits: the smaller the better.
  struct Rank: Comparable {
    /// How its worst word fits.
    let fit: Fit
    /// Whether the query is no keyword.
    let isOther: Bool
    /// The fewer words the name and the keywords have, the more they are about the query.
    let nameWords: Int
    let keywordBytes: Int
    /// Whether the name ends with another word: a red heart is a heart, a heart decoration is not.
    let endsOtherwise: Bool
    /// Where it stands in Unicode's order.
    let place: Int

    static func < (left: Rank, right: Rank) -> Bool {
      left.order < right.order
    }

    private var order: (Int, Int, Int, Int, Int, Int) {
      (fit.rawValue, isOther ? 1 : 0, nameWords, keywordBytes, endsOtherwise ? 1 : 0, place)
    }
  }

  enum Fit: Int {
    case name
    case nameWord
    case keywordWord
    case nameBeginning
    case keywordBeginning
    /// `hearts` for `heart`.
    case singular
  }

  private let whole: [UInt8]
  private let words: [[UInt8]]

  /// nil where nothing is left to look for.
  init?(_ words: [String]) {
    whole = Array(Shortcode.of(words.joined(separator: " ")).utf8)
    self.words = whole.split(separator: Self.hyphen).map(Array.init)
    guard !self.words.isEmpty else { return nil }
  }

  /// What stands in the line of every emoji that fits: the longest word, without an `s` that it may be found without.
  var mark: [UInt8] {
    let longest = words.max { $0.count < $1.count } ?? []
    return Self.singular(longest).map(Array.init) ?? longest
  }

  /// nil for what does not fit.
  func rank(_ row: NameTable.Row, at place: Int) -> Rank? {
    var worst = Fit.name
    if !row.shortcode.elementsEqual(whole) {
      for word in words {
        guard let fit = Self.fit(word, row) else { return nil }
        if fit.rawValue > worst.rawValue { worst = fit }
      }
    }
    return Rank(
      fit: worst, isOther: !row.hasKeyword(whole), nameWords: row.shortcode.count { $0 == Self.hyphen },
      keywordBytes: row.keywords.count,
      endsOtherwise: !row.shortcode.reversed().starts(with: whole.reversed()),
      place: place)
  }

  private static let hyphen = UInt8(ascii: "-")

  private static func fit(_ word: [UInt8], _ row: NameTable.Row) -> Fit? {
    let name = reach(of: word, in: row.shortcode)
    if name == .word { return .nameWord }
    let keyword = reach(of: word, in: row.keywords)
    if keyword == .word { return .keywordWord }
    if name == .beginning { return .nameBeginning }
    if keyword == .beginning { return .keywordBeginning }
    guard let singular = singular(word) else { return nil }
    let isThere =
      reach(of: singular, in: row.shortcode) == .word || reach(of: singular, in: row.keywords) == .word
    return isThere ? .singular : nil
  }

  /// nil for a word that is looked for as it is only.
  private static func singular(_ word: [UInt8]) -> ArraySlice<UInt8>? {
    word.count > 3 && word.last == UInt8(ascii: "s") ? word.dropLast() : nil
  }

  private enum Reach { case none, beginning, word }

  /// How far a word goes along with one of a column, each of which begins at the start, after a hyphen or after `|`.
  private static func reach(of word: some RandomAccessCollection<UInt8>, in column: NameTable.Bytes) -> Reach
  {
    var best = Reach.none
    var start = column.startIndex
    while start < column.endIndex {
      let rest = column[start...]
      if rest.starts(with: word) {
        let end = start + word.count
        if end == column.endIndex || isParting(column[end]) { return .word }
        best = .beginning
      }
      guard let next = rest.firstIndex(where: isParting) else { break }
      start = next + 1
    }
    return best
  }

  private static func isParting(_ byte: UInt8) -> Bool { byte == hyphen || byte == UInt8(ascii: "|") }
}
