// SPDX-License-Identifier: Apache-2.0

import ArtSystem
import TestSupport
import Testing

@testable import ArtModel

@Suite("Messages between emojiart and its worker")
struct WorkerWordsTests {
  private static func request(_ text: String) throws(ArtError) -> WorkerRequest {
    try JSONReader.read(text) { (reader) throws(ArtError) in try WorkerRequest(from: &reader) }
  }

  private static func reply(_ text: String) throws(ArtError) -> WorkerReply {
    try JSONReader.read(text) { (reader) throws(ArtError) in try WorkerReply(from: &reader) }
  }

  @Test("B13 each request to fetch or decode has one form with sorted keys")
  func requestForms() throws {
    let decode = WorkerRequest.decode(bytes: 9, PictureLimits(bytes: 10, pixels: 11, side: 12))
    #expect(
      JSONFormTests.text(decode.write)
        == #"{"decode":{"bytes":9,"limits":{"bytes":10,"pixels":11,"side":12}}}"#)
    let limits = FetchLimits(bytes: 1, connect: .milliseconds(1500), total: .seconds(2), redirects: 0)
    let proxies = ProxySettings(http: "a:1", https: nil, none: "*")
    let fetch = WorkerRequest.fetch(
      WorkerRequest.Fetch(
        url: "http://a.test/\"", isUserInitiated: true, allowsPrivate: false, proxies: proxies, limits: limits
      ))
    let text =
      #"{"fetch":{"allowsPrivate":false,"isTyped":true,"limits":{"bytes":1,"connect":1500,"redirects":0,"total":2000},"#
      + #""proxies":{"http":"a:1","none":"*"},"url":"http://a.test/\""}}"#
    #expect(JSONFormTests.text(fetch.write) == text)
    #expect(try Self.request(text) == fetch)
  }

  @Test("B13 a request to a store and its response have one form with sorted keys")
  func storeForms() throws {
    let request = StoreRequest(
      .put, "http://a.test/b?c=d", fields: [StoreRequest.HeaderField("if-match", "\"e\"")], body: [1, 2])
    let limits = FetchLimits(bytes: 1, connect: .milliseconds(1500), total: .seconds(2), redirects: 0)
    let exchange = WorkerRequest.exchange(
      WorkerRequest.Exchange(request, proxies: ProxySettings(), limits: limits))
    let text =
      #"{"exchange":{"bytes":2,"fields":[["if-match","\"e\""]],"limits":{"bytes":1,"connect":1500,"redirects":0,"total":2000},"#
      + #""method":"PUT","proxies":{},"url":"http://a.test/b?c=d"}}"#
    #expect(JSONFormTests.text(exchange.write) == text && exchange.bytesThatFollow == 2)
    #expect(try Self.request(text) == exchange)
    let reply = WorkerReply.exchanged(status: 412, fields: ["etag": "\"x\"", "date": "now"], bytes: 7)
    let answer = #"{"exchanged":{"bytes":7,"fields":{"date":"now","etag":"\"x\""},"status":412}}"#
    #expect(JSONFormTests.text(reply.write) == answer)
    #expect(try Self.reply(answer) == reply)
  }

  @Test("B13 each reply to a fetch or a decoding has one form with sorted keys")
  func replyForms() throws {
    let size = try Canvas(width: 2, height: 1)
    let forms: [(WorkerReply, String)] = [
      (.hello(version: 1), #"{"hello":1}"#), (.body(bytes: 0), #"{"body":0}"#),
      (.progress(received: 5, total: nil), #"{"progress":{"received":5}}"#),
      (.progress(received: 5, total: Int.max), #"{"progress":{"received":5,"total":9223372036854775807}}"#),
      (
        .picture(mediaType: "image/gif", size: size, isAnimated: true),
        #"{"picture":{"isAnimated":true,"mediaType":"image/gif","size":{"height":1,"width":2}}}"#
      ),
      (
        .refused(Refusal(.status, "503", isTransient: true)),
        #"{"refused":{"detail":"503","isTransient":true,"reason":"status"}}"#
      ),
    ]
    for (reply, text) in forms {
      #expect(JSONFormTests.text(reply.write) == text)
      #expect(try Self.reply(text) == reply)
    }
  }

  @Test(
    "B13 every reason is read back, a time is limited to its bounds, and a long detail is shortened to a line that can be read"
  )
  func reasonsAndTimes() throws {
    for reason in Refusal.Reason.allCases {
      for isTransient in [true, false] {
        let reply = WorkerReply.refused(Refusal(reason, "\u{1b}[31m\"\\ 🐝\n", isTransient: isTransient))
        #expect(try Self.reply(JSONFormTests.text(reply.write)) == reply)
      }
    }
    let long = WorkerReply.refused(Refusal(.status, "a\0" + String(repeating: "🐝", count: 100_000)))
    let text = JSONFormTests.text(long.write)
    #expect(text.utf8.count < WorkerReply.lineLimit)
    guard case .refused(let refusal) = try Self.reply(text) else { throw ArtError(.badJSON, "another reply") }
    #expect(refusal.detail == "a\u{FFFD}" + String(repeating: "🐝", count: 998))
    let longer =
      #"{"refused":{"detail":"\#(String(repeating: "a", count: 1001))","isTransient":true,"reason":"tls"}}"#
    #expect(throws: ArtError.self) { try Self.reply(longer) }
    let times: [(Duration, Duration)] = [
      (.zero, .milliseconds(1)), (.seconds(-5), .milliseconds(1)), (.microseconds(2500), .milliseconds(2)),
      (.seconds(Int.max), .seconds(86_400)),
    ]
    for (time, read) in times {
      let limits = FetchLimits(connect: time, total: time)
      let fetch = WorkerRequest.fetch(WorkerRequest.Fetch(url: "", isUserInitiated: false, limits: limits))
      guard case .fetch(let again) = try Self.request(JSONFormTests.text(fetch.write)) else {
        throw ArtError(.badJSON, "another request")
      }
      #expect(again.limits.connect == read && again.limits.total == read)
    }
  }

  @Test(
    "B13 an invalid request or reply is an error",
    arguments: [
      "", "{}", "[]", "1", "{\"hello\":1}x", "{\"hello\":\"1\"}", "{\"hello\":1,\"hello\":1}",
      "{\"body\":1,\"hello\":1}", "{\"bodies\":1}", "{\"body\":-1}", "{\"body\":268435457}", "{\"body\":1.0}",
      "{\"progress\":{}}", "{\"progress\":{\"received\":1,\"more\":1}}", "{\"progress\":{\"total\":1}}",
      "{\"refused\":{\"detail\":\"\",\"isTransient\":true}}",
      "{\"refused\":{\"detail\":\"\",\"isTransient\":true,\"reason\":\"Dns\"}}",
      "{\"refused\":{\"detail\":\"\",\"isTransient\":1,\"reason\":\"dns\"}}",
      "{\"picture\":{\"isAnimated\":true,\"mediaType\":\"\",\"size\":{\"height\":0,\"width\":1}}}",
      "{\"decode\":{\"bytes\":1}}",
      "{\"decode\":{\"bytes\":2,\"limits\":{\"bytes\":1,\"pixels\":1,\"side\":1}}}",
      "{\"decode\":{\"bytes\":0,\"limits\":{\"bytes\":1,\"pixels\":-1,\"side\":1}}}",
      "{\"decode\":{\"bytes\":0,\"limits\":{\"bytes\":1,\"pixels\":1,\"side\":100001}}}",
      "{\"fetch\":{\"url\":\"\"}}", "{\"fetch\":null}",
      #"{"exchanged":{"bytes":0,"fields":{"cookie":"x"},"status":200}}"#,
      #"{"exchanged":{"bytes":0,"fields":{},"status":99}}"#, #"{"exchanged":{"bytes":0,"status":1000}}"#,
      #"{"exchange":{"bytes":0,"fields":[],"limits":{"bytes":1,"connect":1,"redirects":0,"total":1},"method":"POST","proxies":{},"url":"u"}}"#,
      #"{"exchange":{"bytes":0,"fields":[["a b","c"]],"limits":{"bytes":1,"connect":1,"redirects":0,"total":1},"method":"GET","proxies":{},"url":"u"}}"#,
      #"{"exchange":{"bytes":0,"fields":[["a","c\r\nd: e"]],"limits":{"bytes":1,"connect":1,"redirects":0,"total":1},"method":"GET","proxies":{},"url":"u"}}"#,
      #"{"exchange":{"bytes":0,"fields":[["a"]],"limits":{"bytes":1,"connect":1,"redirects":0,"total":1},"method":"GET","proxies":{},"url":"u"}}"#,
      #"{"exchange":{"bytes":0,"limits":{"bytes":1,"connect":1,"redirects":0,"total":1},"method":"GET","url":"u"}}"#,
    ])
  func none(_ text: String) {
    for error in [
      #expect(throws: ArtError.self) { try Self.reply(text) },
      #expect(throws: ArtError.self) { try Self.request(text) },
    ] {
      #expect(error?.code == .badJSON || error?.code == .badValue)
    }
  }

  @Test("B13 lines with random changes never trap, and what is read is written and read again as the same")
  func mutations() throws {
    var generator = SplitMix64(seed: 41)
    let samples = [
      #"{"fetch":{"allowsPrivate":false,"isTyped":true,"limits":{"bytes":1,"connect":1,"redirects":0,"total":2},"proxies":{"http":"a"},"url":"h"}}"#,
      #"{"decode":{"bytes":1,"limits":{"bytes":1,"pixels":1,"side":1}}}"#, #"{"hello":1}"#, #"{"body":12}"#,
      #"{"progress":{"received":5,"total":6}}"#,
      #"{"picture":{"isAnimated":true,"mediaType":"image/gif","size":{"height":1,"width":2}}}"#,
      #"{"refused":{"detail":"503","isTransient":true,"reason":"status"}}"#,
      #"{"draw":{"canvas":{"height":3,"width":4},"format":{"svg":{"embedsGlyphs":true,"size":{"height":1,"width":2}}},"isTransparent":false,"region":{"height":1.5,"width":2,"x":-5,"y":0}}}"#,
      #"{"draw":{"canvas":{"height":3,"width":4},"format":{"symbols":{"colors":"direct","columns":8,"rows":9}},"isTransparent":true,"region":{"height":1,"width":2,"x":5,"y":0}}}"#,
      #"{"exchange":{"bytes":2,"fields":[["a","b"]],"limits":{"bytes":1,"connect":1,"redirects":0,"total":2},"method":"PUT","proxies":{},"url":"h"}}"#,
      #"{"exchanged":{"bytes":7,"fields":{"etag":"x"},"status":412}}"#,
      #"{"labels":{"bytes":16,"total":1}}"#, #"{"picture":2}"#, #"{"part":12}"#,
      #"{"drawn":{"lacking":["a","b"],"lackingCount":2,"pictureFault":"why"}}"#,
      #"{"notDrawn":{"detail":"why","reason":"noFont"}}"#,
    ]
    let tokens = [
      "9223372036854775808", "-", "1e400", "\"", "\\u0000", "{", "}", ",\"x\":1", "null", "\u{0}",
    ]
    var counts = (read: 0, refused: 0)
    for _ in 0..<10_000 {
      var bytes = Array(samples[generator.below(samples.count)].utf8)
      for _ in 0...generator.below(2) {
        let place = generator.below(bytes.count)
        switch generator.below(4) {
        case 0: bytes[place] = UInt8(generator.below(256))
        case 1: bytes.remove(at: place)
        case 2: bytes.insert(contentsOf: Array(tokens[generator.below(tokens.count)].utf8), at: place)
        default:
          // Another digit in place of one.
          guard let digit = bytes[place...].firstIndex(where: { (0x30...0x39).contains($0) }) else { break }
          bytes[digit] = UInt8(0x30 + generator.below(10))
        }
      }
      let isRequest = try Self.isReread(bytes) { (text) throws(ArtError) in
        JSONFormTests.text(try Self.request(text).write)
      }
      let isReply = try Self.isReread(bytes) { (text) throws(ArtError) in
        JSONFormTests.text(try Self.reply(text).write)
      }
      if isRequest || isReply { counts.read += 1 } else { counts.refused += 1 }
    }
    print("B13 mutated lines: \(counts.read) read, \(counts.refused) refused")
    #expect(counts.read > 1_000 && counts.refused > 4_000)
  }

  /// Whether the bytes are read; if so, checks that they are written and read again as the same.
  private static func isReread(
    _ bytes: [UInt8], _ rewrite: (String) throws(ArtError) -> String
  ) throws -> Bool {
    let text = String(decoding: bytes, as: UTF8.self)
    let written: String
    do throws(ArtError) { written = try rewrite(text) } catch { return false }
    #expect(try rewrite(written) == written)
    return true
  }
}

@Suite("Splitting lines and raw bytes")
struct FrameSplitterTests {
  private enum Frame: Equatable {
    case line([UInt8])
    case bytes([UInt8])
  }

  /// Splits the text in pieces of these lengths; a line that begins with a digit announces that many bytes.
  private static func split(
    _ text: [UInt8], _ splitter: inout FrameSplitter, length: () -> Int
  ) -> (frames: [Frame], isWhole: Bool) {
    var frames: [Frame] = []
    var rest = text[...]
    while !rest.isEmpty {
      let piece = rest.prefix(max(length(), 1))
      rest = rest.dropFirst(piece.count)
      let isWell = splitter.append(piece) { line in
        frames.append(.line(line))
        return line.first.flatMap { (0x30...0x39).contains($0) ? Int($0) - 0x30 : nil }
      } bytes: {
        frames.append(.bytes($0))
      }
      guard isWell else { return (frames, false) }
    }
    return (frames, true)
  }

  @Test("B13 lines and raw bytes are given as they are, in pieces of any length")
  func cuts() {
    var generator = SplitMix64(seed: 42)
    var count = 0
    for _ in 0..<2_000 {
      var text: [UInt8] = []
      var expected: [Frame] = []
      for _ in 0..<generator.below(8) {
        var line = (0..<generator.below(5)).map { _ in UInt8(0x61 + generator.below(3)) }
        let announced = generator.below(10)
        if generator.oneIn(2) {
          line.insert(UInt8(0x30 + announced), at: 0)
          let bytes = (0..<announced).map { _ in UInt8([10, 0x31, 0, 0xff][generator.below(4)]) }
          text += line + [10] + bytes
          expected += [.line(line), .bytes(bytes)]
        } else {
          text += line + [10]
          expected.append(.line(line))
        }
      }
      var splitter = FrameSplitter(lineLimit: 6, bytesLimit: 9)
      let result = Self.split(text, &splitter) { 1 + generator.below(6) }
      #expect(result.frames == expected && result.isWhole && splitter.isAtBeginning)
      count += expected.count
    }
    print("B13 lines and bytes in pieces: \(count)")
    #expect(count > 5_000)
  }

  @Test(
    "B13 a line or bytes over their limit end the splitting, and nothing of them is given")
  func limits() {
    for length in 1...12 {
      for (text, frames, isWhole) in [
        ("abc\nabcd\nx\n", [Frame.line(Array("abc".utf8))], false),
        ("ab\nabcd", [.line(Array("ab".utf8))], false),
        ("4\nabcd", [.line([0x34])], false), ("3\nabc", [.line([0x33]), .bytes(Array("abc".utf8))], true),
        ("0\n\n", [.line([0x30]), .bytes([]), .line([])], true),
      ] {
        var splitter = FrameSplitter(lineLimit: 3, bytesLimit: 3)
        let result = Self.split(Array(text.utf8), &splitter) { length }
        #expect(result.frames == frames && result.isWhole == isWhole, "\(text) by \(length)")
      }
    }
  }

  @Test("B13 an unfinished line or unfinished bytes are reported as unfinished")
  func middle() {
    for (text, isAtBeginning) in [
      ("", true), ("a\n", true), ("a", false), ("2\n", false), ("2\na", false), ("2\nab", true),
      ("0\n", true),
    ] {
      var splitter = FrameSplitter(lineLimit: 3, bytesLimit: 3)
      _ = Self.split(Array(text.utf8), &splitter) { 100 }
      #expect(splitter.isAtBeginning == isAtBeginning, "\(text)")
    }
  }
}
