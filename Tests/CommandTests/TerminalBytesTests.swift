// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtTerminal
import Foundation
import TestSupport
import Testing

@testable import emojiart

@Suite("The bytes that are sent to a terminal")
struct TerminalBytesTests {
  private let sixels = "\u{1B}P0;1;0q\"1;1;4;6#0;2;100;0;0#0!4~-$?\u{1B}\\"
  private let size: PixelSize
  private let symbols = "\u{1B}[38;2;1;2;3;48;5;7m▀▄ \u{1B}[0m\n\u{1B}[7m█\u{1B}[m\n"

  init() throws { size = try PixelSize(width: 4, height: 12) }

  @Test("C7 only sixels, and only symbols with colours, of the given size are accepted")
  func clean() {
    #expect(TerminalBytes.areSixels(Array(sixels.utf8), size))
    #expect(TerminalBytes.areSymbols(Array(symbols.utf8), columns: 3, rows: 3))
    #expect(!TerminalBytes.areSymbols(Array(symbols.utf8), columns: 2, rows: 3), "symbols that are too wide")
    #expect(!TerminalBytes.areSymbols(Array(symbols.utf8), columns: 3, rows: 2), "symbols that are too high")
    for bad in [
      "", "\u{1B}P", "\u{1B}Pq", "\u{1B}Pq~\u{1B}\\\u{1B}Pq~\u{1B}\\", "\u{1B}Pq~\u{1B}[2J\u{1B}\\",
      "\u{1B}Pp~\u{1B}\\",
      "\u{1B}P$qm\u{1B}\\", "\u{1B}Pq~\n\u{1B}\\", "\u{1B}Pq~\u{9C}\u{1B}\\", "\u{1B}P+q544e\u{1B}\\",
      "\u{1B}Pq~\u{1B}\\ls\n",
      "\u{1B}P1;1;1;1;1;1;1;1;1;1q~\u{1B}\\", "\u{1B}Pq12~\u{1B}\\", "\u{1B}Pq!~\u{1B}\\",
      "\u{1B}Pq!3\u{1B}\\",
      "\u{1B}Pq#1;2~\u{1B}\\", "\u{1B}Pq!123456~\u{1B}\\", "\u{1B}Pq\"1;1~\u{1B}\\",
    ] { #expect(!TerminalBytes.areSixels(Array(bad.utf8), size), "\(bad.debugDescription)") }
    for bad in [
      "a", "\r", "\t", "\u{1B}", "\u{1B}[", "\u{1B}[2J", "\u{1B}[31", "\u{1B}[?25l", "\u{1B}[>1m",
      "\u{1B}]0;x\u{7}", "\u{1B}c",
      "\u{9B}31m", "\u{1B}[38:2:1m", "🐝", "▀\u{301}", "\u{202E}",
      "\u{1B}[" + String(repeating: "1", count: 70) + "m",
    ] {
      #expect(!TerminalBytes.areSymbols(Array(bad.utf8), columns: 80, rows: 24), "\(bad.debugDescription)")
    }
    #expect(
      !TerminalBytes.areSymbols([0xE2, 0x96], columns: 80, rows: 24), "symbols that are not valid UTF-8")
  }

  @Test("C7 a picture beyond the given size is refused")
  func beyond() throws {
    let fits = ["~~~~", "!4~", "!4~$!4~", "!4~-!4~", "!4~-!4~-", "\"1;1;4;12!4~", "#1;2;0;0;0#1!3~?"]
    let beyond = ["~~~~~", "!5~", "!99999~", "!4~-!4~-~", "----~", "\"1;1;5;12~", "\"1;1;4;13~", "~!4~"]
    for (texts, isFine) in [(fits, true), (beyond, false)] {
      for text in texts {
        let bytes = Array("\u{1B}P0;1;0q\(text)\u{1B}\\".utf8)
        #expect(TerminalBytes.areSixels(bytes, size) == isFine, "\(text)")
      }
    }
    let head: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0, 0, 0, 13] + Array("IHDR".utf8)
    #expect(TerminalBytes.arePNG(head + [0, 0, 0, 4, 0, 0, 0, 12, 8, 6], size))
    #expect(!TerminalBytes.arePNG(head + [0, 1, 0, 4, 0, 0, 0, 12, 8, 6], size))
    #expect(!TerminalBytes.arePNG(head + [0, 0, 0, 4, 0, 0, 0, 13, 8, 6], size))
    #expect(!TerminalBytes.arePNG(head, size))
  }

  @Test("C7 changed bytes are refused, or have no other control sequences than the originals")
  func mutated() throws {
    var random = SplitMix64(seed: 129)
    let rest = try Regex(#"\x1B\[[0-9;]*m|[ \n▀-▟]"#)
    var (kept, refused) = (0, 0)
    for original in [sixels, symbols] {
      for _ in 0..<4_000 {
        var bytes = Array(original.utf8)
        for _ in 0...Int.random(in: 0...2, using: &random) {
          let place = Int.random(in: bytes.indices, using: &random)
          switch Int.random(in: 0..<3, using: &random) {
          case 0: bytes[place] = UInt8.random(in: 0...255, using: &random)
          case 1:
            bytes.insert([0x1B, 0x5B, 0x6D, 0x50, 0x5C][Int.random(in: 0..<5, using: &random)], at: place)
          default: bytes.remove(at: place)
          }
        }
        let text = String(decoding: bytes, as: UTF8.self)
        if TerminalBytes.areSixels(bytes, size) {
          #expect(bytes.filter { $0 == 0x1B }.count == 2)
          #expect(bytes.allSatisfy { $0 == 0x1B || (0x20...0x7E).contains($0) })
          kept += 1
        } else if TerminalBytes.areSymbols(bytes, columns: 10, rows: 5) {
          #expect(text.replacing(rest, with: "").isEmpty)
          kept += 1
        } else {
          refused += 1
        }
      }
    }
    print("bytes for a terminal: \(kept) changed ones taken, \(refused) refused")
    #expect(kept > 100 && refused > 1_000)
  }

  @Test("C7 a picture by kitty's protocol is its PNG in base64, in pieces of at most 4096 characters")
  func kitty() throws {
    let command = try Regex(#"\x1B_G([a-zA-Z0-9=,-]*);([A-Za-z0-9+/=]*)\x1B\\"#)
    for count in [0, 1, 3_071, 3_072, 3_073, 10_000] {
      var random = SplitMix64(seed: UInt64(count))
      let picture = (0..<count).map { _ in UInt8.random(in: 0...255, using: &random) }
      let text = String(decoding: KittyPicture.sequence(picture, columns: 7), as: UTF8.self)
      let matches = text.matches(of: command)
      #expect(text.replacing(command, with: "").isEmpty)
      let controls = matches.compactMap { $0.output[1].substring.map(String.init) }
      let parts = matches.compactMap { $0.output[2].substring.map(String.init) }
      #expect(controls.first?.hasPrefix("a=T,f=100,q=2,C=1,c=7,z=-1,m=") == true)
      #expect(
        controls.dropLast().allSatisfy { $0.hasSuffix("m=1") } && controls.last?.hasSuffix("m=0") == true)
      #expect(parts.allSatisfy { $0.count <= 4096 } && parts.dropLast().allSatisfy { $0.count % 4 == 0 })
      #expect(Data(base64Encoded: parts.joined()).map { [UInt8]($0) } == picture)
    }
  }

  @Test("C7 base64 gives the same text for any pieces of its input")
  func base64() {
    var random = SplitMix64(seed: 64)
    var tried = 0
    for count in 0..<200 {
      let bytes = (0..<count).map { _ in UInt8.random(in: 0...255, using: &random) }
      var encoder = Base64Encoder()
      var text: [UInt8] = []
      var rest = bytes[...]
      while !rest.isEmpty {
        let piece = rest.prefix(Int.random(in: 0...9, using: &random))
        text += encoder.encode(Array(piece))
        rest = rest.dropFirst(piece.count)
      }
      text += encoder.finish()
      #expect(String(decoding: text, as: UTF8.self) == Data(bytes).base64EncodedString())
      #expect(Base64Encoder.text(bytes) == text)
      tried += 1
    }
    print("base64: \(tried) texts compared")
  }
}
