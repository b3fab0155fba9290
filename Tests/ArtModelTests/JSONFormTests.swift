// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import ArtModel

@Suite("JSON forms")
struct JSONFormTests {
  static func text(_ write: (inout JSONWriter) -> Void) -> String {
    var writer = JSONWriter()
    write(&writer)
    return writer.text
  }

  static func changes(_ text: String) throws(ArtError) -> [Change] {
    let bytes = Array(text.utf8)
    return try bytes.withUnsafeBufferPointer { (buffer) throws(ArtError) in try [Change](json: buffer) }
  }

  static func fields(_ text: String, z: Int = 0) throws(ArtError) -> Emoji {
    let bytes = Array(text.utf8)
    return try bytes.withUnsafeBufferPointer { (buffer) throws(ArtError) in
      try Emoji(id: EmojiID(bits: 1), z: z, fields: buffer)
    }
  }

  private static let digest = "00112233445566778899aabbccddeeff"

  @Test("J1 an emoji is written in one form, in its row and in the JSON of a document")
  func emojiForms() throws {
    let bee = try emoji("aaaaaaaa", x: 100, y: -0.5)
    #expect(Self.text(bee.writeFields) == #"{"size":40,"text":"🐝","x":100,"y":-0.5}"#)
    #expect(Self.text({ bee.write(to: &$0) }) == #"{"id":"aaaaaaaa","size":40,"text":"🐝","x":100,"y":-0.5}"#)
    let caption = try Self.caption("aaaaaaaa")
    let row =
      ##"{"box":[6.25,2.4],"color":"#ff000080","kind":"caption","mirrored":true,"rotation":-12.5,"size":40,"text":"Happy\nbirthday","x":0,"y":0}"##
    #expect(Self.text(caption.writeFields) == row)
    #expect(try Self.fields(row, z: 0).with(id: caption.id) == caption)
    #expect(
      Self.text({ caption.write(to: &$0, withZ: true) })
        == row.replacing(##""#ff000080","##, with: ##""#ff000080","id":"aaaaaaaa","##).dropLast()
        + #","z":0}"#)
  }

  private static func caption(_ id: String) throws -> Emoji {
    var emoji = try emoji(id, x: 0, y: 0)
    emoji.text = EmojiText(try Words("Happy\nbirthday"), box: try TextBox(width: 6.25, height: 2.4))
    emoji.rotation = try Rotation(degrees: -12.5)
    emoji.isMirrored = true
    emoji.color = Color(red: 255, green: 0, blue: 0, alpha: 128)
    return emoji
  }

  @Test("J1 each kind of change has one form")
  func changeForms() throws {
    let bee = try emoji("aaaaaaaa", x: 1, y: 2, z: -3)
    let background = try Background(digest: Self.digest, mediaType: "image/png", size: .standard, url: nil)
    let linked = try Background(digest: Self.digest, mediaType: "image/png", size: .standard, url: "data:,")
    let pending = try PendingBackground(url: "https://example.org/", since: 5, reason: "dns", anchor: .center)
    let forms: [(Change, String)] = [
      (.add(bee), #"["add","aaaaaaaa","🐝",1,2,40,-3]"#), (.remove(bee.id), #"["remove","aaaaaaaa"]"#),
      (.move(bee.id, to: bee.position), #"["move","aaaaaaaa",1,2]"#),
      (.resize(bee.id, to: bee.size), #"["resize","aaaaaaaa",40]"#),
      (.setText(bee.id, to: bee.text), #"["text","aaaaaaaa","🐝"]"#),
      (.order(bee.id, to: 9), #"["order","aaaaaaaa",9]"#),
      (
        .add(try Self.caption("bbbbbbbb")),
        ##"["add","bbbbbbbb","Happy\nbirthday",0,0,40,0,{"box":[6.25,2.4],"color":"#ff000080","kind":"caption","mirrored":true,"rotation":-12.5}]"##
      ),
      (
        .setText(bee.id, to: try Self.caption("bbbbbbbb").text),
        #"["text","aaaaaaaa","Happy\nbirthday",{"box":[6.25,2.4],"kind":"caption"}]"#
      ),
      (.rotate(bee.id, to: try Rotation(degrees: 200)), #"["rotate","aaaaaaaa",-160]"#),
      (.mirror(bee.id, to: true), #"["mirror","aaaaaaaa",true]"#),
      (.mirror(bee.id, to: false), #"["mirror","aaaaaaaa",false]"#),
      (.color(bee.id, to: Color(red: 0, green: 0, blue: 1)), ##"["color","aaaaaaaa","#000001"]"##),
      (.color(bee.id, to: .black), #"["color","aaaaaaaa",null]"#),
      (.setFill(Color(red: 255, green: 204, blue: 0)), ##"["fill","#ffcc00"]"##),
      (.setFill(nil), #"["fill",null]"#),
      (.setCanvas(.standard), #"["canvas",1024,768]"#), (.setBackground(nil), #"["background",null]"#),
      (
        .setBackground(background),
        #"["background",{"digest":"\#(Self.digest)","height":768,"mediaType":"image/png","width":1024}]"#
      ),
      (
        .setBackground(linked),
        #"["background",{"digest":"\#(Self.digest)","height":768,"mediaType":"image/png","url":"data:,","width":1024}]"#
      ),
      (.setPending(nil), #"["pending",null]"#),
      (
        .setPending(pending),
        #"["pending",{"anchor":"center","reason":"dns","since":5,"url":"https://example.org/"}]"#
      ),
    ]
    for (change, form) in forms {
      #expect(Self.text([change].write) == "[\(form)]")
      #expect(try Self.changes("[\(form)]") == [change])
    }
    #expect(Self.text([Change]().write) == "[]")
  }

  @Test("J1 black letters have one form, however they were written")
  func black() throws {
    let bee = try emoji("aaaaaaaa", x: 1, y: 2)
    let row = #""size":40,"text":"🐝","x":1,"y":2}"#
    for color in [##""#000000""##, "null", ##""#000000ff""##] {
      let written = #"{"color":\#(color),\#(row)"#
      guard color != ##""#000000ff""## else {
        // An opaque color has six digits.
        #expect(failure { () throws(ArtError) in try Self.fields(written) }?.code == .badValue)
        continue
      }
      #expect(try Self.fields(written).with(id: bee.id) == bee)
      #expect(Self.text(try Self.fields(written).writeFields) == "{\(row)")
      let changes = try Self.changes(#"[["color","aaaaaaaa",\#(color)]]"#)
      #expect(changes == [.color(bee.id, to: .black)] && changes[0].matches(bee))
    }
    var content = try document([bee])
    #expect(try content.apply([.color(bee.id, to: .black)]).changes.isEmpty)
  }

  @Test("J1 keys are sorted in every value")
  func sortedKeys() {
    let value = JSON.object([
      "b": .array([.null, .boolean(true), .integer(-1), .number(0.5)]),
      "a": .object(["d": .string("x"), "c": .optional(nil)]),
      "": .array([]), "é": .object([:]),
    ])
    #expect(value.text == #"{"":[],"a":{"c":null,"d":"x"},"b":[null,true,-1,0.5],"é":{}}"#)
  }

  @Test("J2 changes and emoji are read back, and written again as the same bytes")
  func roundTrips() throws {
    var random = RandomEdits(seed: 51)
    var tried = 0
    for _ in 0..<5_000 {
      let changes = try random.edit().changes
      let text = Self.text(changes.write)
      let again = try Self.changes(text)
      #expect(again == changes && Self.text(again.write) == text)
      let emoji = try random.emoji()
      let row = Self.text(emoji.writeFields)
      let read = try Self.fields(row, z: emoji.z)
      #expect(read.with(id: emoji.id) == emoji)
      #expect(Self.text(read.writeFields) == row)
      tried += changes.count + 1
    }
    print("JSON round trips: \(tried) values")
    #expect(tried > 15_000)
  }

  @Test("J7 a text is read back as it was, and its JSON has no character that a terminal obeys")
  func strings() throws {
    var tried = 0
    for value in UInt32(1)...0x1FFFF {
      guard let scalar = Unicode.Scalar(value) else { continue }
      let text = "a\(scalar)"
      let json = Self.text { $0.string(text) }
      let read = try JSONReader.read(json) { (reader) throws(ArtError) in try reader.string() }
      if Array(read.utf8) != Array(text.utf8) || json.unicodeScalars.contains(where: \.isUnsafeOnTerminal) {
        Issue.record("U+\(String(value, radix: 16))")
      }
      tried += 1
    }
    print("JSON strings: \(tried) scalars")
    #expect(tried > 120_000)
    #expect(Self.text { $0.string("\"\\\n\r\t\u{1}\u{202E}/👩‍🚀❤️") } == #""\"\\\n\r\t\u0001\u202e/👩‍🚀❤️""#)
  }

  @Test(
    "a document is one JSON text with its emoji from bottom to top, also if it is written in several pieces")
  func documents() throws {
    var small = try document([try emoji("bbbbbbbb", "🌸", z: 2), try emoji("aaaaaaaa", x: 1, z: 1)])
    func pieces(_ art: DocumentContent) throws -> [[UInt8]] {
      var pieces: [[UInt8]] = []
      try art.writeJSON { (piece) throws(ArtError) in pieces.append(piece) }
      return pieces
    }
    #expect(
      try pieces(small).map { String(decoding: $0, as: UTF8.self) } == [
        #"{"background":null,"canvas":{"height":768,"width":1024},"emojis":["#
          + #"{"id":"aaaaaaaa","size":40,"text":"🐝","x":1,"y":0},{"id":"bbbbbbbb","size":40,"text":"🌸","x":0,"y":0}"#
          + #"],"revision":0}"#
      ])
    let pending = try PendingBackground(url: "data:,", since: 0, reason: "dns", anchor: .topLeft)
    small.setPending(pending)
    let tail = #"}],"pending":{"anchor":"topLeft","reason":"dns","since":0,"url":"data:,"},"revision":0}"#
    #expect(try String(decoding: pieces(small).joined(), as: UTF8.self).hasSuffix(tail))
    let many = try document(
      (0..<3_000).map {
        Emoji(
          id: EmojiID(bits: $0), text: try EmojiText("🐝"), position: try Point(x: 1, y: 2), size: .standard,
          z: 0)
      })
    let written = try pieces(many)
    #expect(written.count > 2 && written.dropLast().allSatisfy { (1 << 16..<1 << 17).contains($0.count) })
    let whole = Array(written.joined())
    var ids: [String] = []
    let start = try #require(whole.firstIndex(of: UInt8(ascii: "[")))
    let end = try #require(whole.lastIndex(of: UInt8(ascii: "]")))
    let array = String(decoding: whole[start...end], as: UTF8.self)
    try JSONReader.read(array) { (reader) throws(ArtError) in
      try reader.array { (reader) throws(ArtError) in
        try reader.object { (key, reader) throws(ArtError) in
          if key == "id" || key == "text" {
            let text = try reader.string()
            if key == "id" { ids.append(text) }
          } else {
            _ = try reader.number()
          }
        }
      }
    }
    #expect(ids == many.emojisInOrder().map(\.id.description))
  }
}
