// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@testable import ArtModel
@testable import ArtStore

@Suite("A new document with content") struct CreateContentTests {
  /// Content with this number of emoji, by a seed.
  private func content(
    _ count: Int, seed: UInt64, background: Background? = nil, pending: PendingBackground? = nil
  ) throws -> DocumentContent {
    var random = SplitMix64(seed: seed)
    let texts = try ["🐝", "🌸", "👩‍🚀"].map { try EmojiText($0) }
    let emojis = try (0..<count).map { index in
      Emoji(
        id: .random(using: &random), text: texts[index % 3],
        position: try Point(
          x: Double.random(in: -1_000...1_000, using: &random),
          y: Double(index).truncatingRemainder(dividingBy: 768)),
        size: try FontSize(Double.random(in: 1...200, using: &random)), z: index * Limits.zStep)
    }
    return try #require(
      DocumentContent(
        id: DocumentID(using: &random), canvas: background?.size ?? .standard,
        fill: Color(red: 255, green: 204, blue: UInt8(count % 256)), background: background,
        pending: pending, emojis: emojis))
  }

  @Test(
    "F12 a document created from content reads back as that content, whatever the size of its picture",
    arguments: [nil, 60_000, 3 << 20] as [Int?])
  func whole(bytes count: Int?) throws {
    let folder = try Workspace()
    let file = DocumentFile(folder["bees.emojiart"])
    let picture = try count.map { try ArtStoreTests.picture(1, bytes: $0) }
    let background = try picture.map { try Background($0, from: url(1)) }
    let pending = try PendingBackground(url: url(2), since: 5, reason: "offline", anchor: .center)
    let content = try content(1_000, seed: 7, background: background, pending: pending)
    try file.create(content, picture: picture)
    let found = try file.read()
    #expect(found == content)
    #expect(found.emojisInOrder() == content.emojisInOrder())
    #expect(found.revision == 0 && found.log.isEmpty)
    #expect(try file.background()?.bytes == picture?.bytes)
    #expect(try file.summary().emojiCount == 1_000)
    #expect(try file.check().faults == [])
    #expect(try folder.names == ["bees.emojiart"])
    // It can be edited as any other document.
    try file.add(seed: 1)
    #expect(try file.read().emojiCount == 1_001)
  }

  @Test(
    "F12 a document is not created in the place of another file, nor with a picture other than its background's"
  )
  func refused() throws {
    let folder = try Workspace()
    try write(Array("a letter".utf8), to: folder["bees.emojiart"])
    let content = try content(3, seed: 1)
    #expect(failure { try DocumentFile(folder["bees.emojiart"]).create(content) }?.code == .exists)
    #expect(try bytes(folder["bees.emojiart"]) == Array("a letter".utf8))
    let file = DocumentFile(folder["ants.emojiart"])
    let (one, other) = (try picture(1), try picture(2))
    #expect(failure { try file.create(content, picture: one) } != nil)
    let pictured = try self.content(3, seed: 1, background: try Background(one, from: nil))
    #expect(failure { try file.create(pictured) } != nil)
    #expect(failure { try file.create(pictured, picture: other) } != nil)
    #expect(try folder.names == ["bees.emojiart"])
    try file.create(pictured, picture: one)
    #expect(failure { try file.create(pictured, picture: one) }?.code == .exists)
  }

  @Test("F12 a document with 100,000 emoji can be created")
  func many() throws {
    let folder = try Workspace()
    let file = DocumentFile(folder["many.emojiart"])
    let content = try content(100_000, seed: 3)
    try file.create(content)
    #expect(try file.read() == content)
  }
}
