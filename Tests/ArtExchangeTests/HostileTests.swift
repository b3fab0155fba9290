// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import ArtExchange
@testable import ArtModel

@Suite("Hostile documents")
struct HostileTests {
  private func refusal(_ text: String) -> ArtError? {
    do throws(ArtError) { _ = try ForeignArt(text) } catch { return error }
    return nil
  }

  private func label(_ text: String, x: String = "1") -> String {
    #"{"text":"\#(text)","x":\#(x),"y":2,"size":3}"#
  }

  @Test("X2 100,000 emoji are imported, and emoji over the limit are counted")
  func many() throws {
    let many = Array(repeating: label("🐝"), count: 100_000).joined(separator: ",")
    let art = try ForeignArt(#"{"emojis":[\#(many)]}"#)
    #expect(art.emojiCount == 100_000 && art.report.notes.isEmpty)
    let content = try art.content().content
    #expect(content.emojiCount == 100_000 && content.top()?.z == 99_999 * Limits.zStep)
    var few = EmojiReader()
    few.limit = 2
    let five = Array(repeating: label("🐝"), count: 5).joined(separator: ",")
    try JSONReader.read("[\(five)]") { (reader) throws(ArtError) in try few.read(&reader) }
    #expect(few.emojis.count == 2 && few.found == 5 && few.faults.count == 3)
    #expect(few.faults.notes.map(\.code) == ["tooMany"])
  }

  @Test(
    "X2 10 MB of text in a label or a name are left out and a URL of that length is refused, with short notes"
  )
  func longTexts() throws {
    let long = String(repeating: "🐝", count: 2_500_000)
    let art = try ForeignArt(
      #"{"emojis":[\#(label(long)),\#(label("🐢"))],"\#(long)":1,"imageData":"\#(long)"}"#)
    #expect(art.emojiCount == 1 && art.emojisFound == 2 && art.background == nil)
    #expect(art.report.notes.map(\.code).sorted() == ["brokenPicture", "longText", "unknownKeys"])
    #expect(art.report.notes.allSatisfy { $0.text.utf8.count < 400 })
    let named = try ForeignArt(#"{"emojis":[],"url":"\#(String(repeating: "a", count: 10_000_000))"}"#)
    #expect(throws: ArtError.self) { try named.content(pending: named.background?.url) }
  }

  @Test("X2 100,000 levels, equal keys, and invalid numbers and texts are refused with short messages")
  func refused() throws {
    let deep = String(repeating: "[", count: 100_000)
    #expect(refusal(#"{"emojis":\#(deep)"#)?.cause == "JSON with more than 64 levels, column 75")
    #expect(refusal(deep)?.code == .badJSON)
    #expect(refusal(String(repeating: #"{"a":"#, count: 100_000))?.code == .badJSON)
    #expect(
      refusal(#"{"emojis":[],"emojis":[]}"#)?.cause == #"JSON with the key "emojis" twice, column 22"#)
    #expect(refusal(#"{"emojis":[\#(label("🐝", x: "1e999"))]}"#)?.code == .badJSON)
    #expect(refusal(#"{"emojis":[\#(label(#"\udc00"#))]}"#)?.code == .badJSON)
    let long = String(repeating: "a", count: 1_000_000)
    #expect((refusal(#"{"\#(long)":1,"\#(long)":1}"#)?.cause.utf8.count ?? 1000) < 200)
    #expect(refusal(" ")?.code == .badJSON)
    #expect(refusal("SQLite format 3\u{0}")?.code == .badJSON)
  }

  @Test("X2 thousands of unknown names and of invalid emoji make a short report")
  func shortReports() throws {
    let names = (0..<20_000).map { #""name\#($0)":0"# }.joined(separator: ",")
    let labels = (0..<20_000).map { label("no emoji \($0)") }.joined(separator: ",")
    let art = try ForeignArt(#"{\#(names),"emojis":[\#(labels)]}"#)
    #expect(art.emojisFound == 20_000 && art.report.emojisLeftOut == 20_000 && art.report.notes.count == 2)
    #expect(art.report.notes.allSatisfy { $0.text.utf8.count < 400 })
  }

  @Test(
    "emoji of no known dialect are invalid JSON, and JSON without emoji is no document")
  func ofNoForm() {
    #expect(refusal(#"{"emojis":[{"string":"🐝","x":1,"y":2,"size":3,"id":1}]}"#)?.code == .badJSON)
    #expect(refusal(#"{"emojis":{"a":{"text":"🐝"}}}"#)?.code == .badJSON)
    #expect(refusal(#"{"image":"nginx"}"#)?.code == .notADocument)
  }

  @Test("unknown names are reported at any depth, with the names of the objects that hold them")
  func unknownWithin() throws {
    func names(_ text: String) throws -> [String] {
      try ForeignArt(text).report.notes.filter { $0.code == "unknownKeys" }.map {
        String($0.text.drop { $0 != "\"" })
      }
    }
    let point = #"{"string":"🐝","position":{"x":1,"y":2,"z":3},"size":4,"id":1}"#
    #expect(try names(#"{"emojis":[\#(point)]}"#) == [#""position.z""#])
    let located = #"{"text":"🐝","location":{"x":1,"y":2,"z":3},"size":4,"id":1,"angle":5}"#
    #expect(
      try names(#"{"background":{"blank":{"colour":6}},"emojis":[\#(located)]}"#) == [
        #""angle", "background.blank.colour", "location.z""#
      ])
    #expect(
      try names(#"{"background":{"url":{"_0":"https://example.org","_1":7},"tint":8},"emojis":[]}"#) == [
        #""background.tint", "background.url._1""#
      ])
    #expect(
      try names(#"{"canvas":{"width":8,"height":6,"depth":9},"emojis":[],"revision":1}"#) == [
        #""canvas.depth""#
      ])
    #expect(try names(#"{"canvas":{"width":8,"height":6},"emojis":[],"revision":1}"#) == [])
  }

  @Test("a canvas out of bounds is refused in our own JSON, and an unknown name in other dialects")
  func canvas() throws {
    let canvas = #""canvas":{"width":100001,"height":600}"#
    #expect(
      refusal("{\(canvas),\"emojis\":[],\"revision\":1}")?.cause
        == "JSON with a canvas of 100001x600, whose sides are not 1 to 100,000 pixels, column 11")
    let foreign = try ForeignArt("{\(canvas),\"emojis\":[\(label("🐝"))]}")
    #expect(foreign.dialect == .emojiart2017 && foreign.emojiCount == 1)
    #expect(foreign.report.notes.map(\.code) == ["unknownKeys"])
  }

  @Test("a note about one emoji or one name is in the singular")
  func ofOne() throws {
    let heart = #"{"text":"❤","x":1,"y":2,"size":3}"#
    #expect(
      try ForeignArt(#"{"odd":1,"emojis":[\#(heart)]}"#).report.notes.map(\.text) == [
        #"what stands under a name that is not known: "odd""#,
        "1 text gets the sign U+FE0F, which makes an emoji of it",
      ])
    #expect(
      try ForeignArt(#"{"odd":1,"even":2,"emojis":[\#(heart),\#(heart)]}"#).report.notes.map(\.text) == [
        #"what stands under names that are not known: "even", "odd""#,
        "2 texts get the sign U+FE0F, which makes emoji of them",
      ])
  }

  @Test("X2 places out of bounds are left out or moved to the bounds, depending on the dialect's origin")
  func bounds() throws {
    let far = ["1000001", "-1050000", "1050001", "1e300"].map { label("🐝", x: $0) }.joined(separator: ",")
    let topLeft = try ForeignArt(#"{"emojis":[\#(far)]}"#)
    #expect(topLeft.emojiCount == 0 && topLeft.report.emojisLeftOut == 4)
    let (content, report) = try ForeignArt(#"{"background":{},"emojis":[\#(far)]}"#).content()
    #expect(content.emojisInOrder().map(\.position.x) == [1_000_000, -1_000_000])
    #expect(report.notes.map { "\($0.code) \($0.emojis)" } == ["placeOutOfBounds 2", "placeHeldBack 1"])
    #expect(content.canvas == (try Canvas(width: 100_000, height: 768)))
  }
}
