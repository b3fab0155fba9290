// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import ArtModel

@Suite("The file of palettes") struct PaletteFileTests {
  private func read(_ text: String) -> Result<Palettes, ArtError> { read(Array(text.utf8)) }

  private func read(_ bytes: [UInt8]) -> Result<Palettes, ArtError> {
    do throws(ArtError) {
      return .success(
        try bytes.withUnsafeBufferPointer { (bytes) throws(ArtError) in try Palettes(file: bytes) })
    } catch {
      return .failure(error)
    }
  }

  private func failure(_ text: String) -> ArtError? {
    guard case .failure(let error) = read(text) else { return nil }
    return error
  }

  @Test("L3 the file of palettes is read back as it was written, one palette a line")
  func written() throws {
    var palettes = Palettes()
    #expect(read(palettes.fileText) == .success(palettes))
    try palettes.make(PaletteName("zoo"), of: [EmojiText("🐘"), EmojiText("❤")])
    try palettes.make(PaletteName("bugs"), of: [EmojiText("🐝 \"b\\")])
    try palettes.remove(PaletteName("hearts"))
    #expect(
      palettes.fileText == """
        {
          "palettes": {
            "bugs": ["🐝 \\"b\\\\"],
            "hearts": [],
            "zoo": ["🐘","❤️"]
          },
          "version": 1
        }

        """)
    #expect(read(palettes.fileText) == .success(palettes))
    // As a user may write it.
    let typed = #"{"palettes":{ "Zoo" : ["🐘", "❤"],"hearts":[],"bugs":["🐝 \"b\\"]}}"#
    #expect(read(typed) == .success(palettes))
  }

  @Test("L3 an invalid file is refused with one short line, and a syntax error with its line number")
  func strict() {
    let many = (0..<257).map { #""🐝\#($0)""# }.joined(separator: ",")
    let crowd = (0..<257).map { #""p\#($0)":["🐝"]"# }.joined(separator: ",")
    let bad: [(String, String)] = [
      ("", "no object"), ("[]", "no object"), ("{}", "no palettes"), (#"{"version":1}"#, "no palettes"),
      (#"{"palettes":[]}"#, "no object"), (#"{"palettes":{"bugs":"🐝"}}"#, "no array"),
      (#"{"palettes":{"bugs":[1]}}"#, "no string"), (#"{"palettes":{"bugs":[]}}"#, "without emoji"),
      (#"{"palettes":{"bugs":["🐝"],"bugs":["🐛"]}}"#, "twice"),
      (#"{"palettes":{"bugs":["🐝"],"Bugs":["🐛"]}}"#, "twice"),
      (#"{"palettes":{"bugs":["❤","❤️"]}}"#, "twice"),
      (#"{"palettes":{"a b":["🐝"]}}"#, "no name for a palette"),
      (#"{"palettes":{"recent":["🐝"]}}"#, "kept automatically"), (#"{"palettes":{"last":["🐝"]}}"#, "no name"),
      (#"{"palettes":{"bugs":["word"]}}"#, "no emoji in it"), (#"{"palettes":{"bugs":[""]}}"#, "empty text"),
      (#"{"palettes":{},"other":1}"#, "the key \"other\""), (#"{"palettes":{},"version":2}"#, "format 2"),
      (#"{"palettes":{},"version":"1"}"#, "JSON"), (#"{"palettes":{}} x"#, "text after"),
      ("\u{FEFF}{}", "no object"),
      (#"{"palettes":{"bugs":["\ud83d"]}}"#, "surrogate"),
      (#"{"palettes":{"many":[\#(many)]}}"#, "256 emoji"),
      (#"{"palettes":{\#(crowd)}}"#, "256 palettes"), (String(repeating: "[", count: 100_000), "no object"),
    ]
    for (text, what) in bad {
      guard case .failure(let error) = read(text) else {
        Issue.record("\(text.prefix(60)) is read")
        continue
      }
      #expect(error.cause.contains(what), "\(text.prefix(60)): \(error.cause)")
      #expect(!error.cause.contains("\n"))
    }
    let long = String(repeating: "a", count: 100_000)
    #expect(failure("{\"palettes\":{},\"\(long)\":1}")?.cause.count ?? 999 < 200)
    let place = read("{\n  \"palettes\": {\n    \"bugs\": [\"🐝\",]\n  }\n}\n")
    #expect(
      place == .failure(ArtError(.badJSON, "JSON with no string where one is due, line 3, column 18")))
  }

  @Test("L3 a newer file is refused as newer, whatever its palettes are and wherever its version stands")
  func newer() {
    for text in [
      #"{"palettes":{"bugs":{"emojis":["🐝"]}},"version":2}"#, #"{"palettes":[],"version":3}"#,
      #"{"version":2,"themes":[]}"#, #"{"version":2}"#,
    ] {
      #expect(failure(text)?.code == .newerFormat, "\(text)")
    }
    for text in [
      #"{"palettes":{},"version":0}"#, #"{"palettes":{},"version":-1}"#, #"{"palettes":[],"version":2"#,
    ] {
      #expect(failure(text)?.code == .badJSON, "\(text)")
    }
  }

  @Test(
    "L3 a file with random changes is read or refused, and what is read is written and read again as the same"
  )
  func mutations() throws {
    var palettes = Palettes()
    try palettes.make(PaletteName("bugs"), of: [EmojiText("🐝"), EmojiText("🐛"), EmojiText("👩‍🚀")])
    try palettes.make(PaletteName("hearts-of-mine"), of: [EmojiText("❤"), EmojiText("🏳️‍🌈 x")])
    try palettes.remove(PaletteName("hearts"))
    let whole = Array(palettes.fileText.utf8)
    let pieces = [
      "\"", "[", "]", "{", "}", ",", ":", "\\u0000", "\\ud83d", "🐝", "\"bugs\":[\"🐝\"],", "1e400", " ",
    ]
    var random = SplitMix64(seed: 708)
    var (good, bad, changed) = (0, 0, 0)
    for _ in 0..<5_000 {
      var bytes = whole
      for _ in 0...random.below(3) {
        let index = random.below(bytes.count)
        switch random.below(4) {
        case 0: bytes[index] = UInt8(random.below(256))
        case 1: bytes.remove(at: index)
        case 2: bytes.insert(contentsOf: pieces[random.below(pieces.count)].utf8, at: index)
        default: bytes.removeSubrange(index..<min(bytes.count, index + random.below(20)))
        }
        if bytes.isEmpty { bytes = [0x7B] }
      }
      guard case .success(let read) = read(bytes) else {
        bad += 1
        continue
      }
      good += 1
      changed += read == palettes ? 0 : 1
      #expect(self.read(read.fileText) == .success(read))
    }
    print("L3 mutations: \(good + bad) of 5000 files, \(good) read, \(changed) of them as something else")
    #expect(good > 100 && bad > 1_000 && changed > 50)
  }
}
