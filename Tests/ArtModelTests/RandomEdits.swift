// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import ArtModel

/// Random values, changes and edits, with few ids and few values, so that edits meet.
struct RandomEdits {
  var generator: SplitMix64
  private let ids: [EmojiID]

  /// The digests of the pictures of backgrounds.
  static let digests = ["0", "a", "7f"].map { String(String(repeating: $0, count: 32).prefix(32)) }

  init(seed: UInt64, ids count: Int = 12) {
    generator = SplitMix64(seed: seed)
    var generator = SplitMix64(seed: 7)
    ids = (0..<count).map { _ in EmojiID.random(using: &generator) }
  }

  mutating func int(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &generator) }

  mutating func pick<Value>(_ values: [Value]) throws -> Value {
    try #require(values.randomElement(using: &generator))
  }

  mutating func text() throws -> EmojiText {
    if generator.oneIn(5) { return try caption() }
    return try EmojiText(
      pick(["🐝", "🌸", "❤", "👩‍🚀", "🏳️‍🌈", "🇩🇪", "1️⃣", "👍🏽", "🏴󠁧󠁢󠁳󠁣󠁴󠁿", "a\"\\🐝", "é🐝", "e\u{301}🐝"]))
  }

  mutating func caption() throws -> EmojiText {
    let words = try Words(pick(["Happy birthday", "12 x 7 =", "Grüße\nan alle 🐝", "\"\\", "🐝"]))
    return EmojiText(
      words, box: try TextBox(width: Double(int(1...2_000_000_000)) / 1e6, height: Double(int(1...3))))
  }

  mutating func rotation() throws -> Rotation {
    try Rotation(
      degrees: generator.oneIn(3)
        ? Double.random(in: -1e4...1e4, using: &generator) : Double(int(-2...2) * 90))
  }

  mutating func color() throws -> Color? {
    try pick([nil, .black, Color(red: 255, green: 0, blue: 16, alpha: 128)])
  }

  /// A coordinate: a small whole number, or any allowed one.
  mutating func coordinate() -> Double {
    generator.oneIn(3) ? Double.random(in: -1e6...1e6, using: &generator) : Double(int(-3...3))
  }

  mutating func point() throws -> Point { try Point(x: coordinate(), y: coordinate()) }

  mutating func size() throws -> FontSize {
    try FontSize(generator.oneIn(3) ? Double.random(in: 1e-9...1e5, using: &generator) : Double(int(1...4)))
  }

  mutating func z() -> Int { generator.oneIn(8) ? int(-(1 << 60)...(1 << 60)) : int(0...6) }

  mutating func emoji() throws -> Emoji {
    var emoji = Emoji(id: try pick(ids), text: try text(), position: try point(), size: try size(), z: z())
    if generator.oneIn(3) { emoji.rotation = try rotation() }
    if generator.oneIn(3) { emoji.isMirrored = true }
    if generator.oneIn(3) { emoji.color = try color() ?? .black }
    return emoji
  }

  mutating func emojiValue() throws -> EmojiValue {
    switch try pick(EmojiField.allCases) {
    case .text: .text(try text())
    case .position: .position(try point())
    case .size: .size(try size())
    case .order: .order(z())
    case .rotation: .rotation(try rotation())
    case .mirroring: .mirroring(int(0...1) == 0)
    case .color: .color(try color() ?? .black)
    }
  }

  mutating func url() throws -> String {
    try pick(["https://example.org/a.png", "data:,", "https://example.org/\u{202E}\n\t\"ü🐝"])
  }

  mutating func background() throws -> Background {
    let canvas = try Canvas(width: int(1...100_000), height: int(1...100_000))
    return try Background(
      digest: try pick(Self.digests),
      mediaType: try pick(["image/png", "image/webp"]), size: canvas, url: int(0...1) == 0 ? nil : try url())
  }

  mutating func pending() throws -> PendingBackground {
    try PendingBackground(
      url: try url(), since: int(0...Int.max), reason: try pick(["dns", "timeout"]),
      anchor: try pick([.topLeft, .center]))
  }

  mutating func change() throws -> Change {
    let id = try pick(ids)
    switch int(0...10) {
    case 0...2: return .add(try emoji())
    case 3: return .remove(id)
    case 4...8: return .set(id, try emojiValue())
    case 9:
      if int(0...1) == 0 { return .setFill(try color()) }
      return .setCanvas(try Canvas(width: int(1...3), height: int(1...3)))
    default:
      if int(0...1) == 0 { return .setBackground(int(0...1) == 0 ? nil : try background()) }
      return .setPending(int(0...1) == 0 ? nil : try pending())
    }
  }

  mutating func edit(_ name: String = "edit") throws -> Edit {
    var changes: [Change] = []
    for _ in 0..<int(1...6) { changes.append(try change()) }
    return Edit(name: name, changes: changes)
  }

  mutating func document() throws -> DocumentContent {
    var emojis: [EmojiID: Emoji] = [:]
    for _ in 0..<int(0...12) {
      let emoji = try emoji()
      emojis[emoji.id] = emoji
    }
    return try ArtModelTests.document(Array(emojis.values))
  }
}
