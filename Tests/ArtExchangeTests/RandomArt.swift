// SPDX-License-Identifier: Apache-2.0

import ArtModel
import TestSupport

/// Random documents with everything that a document may hold.
enum RandomArt {
  static let texts = ["🐝", "🌻", "👩‍🚀", "🏳️‍🌈", "🇩🇪", "3️⃣", "❤️", "🐝 and 🌻", "👍🏽", "🏴󠁧󠁢󠁳󠁣󠁴󠁿", "ä/🐢\"\\"]

  static let words = [
    "Happy birthday", "two\nlines", "🐝 buzz", "\"\\/ä", "1", String(repeating: "long ", count: 60) + "🌻",
  ]

  /// A document. With `whole` it has whole numbers only and plain labels, which every dialect carries.
  static func content(whole: Bool = false, using random: inout SplitMix64) throws -> DocumentContent {
    let size = try Canvas(width: 2 + 2 * random.below(800), height: 2 + 2 * random.below(800))
    let canvas = random.oneIn(4) && !whole ? try Canvas(width: 1 + random.below(3000), height: 700) : size
    let url = "https://example.org/\(random.below(1000)).png?a=b&c=ü"
    let hasPicture = random.oneIn(2)
    let background =
      hasPicture
      ? try Background(
        digest: String(repeating: "0", count: 32), mediaType: "image/png", size: size,
        url: random.oneIn(2) ? url : nil)
      : nil
    let pending =
      (hasPicture ? random.oneIn(5) : random.oneIn(2)) && !whole
      ? try PendingBackground(
        url: url, since: 5, reason: "offline", anchor: random.oneIn(2) ? .center : .topLeft) : nil
    var emojis: [Emoji] = []
    for z in 0..<random.below(8) {
      emojis.append(try emoji(z: z, whole: whole, using: &random))
    }
    guard
      let content = DocumentContent(
        id: DocumentID(using: &random), canvas: canvas, fill: whole ? nil : try color(using: &random),
        background: background, pending: pending, emojis: emojis,
        pictures: background.map { [$0.digest] } ?? [])
    else { throw ArtError(.damaged, "two emoji got one id") }
    return content
  }

  private static func emoji(z: Int, whole: Bool, using random: inout SplitMix64) throws -> Emoji {
    let reach = [10, 900, 20_000, 1_000_000][random.below(whole ? 2 : 4)]
    let x = Double(random.below(2 * reach + 1) - reach)
    let y = Double(random.below(2 * reach + 1) - reach)
    let part = whole ? 1.0 : [1, 1, 7, 3, 128][random.below(5)]
    var emoji = Emoji(
      id: .random(using: &random), text: try EmojiText(texts[random.below(texts.count)]),
      position: try Point(x: x / part, y: y / part),
      size: try FontSize(Double(1 + random.below(random.oneIn(9) ? 100_000 : 200)) / part),
      z: z * Limits.zStep)
    guard !whole else { return emoji }
    if random.oneIn(3) {
      let box = try TextBox(
        width: Double(1 + random.below(2_000_000_000)) / 1e6,
        height: Double(1 + random.below(9_000_000)) / 1e6)
      emoji.text = EmojiText(try Words(words[random.below(words.count)]), box: box)
    }
    if random.oneIn(3) {
      emoji.rotation = try Rotation(degrees: Double(random.below(720_000_000) - 360_000_000) / 1e6)
    }
    emoji.isMirrored = random.oneIn(4)
    // A color of an emoji label shows nothing, and is kept for the words that may stand there later.
    emoji.color = try color(using: &random) ?? .black
    return emoji
  }

  private static func color(using random: inout SplitMix64) throws -> Color? {
    guard random.oneIn(3) else { return nil }
    func part() -> UInt8 { UInt8(random.below(256)) }
    return Color(red: part(), green: part(), blue: part(), alpha: random.oneIn(2) ? 255 : part())
  }
}
