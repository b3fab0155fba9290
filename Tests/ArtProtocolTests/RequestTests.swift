// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtProtocol
import TestSupport
import Testing

@Suite("Requests of a stream") struct RequestTests {
  private static let requests = [
    #"{"add":{"size":40,"text":"🐝","x":10,"y":"50%"},"tag":{"a":[1,2.5,null,"\u00e9"]}}"#,
    #"{"add":{"texts":["🐝","🌸"]}}"#, #"{"move":{"by":["1%",-1e1],"ref":["🐝","k3"]}}"#,
    #"{"move":{"all":true,"to":[1,2]}}"#, #"{"resize":{"by":1.5,"ref":"🐝:2"}}"#, #"{"undo":3}"#,
    #"{"order":{"above":"@last","ref":"🐝"},"tag":true}"#, #"{"setText":{"ref":"🐝","text":"🌸"}}"#,
    #"{"save":true}"#, #"{"show":true,"tag":"x"}"#, #"{"remove":{"ref":"🐝"}}"#, #"{"redo":1}"#,
    #"{"background":{"keepCanvas":true,"url":"https://example.org/a.png"}}"#,
    ##"{"caption":{"at":"top","color":"#cc0000","size":"20%","text":"Happy\nbirthday"}}"##,
    #"{"rotate":{"in":"0,0,50%x100%","to":-12.5}}"#, #"{"mirror":{"off":true,"ref":"🐝:*"}}"#,
    #"{"color":{"ref":"Happy birthday","to":null}}"#, #"{"duplicate":{"by":[20,"5%"],"ref":"🐝:2-4"}}"#,
    #"{"align":{"all":true,"to":"middle"}}"#, #"{"distribute":{"along":"vertically","ref":["🐝:*","🌸"]}}"#,
    #"{"grid":{"at":"center","columns":4,"gap":10,"ref":"🐝:*"}}"#,
    #"{"canvas":{"anchor":"center","scale":true,"size":"1080x1350"}}"#,
    #"{"show":{"at":12}}"#, #"{"revert":{"to":"first draft"}}"#, #"{"version":"draft"}"#,
    #"{"version":{"remove":"draft"}}"#, #"{"versions":true}"#,
    #"{"add":{"grid":"3x4","in":"0,0,10x10","text":"🐝"}}"#, #"{"setText":{"ref":"🐝","words":"one\r\ntwo"}}"#,
  ]

  @Test("J2 the tests write and read a request of every verb")
  func verbs() throws {
    var random = RandomProtocol(seed: 1)
    var verbs: Set<String> = []
    for _ in 0..<1_000 {
      let line = try random.request().line
      let text = String(decoding: line, as: UTF8.self)
      if let verb = ProtocolRequest.verbs.first(where: { text.contains("\"\($0)\":") }) { verbs.insert(verb) }
    }
    #expect(verbs == Set(ProtocolRequest.verbs))
    for verb in ProtocolRequest.verbs {
      #expect(Self.requests.contains { $0.contains("\"\(verb)\":") }, "\(verb)")
    }
  }

  /// The tag of a line, whether the line can be read or not.
  private func tag(_ bytes: [UInt8]) -> (tag: ProtocolTag?, isRead: Bool)? {
    bytes.withUnsafeBufferPointer { line in
      do throws(ProtocolRequest.Unreadable) {
        return try ProtocolRequest(line).map { ($0.tag, true) }
      } catch {
        return (error.tag, false)
      }
    }
  }

  @Test("S3 lines with random changes are read or refused, and never trap the program")
  func mutations() throws {
    var chance = SplitMix64(seed: 4)
    var (read, bad, tagged) = (0, 0, 0)
    for round in 0..<40_000 {
      var bytes = Array(Self.requests[round % Self.requests.count].utf8)
      for _ in 0..<Int.random(in: 0...3, using: &chance) {
        let place = Int.random(in: 0..<bytes.count, using: &chance)
        switch Int.random(in: 0...3, using: &chance) {
        case 0: bytes[place] = .random(in: 0...255, using: &chance)
        case 1: bytes.remove(at: place)
        case 2: bytes.insert(Array(#"{}[]",:01-eE.\"#.utf8).randomElement(using: &chance) ?? 0, at: place)
        default: bytes.replaceSubrange(place..<bytes.count, with: bytes[place...].reversed())
        }
      }
      guard let line = tag(bytes) else { continue }
      if line.isRead { read += 1 } else { bad += 1 }
      if let tag = line.tag {
        tagged += 1
        #expect(tag.json.count <= 6 * ProtocolTag.limit)
      }
    }
    print("stream: \(read) lines read, \(bad) refused, \(tagged) with a tag")
    #expect(read > 5_000 && bad > 5_000 && tagged > 1_000)
  }

  @Test("S2 a tag is given back as it was, whatever JSON it is and wherever it stands")
  func tags() throws {
    let tags = [
      "1", "-2.50e+3", "null", "true", #""x""#, #""é \"\\\/\b\u00e9🐝""#, "[ ]", #"{"a" : [1, {"b":2}]}"#,
      "[[[[[[[[[[[[]]]]]]]]]]]]",
    ]
    for tag in tags {
      for text in [
        #"{"tag":\#(tag),"undo":1}"#, #"{"undo":1,"tag": \#(tag) }"#, #"{"tag":\#(tag),"nothing":1}"#,
      ] {
        #expect(try #require(self.tag(Array(text.utf8))).tag?.text == tag)
      }
    }
    let deep = String(repeating: "[", count: 100) + String(repeating: "]", count: 100)
    #expect(try #require(self.tag(Array(#"{"undo":1,"tag":\#(deep)}"#.utf8))).tag == nil, "too deep")
  }

  @Test("S2 the longest tag, with escapes only, is given back in an answer that can be read")
  func longestTag() throws {
    let controls = String(repeating: "\u{202E}", count: (ProtocolTag.limit - 2) / 3)
    let line = Array(#"{"tag":"\#(controls)","undo":1}"#.utf8)
    let tag = try #require(self.tag(line)?.tag)
    #expect(tag.json.count > ProtocolTag.limit)
    #expect(ProtocolTag(tag.text) == tag)
    let answer = ProtocolAnswer(.saved(revision: 1, unsaved: 0), tag: tag)
    let read = try answer.line().withUnsafeBufferPointer { try ProtocolLine($0, of: DocumentID(lowBits: 7)) }
    #expect(read == .answer(answer))
  }
}
