// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtProtocol
import ArtWorkspace
import Foundation
import TestSupport
import Testing

@testable import ArtWeb

@Suite("Messages of the studio's pages") struct PageMessageTests {
  private static let good = [
    #"{"open":"bees.emojiart","tag":"a1"}"#,
    #"{"edit":{"changes":[["move","0123abcd",1,2]],"name":"move 🐝"},"since":null,"tag":"a2"}"#,
    #"{"edit":{"changes":[["add","0123abcd","🐝",1,2,40,5,{"mirrored":true,"rotation":30}]],"name":"add"},"tag":1}"#,
    #"{"undo":1,"tag":"a3"}"#, #"{"takeBack":"0123456789ab:7","tag":"a4"}"#, #"{"history":100,"tag":1}"#,
    #"{"find":{"limit":10,"words":"bee"},"tag":1}"#, #"{"palettes":true,"tag":1}"#,
    #"{"find":{"language":"de","limit":10,"words":"Biene"},"tag":1}"#,
    #"{"cancel":true,"tag":1}"#, #"{"preferences":{"language":"de"},"tag":1}"#,
    #"{"warnings":"never","tag":1}"#, #"{"presence":{"drag":[1,-2.5],"ids":["0123abcd"]}}"#,
    #"{"tag":"a5","caption":{"at":"top","size":30,"text":"Hi"}}"#, #"{"background":null,"tag":1}"#,
  ]

  @Test("H4 every message is read with its tag")
  func read() throws {
    for text in Self.good {
      let message = try PageMessage(Array(text.utf8))
      #expect((message.tag != nil) == text.contains("tag"), "\(text)")
    }
  }

  @Test("H4 a message that is none is an error with its tag, and never a trap")
  func mutated() throws {
    var random = SplitMix64(seed: 7)
    var (taken, refused) = (0, 0)
    for text in Self.good {
      for _ in 0..<400 {
        var bytes = Array(text.utf8)
        for _ in 0..<Int.random(in: 1...3, using: &random) where !bytes.isEmpty {
          let index = Int.random(in: 0..<bytes.count, using: &random)
          switch Int.random(in: 0..<4, using: &random) {
          case 0: bytes[index] = UInt8.random(in: 0...255, using: &random)
          case 1: bytes.remove(at: index)
          case 2: bytes.insert(bytes[index], at: index)
          default: bytes = Array(bytes.prefix(max(1, index)))
          }
        }
        do throws(ProtocolRequest.Unreadable) {
          _ = try PageMessage(bytes)
          taken += 1
        } catch {
          refused += 1
        }
      }
    }
    print("messages: \(taken) mutations read, \(refused) refused")
    #expect(taken > 50 && refused > 3_000)
  }

  @Test("H4 the error of a message has the tag that stands behind the fault")
  func tagBehind() throws {
    for text in [
      #"{"edit":{"changes":[["rotate","0123abcd",212]],"name":"rotate"},"since":null,"tag":"a2"}"#,
      #"{"find":{"words":3},"tag":"a2"}"#, #"{"mvoe":{},"tag":"a2"}"#,
    ] {
      let unreadable = #expect(throws: ProtocolRequest.Unreadable.self) { try PageMessage(Array(text.utf8)) }
      #expect(unreadable?.tag?.text == #""a2""#, "\(text)")
    }
  }

  @Test("a search has the language of its page, and English for one without names of emoji")
  func languages() throws {
    for (text, wanted) in [
      (#"{"find":{"words":"bee"},"tag":1}"#, EmojiLanguage.english),
      (#"{"find":{"language":"de","words":"bee"},"tag":1}"#, .german),
      (#"{"find":{"language":"de-CH","words":"bee"},"tag":1}"#, .german),
      (#"{"find":{"language":"tlh","words":"bee"},"tag":1}"#, .english),
      (#"{"find":{"language":"","words":"bee"},"tag":1}"#, .english),
    ] {
      guard case .find("bee", limit: 60, let language) = try PageMessage(Array(text.utf8)).body else {
        Issue.record("\(text) is no search")
        continue
      }
      #expect(language == wanted, "\(text)")
    }
    #expect(throws: ProtocolRequest.Unreadable.self) {
      try PageMessage(Array(#"{"find":{"language":7,"words":"bee"},"tag":1}"#.utf8))
    }
  }

  @Test("H4 an edit of a page sets no background, and has no text that a user could not type")
  func edits() {
    let changes: [(change: String, code: ArtError.Code, cause: String)] = [
      (#"["background",null]"#, .usage, "an edit of a page cannot set the background; ask for background"),
      (#"["pending",null]"#, .usage, "an edit of a page cannot set the background; ask for background"),
      (
        #"["add","0123abcd","abc",1,2,40,5]"#, .badText,
        #""abc" has no emoji in it; give at least one, such as 🐝"#
      ),
      (
        #"["text","0123abcd","\u0007"]"#, .badText,
        #""\u{7}" holds a control or an unknown character; give emoji and letters only"#
      ),
      (
        #"["add","0123abcd","🐝",1e9,2,40,5]"#, .badValue,
        #""1000000000,2" is no place; give X,Y in pixels or percent, within 1,000,000 of the origin"#
      ),
      (
        #"["add","0123abcd","🐝",1,2,0,5]"#, .badValue,
        #""0" is no size; give pixels above 0 and up to 100,000, or percent of the canvas's shorter side"#
      ),
      (#"["nothing"]"#, .badJSON, "JSON with an array that ends too early, column 31"),
    ]
    for (change, code, cause) in changes {
      let text = #"{"edit":{"changes":[\#(change)],"name":"x"},"tag":"t"}"#
      let error = #expect(throws: ProtocolRequest.Unreadable.self) { try PageMessage(Array(text.utf8)) }
      #expect(error?.error.code == code && error?.error.cause == cause, "\(change)")
    }
    for name in ["", "a\nb", String(repeating: "x", count: 201)] {
      let text =
        "{\"edit\":{\"changes\":[],\"name\":\(String(decoding: JSONText.string(name), as: UTF8.self))},\"tag\":1}"
      let error = #expect(throws: ProtocolRequest.Unreadable.self) { try PageMessage(Array(text.utf8)) }
      #expect(error?.error.code == .badValue, "\(name)")
      #expect(error?.error.cause == "the name of an edit has 1 to 200 bytes on one line", "\(name)")
    }
  }

  @Test("H4 a message of more than 8 MiB is refused")
  func large() {
    let text = #"{"open":"\#(String(repeating: "a", count: 8 << 20))","tag":1}"#
    #expect(throws: ProtocolRequest.Unreadable.self) { try PageMessage(Array(text.utf8)) }
  }
}

private enum JSONText {
  static func string(_ text: String) -> [UInt8] {
    var json = JSONWriter()
    json.string(text)
    return json.bytes
  }
}
