// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@testable import ArtModel

@Suite("Base64 in JSON")
struct Base64Tests {
  private func read(_ json: String) throws -> JSONReader.Base64Text {
    try JSONReader.read(json) { (reader) throws(ArtError) in try reader.base64() }
  }

  @Test(
    "base64 is read in any spelling of JSON and with line breaks, and invalid base64 is reported at its place"
  )
  func reading() throws {
    #expect(try read(#""+\/+\/AQ==""#) == .bytes([0xFB, 0xFF, 0xBF, 0x01]))
    #expect(try read(#""+/+/AQ==""#) == .bytes([0xFB, 0xFF, 0xBF, 0x01]))
    #expect(try read(#""+/\r\n+/A\nQ==\n""#) == .bytes([0xFB, 0xFF, 0xBF, 0x01]))
    #expect(try read(#""\u002b\/+\/AQ\u003D=""#) == .bytes([0xFB, 0xFF, 0xBF, 0x01]))
    #expect(try read(#""""#) == .bytes([]))
    let broken = [
      #""AB*D""#: 3, #""ABCDE""#: 6, #""ABCDE===""#: 6, #""AQ=""#: 4, #""AQ==A""#: 5, #""A=AA""#: 2,
      #""AR==""#: 5,
      #""AB CD""#: 3, #""ABC\"""#: 4, #""ABCDé""#: 5,
    ]
    for (json, place) in broken { #expect(try read(json) == .broken(atByte: place), "\(json)") }
    for json in ["\"AB\nCD\"", "\"ABCD", "\"ABC\\", #""AB\x""#, "5", #""AB*\ud800""#] {
      #expect(throws: ArtError.self, "\(json)") { try read(json) }
    }
  }

  @Test("encoded bytes of any length are decoded, with line breaks anywhere")
  func roundTrips() throws {
    var generator = SplitMix64(seed: 2)
    for length in 0..<200 {
      let bytes = (0..<length).map { _ in UInt8.random(in: 0...255, using: &generator) }
      var text = ""
      for character in Base64Encoder.text(bytes) {
        if generator.oneIn(9) { text += "\\n" }
        text +=
          character == UInt8(ascii: "/") && generator.oneIn(2) ? "\\/" : String(Unicode.Scalar(character))
      }
      #expect(try read("\"\(text)\"") == .bytes(bytes))
      #expect([UInt8](Data(bytes).base64EncodedData()) == Base64Encoder.text(bytes))
    }
  }
}
