// SPDX-License-Identifier: Apache-2.0

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
