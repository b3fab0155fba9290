// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import ArtModel

@Suite("Reading JSON")
struct JSONReaderTests {
  /// An object with string values.
  private func object(_ text: String) throws(ArtError) -> [String: String] {
    var members: [String: String] = [:]
    try JSONReader.read(text) { (reader) throws(ArtError) in
      try reader.object { (key, reader) throws(ArtError) in members[key] = try reader.string() }
    }
    return members
  }

  private func string(_ text: String) throws(ArtError) -> String {
    try JSONReader.read(text) { (reader) throws(ArtError) in try reader.string() }
  }

  private func string(bytes: [UInt8]) throws(ArtError) -> String {
    try bytes.withUnsafeBufferPointer { (buffer) throws(ArtError) in
      try JSONReader.read(buffer) { (reader) throws(ArtError) in try reader.string() }
    }
  }

  private func number(_ text: String) throws(ArtError) -> Double {
    try JSONReader.read(text) { (reader) throws(ArtError) in try reader.number() }
  }

  private func integer(_ text: String) throws(ArtError) -> Int {
    try JSONReader.read(text) { (reader) throws(ArtError) in try reader.integer() }
  }

  /// Nested arrays.
  private func nest(_ reader: inout JSONReader) throws(ArtError) {
    try reader.array { (reader) throws(ArtError) in try nest(&reader) }
  }

  @Test("J3 a repeated key is refused, however it is escaped and however many keys there are")
  func duplicates() throws {
    #expect(try object(#"{"a":"1","b":"2"}"#) == ["a": "1", "b": "2"])
    for text in [#"{"a":"1","a":"1"}"#, #"{"a":"1","\u0061":"2"}"#, #"{"":"","b":"",  "":""}"#] {
      #expect(
        failure { () throws(ArtError) in try object(text) }?.cause.contains("twice") == true, "\(text)")
    }
    let keys = (0..<20_000).map { "\"key\($0)\":\"\"" }
    #expect(try object("{\(keys.joined(separator: ","))}").count == 20_000)
    for again in [0, 15, 16, 19_999] {
      let text = "{\(keys.joined(separator: ",")),\(keys[again])}"
      #expect(failure { () throws(ArtError) in try object(text) }?.cause.contains("twice") == true)
    }
    // Two names of documents, whose text is the same.
    for more in ["", keys.prefix(16).joined(separator: ",") + ","] {
      let twins = "{\(more)\"\u{E9}\":\"\",\"e\u{301}\":\"\"}"
      #expect(failure { () throws(ArtError) in try object(twins) } == nil)
    }
  }

  @Test(
    "J4 the escapes of JSON are read",
    arguments: [
      (#""\"\\\/\b\f\n\r\t""#, "\"\\/\u{8}\u{C}\n\r\t"), (#""\u00e9\u2764\uFE0F""#, "é❤\u{FE0F}"),
      (#""\ud83d\udc1d\uD83C\uDF38""#, "🐝🌸"), (#""🐝\u0020🌸""#, "🐝 🌸"), (#""\u0001""#, "\u{1}"),
    ])
  func escapes(_ json: String, _ text: String) throws {
    #expect(try Array(string(json).utf8) == Array(text.utf8))
  }

  @Test(
    "J4 lone surrogates, NUL, raw control characters and other escapes are refused",
    arguments: [
      #""\ud83d""#, #""\udc1d""#, #""\udc1d\ud83d""#, #""\ud83d\ud83d""#, #""\ud83dx""#, #""\ud83d\n""#,
      #""\u0000""#,
      "\"\u{0}\"", "\"\n\"", "\"\u{1F}\"", "\"a\\n\u{1}\"", #""\x41""#, #""\'""#, #""\u12""#, #""\u12g4""#,
      #""\u+123""#,
      #""\u１２３４""#, #""\"#, #""\u"#, #""\ud83d\u"#, #"'a'"#, "\"a", "\"", "", "a",
    ])
  func badStrings(_ json: String) {
    #expect(failure { () throws(ArtError) in try string(json) }?.code == .badJSON)
  }

  @Test("J4 broken UTF-8 is refused, with and without escapes in the same text")
  func brokenUTF8() {
    let broken: [[UInt8]] = [
      [0x80], [0xC0, 0x80], [0xC3], [0xE2, 0x9D], [0xED, 0xA0, 0x80], [0xF0, 0x9F, 0x90],
      [0xF4, 0x90, 0x80, 0x80], [0xFF],
    ]
    for bytes in broken {
      for escape in ["", "\\n"] {
        let text = [UInt8(ascii: "\"")] + escape.utf8 + bytes + "a\"".utf8
        #expect(failure { () throws(ArtError) in try string(bytes: text) }?.cause.contains("UTF-8") == true)
      }
    }
  }

  @Test("J4 a byte order mark is refused", arguments: ["\"a\"", "{}", "[]", "1"])
  func byteOrderMark(_ text: String) {
    #expect(failure { () throws(ArtError) in try string("\u{FEFF}" + text) }?.code == .badJSON)
    #expect(failure { () throws(ArtError) in try object("\u{FEFF}" + text) }?.code == .badJSON)
    #expect(failure { () throws(ArtError) in try number("\u{FEFF}" + text) }?.code == .badJSON)
  }

  @Test(
    "J5 a number has JSON's grammar and at most 400 characters, and is within the range of a Double",
    arguments: [
      "", "-", "+1", "01", "-01", ".5", "1.", "1.e5", "1e", "1e+", "0x10", "NaN", "Infinity", "-Infinity",
      "1e400", "-1e400",
      "1_000", "1 2", "١", String(repeating: "9", count: 401), "\"1\"", "null", "true",
    ])
  func badNumbers(_ text: String) {
    #expect(failure { () throws(ArtError) in try number(text) }?.code == .badJSON)
  }

  @Test("J5 a whole number has no fraction and no exponent, and fits 64 bits")
  func integers() throws {
    for value in [0, 1, -1, 999_999_999_999_999, 1_000_000_000_000_000, Int.max, Int.min] {
      #expect(try integer("\(value)") == value)
    }
    #expect(try integer("-0") == 0)
    for text in [
      "1.0", "1e2", "0.5", "9223372036854775808", "-9223372036854775809", String(repeating: "9", count: 400),
    ] {
      #expect(failure { () throws(ArtError) in try integer(text) }?.code == .badJSON, "\(text)")
    }
  }

  @Test("J5 a number is read as the nearest Double, and zero has no sign")
  func nearestDouble() throws {
    var generator = SplitMix64(seed: 61)
    var tried = 0
    func check(_ text: String) throws {
      let expected = try #require(Double(text))
      #expect(try number(text) == expected, "\(text)")
      tried += 1
    }
    for text in ["0", "-0", "-0.0", "0e5", "-0e-5"] { #expect(try number(text).sign == .plus) }
    for text in [
      "1e-400", "5e-324", "1.7976931348623157e308", "0.1", "123456789012345", "1234567890123456",
      "9007199254740993",
    ] {
      try check(text)
    }
    for _ in 0..<30_000 {
      var digits = String(generator.next()).prefix(Int.random(in: 1...19, using: &generator))
      digits = digits.first == "0" ? "7" : digits
      let point = digits.index(
        digits.startIndex, offsetBy: Int.random(in: 1...digits.count, using: &generator))
      let fraction = digits[point...].isEmpty ? "" : "." + digits[point...]
      let exponent = generator.oneIn(3) ? "e\(Int.random(in: -300...280, using: &generator))" : ""
      try check((generator.oneIn(2) ? "-" : "") + digits[..<point] + fraction + exponent)
    }
    print("JSON numbers: \(tried)")
    #expect(tried > 30_000)
  }

  @Test("J6 64 levels are read, and more are refused, even 100,000")
  func depth() throws {
    func nested(_ levels: Int) throws(ArtError) {
      let text = String(repeating: "[", count: levels) + String(repeating: "]", count: levels)
      try JSONReader.read(text) { (reader) throws(ArtError) in try nest(&reader) }
    }
    try nested(64)
    for levels in [65, 1_000, 100_000] {
      #expect(failure { () throws(ArtError) in try nested(levels) }?.cause.contains("64 levels") == true)
    }
  }

  @Test("J6 many values of one array are one level")
  func breadth() throws {
    let text = "[" + String(repeating: "[],", count: 1_000) + "[]]"
    try JSONReader.read(text) { (reader) throws(ArtError) in try nest(&reader) }
    let moves = "[" + String(repeating: #"["remove","aaaaaaaa"],"#, count: 1_000) + #"["remove","aaaaaaaa"]]"#
    #expect(try JSONFormTests.changes(moves).count == 1_001)
  }

  @Test("J4 space is allowed between tokens, and a text after the value is refused")
  func spaces() throws {
    #expect(try object(" \t\r\n{ \"a\" : \"1\" , \"b\" : \"2\" } \n") == ["a": "1", "b": "2"])
    for tail in ["x", "{}", ",", "]", "\u{0}", "\u{A0}", "//"] {
      #expect(
        failure { () throws(ArtError) in try object("{}" + tail) }?.cause.contains("after the value")
          == true)
    }
  }

  @Test(
    "J4 an object with missing parts, or another value, is refused",
    arguments: [
      "{", "}", "{\"a\"}", "{\"a\":}", "{\"a\":\"1\",}", "{,}", "{a:\"1\"}", "{\"a\" \"1\"}",
      "{\"a\":\"1\" \"b\":\"2\"}", "[]", "null",
    ])
  func badObjects(_ text: String) {
    #expect(failure { () throws(ArtError) in try object(text) }?.code == .badJSON)
  }

  @Test("J4 a text that is cut anywhere is refused")
  func cutOff() throws {
    var random = RandomEdits(seed: 62)
    var tried = 0
    for _ in 0..<100 {
      let text = Array(JSONFormTests.text(try random.edit().changes.write).utf8)
      for length in 0..<text.count {
        let error = failure { () throws(ArtError) in
          try text[..<length].withUnsafeBufferPointer { (buffer) throws(ArtError) in
            try [Change](json: buffer)
          }
        }
        if error == nil { Issue.record("\(String(decoding: text[..<length], as: UTF8.self))") }
        tried += 1
      }
    }
    print("JSON cut off: \(tried) places")
    #expect(tried > 10_000)
  }

  @Test(
    "J3 unknown keys and kinds, and missing and surplus parts are refused",
    arguments: [
      #"[["fly","aaaaaaaa"]]"#, #"[["move","aaaaaaaa",1]]"#, #"[["move","aaaaaaaa",1,2,3]]"#,
      #"[["move","AAAAAAAA",1,2]]"#,
      #"[["move","aaaaaaa",1,2]]"#, #"[["order","aaaaaaaa",0.5]]"#,
      #"[["order","aaaaaaaa",1152921504606846977]]"#,
      #"[["canvas",1]]"#, #"[["background"]]"#, #"[["background",{}]]"#, #"[["pending",{"url":"data:,"}]]"#,
      #"[[]]"#, #"["move"]"#,
      #"{}"#, #"[["background",nul]]"#, #"[["canvas",1,2,]]"#, #"[["background",null,null]]"#,
      #"[["pending",{"anchor":"left","reason":"","since":0,"url":""}]]"#,
      #"[["background",{"digest":"00112233445566778899AABBCCDDEEFF","height":1,"mediaType":"image/png","width":1}]]"#,
      #"[["background",{"digest":"00112233445566778899aabbccddeeff","height":1,"mediaType":"text/html","width":1}]]"#,
    ])
  func badChanges(_ text: String) {
    let code = failure { () throws(ArtError) in try JSONFormTests.changes(text) }?.code
    #expect(code == .badJSON || code == .badValue)
  }

  @Test(
    "J3 an emoji's row has size, text, x and y, and nothing else",
    arguments: [
      #"{}"#, #"{"size":40,"text":"🐝","x":1}"#, #"{"size":40,"text":"🐝","x":1,"y":2,"z":3}"#,
      #"{"size":40,"text":"🐝","x":1,"y":"2"}"#, #"{"size":40,"text":"🐝","x":1,"y":null}"#,
      #"{"size":40,"text":1,"x":1,"y":2}"#,
      #"{"size":40,"text":"🐝","x":1,"x":1,"y":2}"#, #"[40,"🐝",1,2]"#,
    ])
  func badRows(_ text: String) {
    #expect(failure { () throws(ArtError) in try JSONFormTests.fields(text) }?.code == .badJSON)
  }

  @Test(
    "J6 values out of bounds are refused",
    arguments: [
      (#"{"size":0,"text":"🐝","x":1,"y":2}"#, ArtError.Code.badValue),
      (#"{"size":1e-400,"text":"🐝","x":1,"y":2}"#, .badValue),
      (#"{"size":1e300,"text":"🐝","x":1,"y":2}"#, .badValue),
      (#"{"size":40,"text":"🐝","x":1000001,"y":2}"#, .badValue),
      (#"{"size":40,"text":"🐝","x":-9223372036854775808,"y":2}"#, .badValue),
      (#"{"size":40,"text":"","x":1,"y":2}"#, .badText),
      (#"{"size":40,"text":"\u202e","x":1,"y":2}"#, .badText),
      (#"{"size":40,"text":"🐝","x":1e400,"y":2}"#, .badJSON),
    ])
  func badValues(_ text: String, _ code: ArtError.Code) {
    #expect(failure { () throws(ArtError) in try JSONFormTests.fields(text) }?.code == code)
  }

  @Test("J6 a z out of range, a canvas out of bounds and a long URL are refused")
  func badBounds() {
    let row = #"{"size":40,"text":"🐝","x":1,"y":2}"#
    #expect(failure { () throws(ArtError) in try JSONFormTests.fields(row, z: Int.min) }?.code == .badJSON)
    #expect(
      failure { () throws(ArtError) in try JSONFormTests.changes(#"[["canvas",0,1]]"#) }?.code == .badValue)
    let longURL = String(repeating: "a", count: Limits.urlBytes + 1)
    let pending = #"[["pending",{"anchor":"center","reason":"","since":0,"url":"\#(longURL)"}]]"#
    #expect(
      failure { () throws(ArtError) in try JSONFormTests.changes(pending) }?.cause.contains("URL") == true)
  }

  @Test("an error names the cause, the line and the column")
  func places() {
    let error = failure { () throws(ArtError) in try object(#"{"🐝":"1","b":2}"#) }
    #expect(error?.cause == "JSON with no string for \"b\", where one is due, column 14")
    let later = failure { () throws(ArtError) in try object("{\r\n\"🐝\":\"1\",\n  \"b\": 2}") }
    #expect(later?.cause == "JSON with no string for \"b\", where one is due, line 3, column 8")
  }
}
