// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import ArtExchange
@testable import ArtModel

private let picture: [UInt8] = [0xFB, 0xFF, 0xBF, 0x01]
private let address = "https://example.org/pond.png"

/// Two emoji with fractional places and sizes, the first at the bottom.
private func document(
  picture size: Canvas? = nil, url: String? = nil, pending: PendingBackground? = nil,
  canvas: Canvas = .standard
) throws -> DocumentContent {
  let emojis = [
    Emoji(
      id: try #require(EmojiID("aaaaaaaa")), text: try EmojiText("🐝/🐝"),
      position: try Point(x: 100.75, y: 50.25),
      size: try FontSize(42.5), z: 0),
    Emoji(
      id: try #require(EmojiID("bbbbbbbb")), text: try EmojiText("🌻"), position: try Point(x: 600, y: 500),
      size: try FontSize(0.25), z: 1),
  ]
  let background = try size.map {
    try Background(digest: String(repeating: "0", count: 32), mediaType: "image/png", size: $0, url: url)
  }
  var generator = SplitMix64(seed: 1)
  return try #require(
    DocumentContent(
      id: DocumentID(using: &generator), canvas: size ?? canvas, background: background, pending: pending,
      emojis: emojis))
}

private func text(_ content: DocumentContent, _ dialect: Dialect) throws -> String {
  String(
    decoding: try written(content, picture: content.background == nil ? nil : picture, to: dialect),
    as: UTF8.self)
}

private func codes(_ content: DocumentContent, _ dialect: Dialect) -> [String] {
  dialect.report(on: content).notes.map { "\($0.kind) \($0.code) \($0.emojis)" }
}

@Suite("Writing documents for other programs")
struct WritingTests {
  @Test("X3 each dialect is written as its year's app wrote it, with numbers rounded as that app rounds them")
  func forms() throws {
    let both = try document(picture: Canvas(width: 800, height: 601), url: address)
    let url = #"https:\/\/example.org\/pond.png"#
    let bytes = #"+\/+\/AQ=="#
    #expect(
      try text(both, .emojiart2017)
        == #"{"emojis":[{"size":42,"text":"🐝\/🐝","x":100,"y":50},{"size":1,"text":"🌻","x":600,"y":500}],"imageData":"\#(bytes)","url":"\#(url)"}"#
    )
    // 100.75 is 299.25 to the left of 400, 50.25 is 250.25 above 300.5.
    let centred =
      #""emojis":[{"id":1,"size":SIZE,"text":"🐝\/🐝","x":-299,"y":-250},{"id":2,"size":1,"text":"🌻","x":200,"y":199}],"uniqueEmojiId":2}"#
    #expect(
      try text(both, .emojiart2020)
        == #"{"backgroundImageData":"\#(bytes)","backgroundURL":"\#(url)","#
        + centred.replacing("SIZE", with: "42"))
    #expect(
      try text(both, .emojiart2021a)
        == #"{"background":{"imageData":"\#(bytes)"},"# + centred.replacing("SIZE", with: "43"))
    #expect(
      try text(both, .emojiart2021b)
        == #"{"background":{"imageData":{"_0":"\#(bytes)"}},"# + centred.replacing("SIZE", with: "43"))
    #expect(
      try text(both, .emojiart2023)
        == #"{"background":"\#(url)","emojis":[{"id":1,"position":{"x":-299,"y":250},"size":42,"string":"🐝\/🐝"},{"id":2,"position":{"x":200,"y":-199},"size":1,"string":"🌻"}],"uniqueEmojiId":2}"#
    )
  }

  @Test(
    "a URL without its picture is written where the dialect has it, and no background as the dialect's blank")
  func withoutPicture() throws {
    let url = #"https:\/\/example.org\/pond.png"#
    let pending = try document(
      pending: PendingBackground(url: address, since: 1, reason: "offline", anchor: .center))
    let beginnings: [Dialect: (pending: String, blank: String)] = [
      .emojiart2017: (#"{"emojis":["#, #"{"emojis":["#),
      .emojiart2020: (#"{"backgroundURL":"\#(url)","emojis":"#, #"{"emojis":"#),
      .emojiart2021a: (#"{"background":{"url":"\#(url)"},"emojis":"#, #"{"background":{},"emojis":"#),
      .emojiart2021b: (
        #"{"background":{"url":{"_0":"\#(url)"}},"emojis":"#, #"{"background":{"blank":{}},"emojis":"#
      ),
      .emojiart2023: (#"{"background":"\#(url)","emojis":"#, #"{"emojis":"#),
    ]
    for (dialect, beginning) in beginnings {
      #expect(try text(pending, dialect).hasPrefix(beginning.pending), "\(dialect)")
      #expect(try text(document(), dialect).hasPrefix(beginning.blank), "\(dialect)")
    }
    #expect(try text(pending, .emojiart2017).hasSuffix(#"],"url":"\#(url)"}"#))
    #expect(try text(document(), .emojiart2017).hasSuffix("]}"))
  }

  @Test("X4 our own JSON is the output of `show --json` with the picture's bytes")
  func ownJSON() throws {
    let content = try document(picture: Canvas(width: 800, height: 601), url: address)
    var shown: [UInt8] = []
    try content.writeJSON { shown += $0 }
    let expected = String(decoding: shown, as: UTF8.self).replacing(
      #"{"background":{"#, with: #"{"background":{"data":"+/+/AQ==","#)
    #expect(try text(content, .json) == expected)
    #expect(codes(content, .json).isEmpty)
    let large = (0..<200_001).map { UInt8(truncatingIfNeeded: $0 &* 7) }
    var pieces: [Int] = []
    var whole: [UInt8] = []
    try Dialect.json.write(content, picture: large) {
      pieces.append($0.count)
      whole += $0
    }
    #expect(try ForeignArt(whole).background?.bytes == large)
    #expect((pieces.max() ?? 0) <= 1 << 17, "a picture is written in pieces")
  }

  @Test("a picture whose bytes are lost is reported in every dialect, and its URL is written")
  func lostPicture() throws {
    let content = try document(picture: Canvas(width: 800, height: 601), url: address)
    for dialect in Dialect.allCases {
      let notes = dialect.report(on: content, isPictureLost: true).notes
      #expect(notes.map(\.code).contains("lostPicture"), "\(dialect)")
      #expect(!notes.map(\.code).contains { ["picture", "pictureURL"].contains($0) }, "\(dialect)")
      let art = try ForeignArt(try written(content, to: dialect))
      #expect(art.background == ForeignArt.Background(url: address), "\(dialect)")
    }
  }

  @Test(
    "X5 the report names what a dialect cannot carry: pictures, URLs, the canvas, places and sizes")
  func report() throws {
    let both = try document(picture: Canvas(width: 800, height: 601), url: address)
    let rounded = ["changed places 1", "changed sizes 1", "changed smallSizes 1"]
    // 600 - 400 is whole, and 500 - 300.5 is not.
    let centred = ["changed places 2", "changed sizes 1", "changed smallSizes 1"]
    #expect(codes(both, .emojiart2017) == rounded)
    #expect(codes(both, .emojiart2020) == centred)
    #expect(codes(both, .emojiart2021a) == ["leftOut pictureURL 0"] + centred)
    #expect(codes(both, .emojiart2023) == ["leftOut picture 0"] + centred)
    let picture = try document(picture: Canvas(width: 800, height: 601))
    #expect(codes(picture, .emojiart2021b) == centred)
    #expect(codes(picture, .emojiart2023) == ["leftOut picture 0", "changed canvas 0"] + centred)
    let pending = try PendingBackground(url: address, since: 1, reason: "offline", anchor: .center)
    #expect(codes(try document(pending: pending), .emojiart2020) == rounded)
    #expect(codes(try document(pending: pending), .emojiart2017) == ["changed origin 2"] + rounded)
    #expect(
      codes(try document(picture: Canvas(width: 800, height: 601), pending: pending), .emojiart2020)
        == ["leftOut pending 0"] + centred)
    #expect(
      codes(try document(canvas: Canvas(width: 500, height: 900)), .emojiart2021b) == ["changed canvas 0"]
        + rounded)
  }
}
