// SPDX-License-Identifier: Apache-2.0

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
