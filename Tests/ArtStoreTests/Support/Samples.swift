// SPDX-License-Identifier: Apache-2.0

import TestSupport

@testable import ArtModel
@testable import ArtStore

/// Random edits, as a user might make them.
struct EditMaker {
  var random: SplitMix64
  private var author: Author
  private static let texts = ["🐝", "🌸", "🏳️‍🌈", "👩‍🚀", "1️⃣", "🇩🇪", "❤️", "👍🏽", "🐝🌸 go"]

  /// The digest of the bytes `emojiart`, which stand for a picture.
  static let picture = "11192220c86c5565b1266ecee4a63b8c"

  init(seed: UInt64, name: String? = nil) throws {
    random = SplitMix64(seed: seed)
    author = try Author(origin: Origin(using: &random), name: name)
  }

  mutating func stamp(by client: DocumentClient? = nil, tag: RequestTag? = nil) -> EditStamp {
    author.stamp(at: 1_800_000_000_000 + random.below(1_000_000), by: client, tag: tag)
  }

  mutating func text() throws -> EmojiText {
    try EmojiText(stored: Self.texts[random.below(Self.texts.count)])
  }

  mutating func place() throws -> Point {
    try Point(x: Double(random.below(200_000)) / 100 - 500, y: Double(random.below(1_000)))
  }

  mutating func emoji() throws -> Emoji {
    var emoji = Emoji(
      id: .random(using: &random), text: try text(), position: try place(),
      size: try FontSize(Double(1 + random.below(4_000)) / 8), z: random.below(1 << 30))
    if random.below(4) == 0 { emoji.set(try styleValue()) }
    return emoji
  }

  /// A rotation, a mirroring, a colour, or a caption's text.
  mutating func styleValue() throws -> EmojiValue {
    switch random.below(4) {
    case 0: .rotation(try Rotation(degrees: Double(random.below(3_600)) / 10))
    case 1: .mirroring(random.below(2) == 0)
    case 2: .color(color() ?? .black)
    default:
      .text(
        EmojiText(
          try Words("Happy\nbirthday \(random.below(100))"),
          box: try TextBox(width: Double(1 + random.below(9_000)) / 1_000, height: 2.5)))
    }
  }

  mutating func color() -> Color? {
    random.below(3) == 0 ? nil : Color(red: 255, green: UInt8(random.below(256)), blue: 0, alpha: 255)
  }

  /// A change that has an effect on most documents.
  mutating func change(on art: some ArtReading) throws -> Change {
    let all = try art.emojisInOrder()
    guard !all.isEmpty, random.below(4) > 0 else { return .add(try emoji()) }
    let id = all[random.below(all.count)].id
    switch random.below(11) {
    case 0: return .remove(id)
    case 1, 2: return .move(id, to: try place())
    case 3: return .resize(id, to: try FontSize(Double(1 + random.below(100))))
    case 4: return .setText(id, to: try text())
    case 5: return .order(id, to: random.below(1 << 30))
    case 6: return .setCanvas(try Canvas(width: 1 + random.below(5_000), height: 1 + random.below(5_000)))
    case 7:
      let url = random.below(2) == 0 ? nil : "https://example.org/\(random.below(100)).png"
      // A background is set only where its bytes are stored.
      guard random.below(3) != 0, try art.holdsPicture(Self.picture) else { return .setBackground(nil) }
      return .setBackground(
        try Background(
          digest: Self.picture, mediaType: "image/png", size: try Canvas(width: 640, height: 480), url: url))
    case 8: return .set(id, try styleValue())
    case 9: return .setFill(color())
    default:
      return .setPending(
        random.below(3) == 0
          ? nil
          : try PendingBackground(
            url: "https://example.org/later.png", since: random.below(1 << 40), reason: "dns", anchor: .center
          ))
    }
  }

  mutating func edit(on art: some ArtReading) throws -> Edit {
    var changes: [Change] = []
    for _ in 0...random.below(3) { changes.append(try change(on: art)) }
    return Edit(name: "edit \(random.below(100))", changes: changes)
  }
}

extension DocumentTransaction {
  /// Writes a row of a table without meaning for the content, with its sum.
  func insertPlain(_ table: PlainTable, _ values: [Statement.Value]) throws {
    let sum = table.sum(of: values)
    let marks = values.map { _ in "?" }.joined(separator: ",")
    let insert = try Statement("INSERT INTO \(table.name) VALUES(\(marks),?)", on: connection)
    try insert.bind(values + [.integer(sum)])
    while try insert.step() {}
    art.digest.add(sum)
  }

  /// Stores a named version, and the trace of one that was removed.
  func insertVersions() throws {
    let named: [Statement.Value] = [
      .text("k3m9abcd0f2z:3"), .text("before the party"), .integer(1), .text("k3m9abcd0f2z:2"), .text("Ada"),
      .integer(1_800_000_000_000),
      .text(#"{"background":null,"canvas":{"height":1,"width":1},"emojis":[],"revision":1}"#),
    ]
    var removed = named
    (removed[0], removed[1], removed[6]) = (.text("k3m9abcd0f2z:4"), .null, .null)
    for row in [named, removed] { try insertPlain(.version, row) }
  }

  /// Stores a picture's bytes.
  func insertImage(_ number: Int, _ bytes: [UInt8]) throws {
    let digest = bytes.withUnsafeBufferPointer { ContentDigest.of($0) }
    try insertPlain(.image, [.integer(number), .text(digest), .blob(bytes)])
  }
}

extension DocumentFile {
  /// Fills a document with emoji, a log of edits and a picture.
  func fill(emojis: Int, edits: Int, imageBytes: Int = 0, seed: UInt64) throws {
    var maker = try EditMaker(seed: seed)
    var added: [Change] = []
    for _ in 0..<emojis { added.append(.add(try maker.emoji())) }
    let first = Edit(name: "add \(emojis) emoji", changes: added)
    let stamp = maker.stamp()
    try self.edit { (transaction: DocumentTransaction) throws(ArtError) in
      _ = try transaction.perform(first, stamp: stamp)
    }
    for _ in 0..<edits {
      let content = try read()
      let edit = try maker.edit(on: content)
      let stamp = maker.stamp()
      try self.edit { (transaction: DocumentTransaction) throws(ArtError) in
        _ = try transaction.perform(edit, stamp: stamp)
      }
    }
    guard imageBytes > 0 else { return }
    var picture: [UInt8] = []
    for _ in 0..<imageBytes { picture.append(UInt8.random(in: 0...255, using: &maker.random)) }
    let bytes = picture
    try self.edit { (transaction: DocumentTransaction) throws(ArtError) in
      do { try transaction.insertImage(1, bytes) } catch { throw error as? ArtError ?? .busy("image") }
    }
  }

  /// One edit that adds an emoji; returns its id.
  @discardableResult
  func add(_ text: String = "🐝", seed: UInt64) throws -> EmojiID {
    var maker = try EditMaker(seed: seed)
    var emoji = try maker.emoji()
    emoji.text = try EmojiText(text)
    let added = emoji
    let stamp = maker.stamp()
    try edit { (transaction: DocumentTransaction) throws(ArtError) in
      _ = try transaction.perform(Edit(name: "add \(text)", changes: [.add(added)]), stamp: stamp)
    }
    return added.id
  }
}
