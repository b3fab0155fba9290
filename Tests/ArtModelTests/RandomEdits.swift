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
    try EmojiText(
      pick(["🐝", "🌸", "❤", "👩‍🚀", "🏳️‍🌈", "🇩🇪", "1️⃣", "👍🏽", "🏴󠁧󠁢󠁳󠁣󠁴󠁿", "a\"\\🐝", "é🐝", "e\u{301}🐝"]))
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
    Emoji(id: try pick(ids), text: try text(), position: try point(), size: try size(), z: z())
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
    case 4, 5: return .move(id, to: try point())
    case 6: return .resize(id, to: try size())
    case 7: return .setText(id, to: try text())
    case 8: return .order(id, to: z())
    case 9: return .setCanvas(try Canvas(width: int(1...3), height: int(1...3)))
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
