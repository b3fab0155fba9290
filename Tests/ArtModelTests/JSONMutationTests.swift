// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import ArtModel

@Suite("JSON with random changes")
struct JSONMutationTests {
  /// A value that documents store, and how it is read and written again.
  private struct Form: Sendable {
    var name: String
    var sample: @Sendable (inout RandomEdits) throws -> String
    var rewrite: @Sendable (UnsafeBufferPointer<UInt8>) throws(ArtError) -> String
  }

  private static func read<Value>(
    _ bytes: UnsafeBufferPointer<UInt8>, _ body: (inout JSONReader) throws(ArtError) -> Value
  ) throws(ArtError) -> Value {
    try JSONReader.read(bytes, body)
  }

  private static let forms: [Form] = [
    Form(
      name: "changes", sample: { JSONFormTests.text(try $0.edit().changes.write) },
      rewrite: { (bytes) throws(ArtError) in JSONFormTests.text(try [Change](json: bytes).write) }),
    Form(
      name: "row", sample: { JSONFormTests.text(try $0.emoji().writeFields) },
      rewrite: { (bytes) throws(ArtError) in
        JSONFormTests.text(try Emoji(id: EmojiID(bits: 1), z: 0, fields: bytes).writeFields)
      }),
    Form(
      name: "background", sample: { JSONFormTests.text(try $0.background().write) },
      rewrite: { (bytes) throws(ArtError) in
        let value = try read(bytes) { (reader) throws(ArtError) in try Background(from: &reader) }
        return JSONFormTests.text(value.write)
      }),
    Form(
      name: "pending", sample: { JSONFormTests.text(try $0.pending().write) },
      rewrite: { (bytes) throws(ArtError) in
        let value = try read(bytes) { (reader) throws(ArtError) in try PendingBackground(from: &reader) }
        return JSONFormTests.text(value.write)
      }),
  ]

  private static let tokens = [
    "\"", "\\", "{", "}", "[", "]", ",", ":", "-", "0", "1e400", "-9223372036854775808", "0.1e-5", "null",
    "true", " ", "\n", "\u{0}",
    "\u{FEFF}", "\\u0000", "\\ud800", "\\ud83d\\udc1d", "\\u0061", "\"x\":1,", "\"y\":", "[[", "\u{202E}",
    "e5", ".5", "9999999999",
  ].map { Array($0.utf8) }

  private static func mutate(_ text: [UInt8], _ generator: inout SplitMix64) -> [UInt8] {
    var text = text
    let index = Int.random(in: 0...text.count, using: &generator)
    let end = min(text.count, index + Int.random(in: 1...8, using: &generator))
    switch Int.random(in: 0...5, using: &generator) {
    case 0 where index < text.count: text[index] ^= 1 << UInt8.random(in: 0...7, using: &generator)
    case 1 where index < text.count: text[index] = UInt8.random(in: 0...255, using: &generator)
    case 2: text.removeSubrange(index..<end)
    case 3: text.insert(contentsOf: text[index..<end], at: index)
    case 4: text.removeSubrange(index...)
    default: text.insert(contentsOf: tokens.randomElement(using: &generator) ?? [], at: index)
    }
    return text
  }

  @Test("J2 JSON with random changes never traps, and what is read is written and read again as the same")
  func mutations() throws {
    var random = RandomEdits(seed: 71)
    var accepted = 0
    var refused: [ArtError.Code: Int] = [:]
    for _ in 0..<10_000 {
      for form in Self.forms {
        let valid = Array(try form.sample(&random).utf8)
        #expect(throws: Never.self) { try valid.withUnsafeBufferPointer(form.rewrite) }
        var text = valid
        for _ in 0..<max(1, random.int(-2...3)) { text = Self.mutate(text, &random.generator) }
        do throws(ArtError) {
          let written = try text.withUnsafeBufferPointer { (bytes) throws(ArtError) in try form.rewrite(bytes)
          }
          let again = try Array(written.utf8).withUnsafeBufferPointer { (bytes) throws(ArtError) in
            try form.rewrite(bytes)
          }
          if written != again { Issue.record("\(form.name): \(written) became \(again)") }
          accepted += 1
        } catch {
          refused[error.code, default: 0] += 1
        }
      }
    }
    let other = refused.keys.filter { ![.badJSON, .badValue, .badText].contains($0) }
    print("JSON mutations: \(accepted) accepted, \(refused.values.reduce(0, +)) refused")
    #expect(other.isEmpty)
    #expect(accepted > 2_000 && refused.values.reduce(0, +) > 20_000)
  }
}
