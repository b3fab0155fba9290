// SPDX-License-Identifier: Apache-2.0

import ArtSystem
import TestSupport
import Testing

@testable import ArtModel

@Suite("Messages about a drawing") struct DrawingWordsTests {
  private static func request(_ text: String) throws(ArtError) -> WorkerRequest {
    try JSONReader.read(text) { (reader) throws(ArtError) in try WorkerRequest(from: &reader) }
  }

  private static func reply(_ text: String) throws(ArtError) -> WorkerReply {
    try JSONReader.read(text) { (reader) throws(ArtError) in try WorkerReply(from: &reader) }
  }

  private static func drawing(_ format: Drawing.Format, isTransparent: Bool = false) throws
    -> WorkerRequest.Draw
  {
    let canvas = try Canvas(width: 4, height: 3)
    let region = try CanvasRect(x: -0.5, y: 1e-7, width: 2, height: 1.5)
    return WorkerRequest.Draw(canvas: canvas, region: region, format: format, isTransparent: isTransparent)
  }

  private static func draw(_ format: Drawing.Format, isTransparent: Bool = false) throws -> WorkerRequest {
    .draw(try drawing(format, isTransparent: isTransparent))
  }

  private static let region = #""region":{"height":1.5,"width":2,"x":-0.5,"y":1e-07}"#

  @Test("B13 each request for a drawing has one form with sorted keys, and is read as it was written")
  func requestForms() throws {
    let size = try PixelSize(width: 20, height: 10_000_000)
    let pixels = #"{"height":10000000,"width":20}"#
    let formats: [(Drawing.Format, String)] = [
      (.png(size), #"{"png":\#(pixels)}"#), (.pdf(size), #"{"pdf":\#(pixels)}"#),
      (.jpeg(size, quality: 90), #"{"jpeg":{"quality":90,"size":\#(pixels)}}"#),
      (.webp(size, quality: 1), #"{"webp":{"quality":1,"size":\#(pixels)}}"#),
      (.losslessWebP(size), #"{"losslessWebP":\#(pixels)}"#),
      (.avif(size, quality: 100), #"{"avif":{"quality":100,"size":\#(pixels)}}"#),
      (.ink(size), #"{"ink":\#(pixels)}"#),
      (.sixel(size), #"{"sixel":\#(pixels)}"#),
      (.svg(size, embedsGlyphs: true), #"{"svg":{"embedsGlyphs":true,"size":\#(pixels)}}"#),
      (.svg(size, embedsGlyphs: false), #"{"svg":{"embedsGlyphs":false,"size":\#(pixels)}}"#),
      (
        .symbols(columns: 80, rows: 24, .indexed),
        #"{"symbols":{"colors":"indexed","columns":80,"rows":24}}"#
      ),
      (
        .symbols(columns: 1, rows: 10_000, .direct),
        #"{"symbols":{"colors":"direct","columns":1,"rows":10000}}"#
      ),
    ]
    var forms: [(WorkerRequest, String)] = [
      (.labels(bytes: 2, total: 1), #"{"labels":{"bytes":2,"total":1}}"#),
      (.picture(bytes: 0), #"{"picture":0}"#),
    ]
    for (format, text) in formats {
      let canvas = #"{"canvas":{"height":3,"width":4},"#
      forms.append(
        (
          try Self.draw(format),
          #"{"draw":\#(canvas)"format":\#(text),"isTransparent":false,\#(Self.region)}}"#
        ))
      forms.append(
        (
          try Self.draw(format, isTransparent: true),
          #"{"draw":\#(canvas)"format":\#(text),"isTransparent":true,\#(Self.region)}}"#
        ))
    }
    for (request, text) in forms {
      #expect(JSONFormTests.text(request.write) == text)
      #expect(String(decoding: request.line, as: UTF8.self) == text + "\n")
      #expect(try Self.request(text) == request)
    }
  }

  @Test("B13 a drawing's details have one form with sorted keys, without those that are not there")
  func detailForms() throws {
    let crop = try CanvasRect(x: 1, y: 2, width: 3, height: 4)
    let page = try PageSize(width: 595.276, height: 841.89)
    var print = DrawingDetails(page: page, pagesLeft: 1)
    (print.bleed, print.sharesPage) = (8.5, true)
    var named = DrawingDetails()
    (named.names, named.hasTextCaptions) = (["🐝": "bee", "🌸": "cherry blossom"], true)
    let forms: [(DrawingDetails, String)] = [
      (DrawingDetails(resolution: 300), #"{"resolution":300}"#),
      (DrawingDetails(title: "a\"b", alternative: "🐝 ×1"), #"{"alternative":"🐝 ×1","title":"a\"b"}"#),
      (
        DrawingDetails(crop: crop, page: page, pagesLeft: 999),
        #"{"crop":{"height":4,"width":3,"x":1,"y":2},"page":[595.276,841.89],"pagesLeft":999}"#
      ),
      (print, #"{"bleed":8.5,"page":[595.276,841.89],"pagesLeft":1,"sharesPage":true}"#),
      (named, #"{"hasTextCaptions":true,"names":{"🌸":"cherry blossom","🐝":"bee"}}"#),
    ]
    var small = DrawingDetails()
    small.isSmall = true
    var draw = try Self.drawing(.pdf(try PixelSize(width: 1, height: 1)))
    for (details, text) in forms + [(small, #"{"isSmall":true}"#)] {
      draw.details = details
      let form = JSONFormTests.text(WorkerRequest.draw(draw).write)
      #expect(form.contains(#""details":\#(text),"format""#))
      #expect(try Self.request(form) == .draw(draw))
    }
    let long = String(repeating: "🐝", count: 3_000)
    #expect(DrawingDetails(title: "a\0\(long)").title == "a" + String(repeating: "🐝", count: 1_999))
    for bad in [
      #"{"resolution":0}"#, #"{"resolution":9601}"#, #"{"page":[0.5,10]}"#, #"{"page":[10]}"#,
      #"{"page":[10,14401]}"#,
      #"{"pagesLeft":1000}"#, #"{"pagesLeft":-1}"#, #"{"crop":{}}"#, #"{"mood":1}"#, #"{"bleed":-1}"#,
      #"{"bleed":143}"#,
      #"{"names":{"🐝":1}}"#, #"{"names":{"🐝":"\#(long)"}}"#, #"{"sharesPage":2}"#, #"{"title":"\#(long)"}"#,
      #"[]"#,
    ] {
      let form =
        #"{"draw":{"canvas":{"height":3,"width":4},"details":\#(bad),"format":{"png":{"height":1,"width":1}},"isTransparent":false,\#(Self.region)}}"#
      let error = #expect(throws: ArtError.self) { try Self.request(form) }
      #expect([.badJSON, .badValue].contains(error?.code), "\(bad)")
    }
  }

  @Test("B13 panels and highlights have one form, within bounds, and only for files of pixels")
  func highlightForms() throws {
    let box = EmojiBox(
      centre: try Point(x: 10, y: -2.5), width: 49.8, height: 47, rotation: try Rotation(degrees: 30))
    var details = DrawingDetails()
    details.panelsLeft = 1
    details.highlights = [DrawingHighlight(.removed, around: box), DrawingHighlight(.changed)]
    let text =
      #"{"highlights":[{"box":[10,-2.5,49.8,47,30],"kind":"removed"},{"kind":"changed"}],"panelsLeft":1}"#
    let size = try PixelSize(width: 1, height: 1)
    func request(_ details: String, _ format: String = #"{"png":{"height":1,"width":1}}"#) -> String {
      #"{"draw":{"canvas":{"height":3,"width":4},"details":\#(details),"format":\#(format),"isTransparent":false,\#(Self.region)}}"#
    }
    for format in [Drawing.Format.png(size), .jpeg(size, quality: 3), .webp(size, quality: 4)] {
      var draw = try Self.drawing(format)
      draw.details = details
      let form = JSONFormTests.text(WorkerRequest.draw(draw).write)
      #expect(form.contains(#""details":\#(text),"format""#))
      #expect(try Self.request(form) == .draw(draw))
    }
    for other in [#"{"pdf":{"height":1,"width":1}}"#, #"{"sixel":{"height":1,"width":1}}"#] {
      _ = try Self.request(request("{}", other))
      #expect(throws: ArtError.self) { try Self.request(request(text, other)) }
      #expect(throws: ArtError.self) { try Self.request(request(#"{"panelsLeft":1}"#, other)) }
    }
    func around(_ numbers: String) -> String { #"{"highlights":[{"box":\#(numbers),"kind":"added"}]}"# }
    _ = try Self.request(request(around("[1000000,-1000000,0,200000000,-30]")))
    for bad in [
      #"{"panelsLeft":2}"#, #"{"panelsLeft":-1}"#, #"{"highlights":[{}]}"#, #"{"highlights":{}}"#,
      #"{"highlights":[{"kind":"lost"}]}"#, #"{"highlights":[{"kind":"added","mood":1}]}"#,
      around("[1,2,3,4]"), around("[1,2,3,4,5,6]"), around("[1000001,2,3,4,5]"), around("[1,2,-1,4,5]"),
      around("[1,2,3,200000001,5]"), around("[1,2,3,4,1000001]"), around("[1,2,1e400,4,5]"),
      around("[1,2,null,4,5]"),
    ] {
      let error = #expect(throws: ArtError.self, "\(bad)") { try Self.request(request(bad)) }
      #expect([.badJSON, .badValue].contains(error?.code), "\(bad)")
    }
    func many(_ count: Int) -> String {
      #"{"highlights":["# + Array(repeating: #"{"kind":"added"}"#, count: count).joined(separator: ",") + "]}"
    }
    _ = try Self.request(request(many(DrawingDetails.highlights)))
    #expect(throws: ArtError.self) { try Self.request(request(many(DrawingDetails.highlights + 1))) }
  }

  @Test("B13 a drawing with the most and the longest details fits into a line")
  func longestLine() throws {
    // Numbers with as many digits as there are.
    let box = EmojiBox(
      centre: try Point(x: -123_456.789_012_345_67, y: -0.000_123_456_789_012_345_67),
      width: 0.000_123_456_789_012_345_67, height: 123_456_789.012_345_67,
      rotation: try Rotation(degrees: -123.456_789))
    let text = String(repeating: "\u{1}", count: DrawingDetails.textLength)
    var draw = try Self.drawing(.png(try PixelSize(width: 1, height: 1)))
    draw.details = DrawingDetails(title: text, alternative: text)
    draw.details.highlights = Array(
      repeating: DrawingHighlight(.removed, around: box), count: DrawingDetails.highlights)
    let line = WorkerRequest.draw(draw).line
    #expect((WorkerRequest.lineLimit / 2..<WorkerRequest.lineLimit).contains(line.count), "\(line.count)")
  }

  @Test("B13 each reply about a drawing has one form with sorted keys, and is read as it was written")
  func replyForms() throws {
    var forms: [(WorkerReply, String)] = [
      (.part(bytes: 1), #"{"part":1}"#),
      (.drawn(Drawn()), #"{"drawn":{"lacking":[],"lackingCount":0}}"#),
      (
        .drawn(Drawn(ink: try CanvasRect(x: 1, y: 2.5, width: 3, height: 4))),
        #"{"drawn":{"ink":{"height":4,"width":3,"x":1,"y":2.5},"lacking":[],"lackingCount":0}}"#
      ),
      (
        .drawn(Drawn(enlarged: Drawn.Enlarged(text: "🐝", times: 2.5))),
        #"{"drawn":{"enlarged":["🐝",2.5],"lacking":[],"lackingCount":0}}"#
      ),
      (
        .drawn(Drawn(lacking: ["🐝", "é"], lackingCount: 2, pictureFault: "no \u{1b}[31m")),
        #"{"drawn":{"lacking":["🐝","é"],"lackingCount":2,"pictureFault":"no \u001b[31m"}}"#
      ),
    ]
    for reason in DrawingRefusal.Reason.allCases {
      forms.append(
        (
          .notDrawn(DrawingRefusal(reason, "why")),
          #"{"notDrawn":{"detail":"why","reason":"\#(reason.rawValue)"}}"#
        ))
    }
    for (reply, text) in forms {
      #expect(JSONFormTests.text(reply.write) == text)
      #expect(try Self.reply(text) == reply)
    }
  }

  @Test("B13 a reply about any number of missing texts, or with a long reason, fits the limit of a line")
  func long() throws {
    let text = String(repeating: "\"", count: Limits.textBytes)
    let drawn = Drawn(
      lacking: Array(repeating: text, count: 30), lackingCount: 1_000_000,
      pictureFault: String(repeating: "\u{1}", count: 9_999))
    let line = JSONFormTests.text(WorkerReply.drawn(drawn).write)
    #expect(line.utf8.count < WorkerReply.lineLimit)
    guard case .drawn(let read) = try Self.reply(line) else { throw ArtError(.badJSON, "another reply") }
    #expect(read.lacking == Array(repeating: text, count: 20) && read.lackingCount == 1_000_000)
    #expect(read.pictureFault == String(repeating: "\u{1}", count: 1_000))
    let refusal = DrawingRefusal(.badFont, "a\0" + String(repeating: "🐝", count: 9_999))
    guard case .notDrawn(let again) = try Self.reply(JSONFormTests.text(WorkerReply.notDrawn(refusal).write))
    else { throw ArtError(.badJSON, "another reply") }
    #expect(again.detail == "a\u{FFFD}" + String(repeating: "🐝", count: 998))
  }

  private static func form(_ format: String = #"{"png":{"height":1,"width":1}}"#, _ region: String = region)
    -> String
  {
    #"{"draw":{"canvas":{"height":3,"width":4},"format":\#(format),"isTransparent":false,\#(region)}}"#
  }

  @Test(
    "B13 an invalid request or reply about a drawing is an error",
    arguments: [
      #"{"draw":{}}"#, #"{"draw":null}"#, #"{"draw":{"canvas":{"height":3,"width":4}}}"#,
      form("{}"), form("null"), form(#"{"bmp":{"height":1,"width":1}}"#), form(#"{"png":{"height":1}}"#),
      form(#"{"png":{"height":0,"width":1}}"#), form(#"{"png":{"height":1,"width":10000001}}"#),
      form(#"{"png":{"height":1,"width":1.5}}"#),
      form(#"{"png":{"height":1,"width":1},"pdf":{"height":1,"width":1}}"#),
      form(#"{"png":{"depth":1,"height":1,"width":1}}"#), form(#"{"svg":{"height":1,"width":1}}"#),
      form(#"{"svg":{"embedsGlyphs":1,"size":{"height":1,"width":1}}}"#),
      form(#"{"jpeg":{"height":1,"width":1}}"#),
      form(#"{"jpeg":{"quality":0,"size":{"height":1,"width":1}}}"#),
      form(#"{"webp":{"quality":101,"size":{"height":1,"width":1}}}"#), form(#"{"webp":{"quality":90}}"#),
      #"{"drawn":{"enlarged":["🐝"],"lacking":[],"lackingCount":0}}"#,
      #"{"drawn":{"enlarged":["",2],"lacking":[],"lackingCount":0}}"#,
      form(#"{"symbols":{"colors":"mauve","columns":1,"rows":1}}"#),
      form(#"{"symbols":{"colors":"eight","columns":0,"rows":1}}"#),
      form(#"{"symbols":{"colors":"eight","columns":1,"rows":10001}}"#),
      form(#"{"symbols":{"colors":"eight","columns":1}}"#),
      form(#"{"png":{"height":1,"width":1}}"#, #""region":{"height":0,"width":1,"x":0,"y":0}"#),
      form(#"{"png":{"height":1,"width":1}}"#, #""region":{"height":1,"width":1,"x":1e6,"y":0}"#),
      form(#"{"png":{"height":1,"width":1}}"#, #""region":{"height":1,"width":1,"x":0}"#),
      form(#"{"png":{"height":1,"width":1}}"#, #""region":{"height":1,"width":1,"x":0,"y":0,"z":0}"#),
      #"{"labels":{"bytes":1}}"#, #"{"labels":{"bytes":-1,"total":1}}"#, #"{"labels":{"bytes":1,"total":0}}"#,
      #"{"labels":{"bytes":1,"total":1000001}}"#, #"{"labels":{"bytes":1048577,"total":1}}"#,
      #"{"labels":2}"#,
      #"{"picture":-1}"#, #"{"picture":268435457}"#, #"{"picture":"1"}"#, #"{"part":0}"#, #"{"part":-1}"#,
      #"{"part":1048577}"#, #"{"part":1.0}"#, #"{"drawn":{}}"#, #"{"drawn":{"lacking":[]}}"#,
      #"{"drawn":{"lacking":["a"],"lackingCount":0}}"#, #"{"drawn":{"lacking":[],"lackingCount":1}}"#,
      #"{"drawn":{"lacking":[""],"lackingCount":1}}"#, #"{"drawn":{"lacking":["\u001b"],"lackingCount":1}}"#,
      #"{"drawn":{"lacking":["a"],"lackingCount":1000001}}"#,
      #"{"drawn":{"lacking":[],"lackingCount":0,"pictureFault":null}}"#,
      #"{"drawn":{"lacking":[\#(String(repeating: "\"a\",", count: 20))"a"],"lackingCount":21}}"#,
      #"{"notDrawn":{"detail":""}}"#, #"{"notDrawn":{"detail":"","reason":"mood"}}"#,
      #"{"notDrawn":{"detail":"","isTransient":true,"reason":"noFont"}}"#,
    ])
  func none(_ text: String) {
    for error in [
      #expect(throws: ArtError.self) { try Self.reply(text) },
      #expect(throws: ArtError.self) { try Self.request(text) },
    ] {
      #expect([.badJSON, .badValue, .badText].contains(error?.code))
    }
  }

  @Test("B13 a control: the unchanged forms of the invalid requests are read")
  func control() throws {
    #expect(try Self.request(Self.form()) != Self.request(Self.form(#"{"pdf":{"height":1,"width":1}}"#)))
  }
}

@Suite("Sending a drawing") struct SentSceneTests {
  private static func scene(_ count: Int, picture: [UInt8]?, _ generator: inout SplitMix64) throws
    -> DrawingScene
  {
    let texts = try ["🐝", "👩‍🚀", "\"\\🏳️‍🌈/", "é漢🐝"].map { (text) throws(ArtError) in try EmojiText(text) }
    var labels: [DrawingScene.Label] = []
    for _ in 0..<count {
      func number(_ most: Int) -> Double {
        Double(generator.below(most)) / Double(1 + generator.below(1_000))
      }
      labels.append(
        DrawingScene.Label(
          text: texts[generator.below(texts.count)],
          position: try Point(x: number(1_000_000), y: -number(999)),
          size: try FontSize(0.001 + number(90_000))))
    }
    return DrawingScene(canvas: try Canvas(width: 5, height: 6), labels: labels, picture: picture)
  }

  /// Receives the bytes in pieces of this length, as the worker does.
  private static func received(_ bytes: [UInt8], by length: Int) throws(ArtError) -> [Drawing] {
    var splitter = FrameSplitter(lineLimit: WorkerRequest.lineLimit, bytesLimit: WorkerRequest.bodyLimit)
    var scene = SentScene()
    var drawings: [Drawing] = []
    var waiting: WorkerRequest?
    var fault: ArtError?
    func finish(_ bytes: [UInt8]) {
      do throws(ArtError) {
        switch waiting {
        case .labels(_, let total): try scene.receive(labels: bytes, total: total)
        case .picture: try scene.receive(picture: bytes)
        case .draw(let draw): drawings.append(try scene.drawing(draw))
        default: throw ArtError(.badJSON, "another request")
        }
      } catch {
        fault = error
      }
    }
    var rest = bytes[...]
    while !rest.isEmpty, fault == nil {
      let piece = rest.prefix(length)
      rest = rest.dropFirst(piece.count)
      let isWhole = splitter.append(piece) { line in
        waiting = try? JSONReader.read(String(decoding: line, as: UTF8.self)) { (reader) throws(ArtError) in
          try WorkerRequest(from: &reader)
        }
        let count = waiting?.bytesThatFollow
        if count == nil { finish([]) }
        return count
      } bytes: {
        finish($0)
      }
      if !isWhole { fault = ArtError(.badJSON, "too long") }
    }
    if let fault { throw fault }
    return drawings
  }

  @Test("a drawing with any labels and any picture arrives as it was, in pieces of any length")
  func whole() throws {
    var generator = SplitMix64(seed: 72)
    var count = 0
    for labels in [0, 1, 2, 50, 5_000] {
      for picture in [nil, [], [0, 10, 255], Array(repeating: 10, count: 100_000)] as [[UInt8]?] {
        let scene = try Self.scene(labels, picture: picture, &generator)
        let drawing = Drawing(
          scene: scene, region: CanvasRect(scene.canvas), format: .png(try PixelSize(width: 1, height: 1)),
          fonts: [])
        var sent: [UInt8] = []
        var longest = 0
        try drawing.send { (bytes) throws(ArtError) in
          sent += bytes
          if bytes != picture { longest = max(longest, bytes.count) }
        }
        #expect(longest < 80_000, "the pieces are small")
        let again = try Self.received(sent + sent, by: 1 + generator.below(99_999))
        #expect(again == [drawing, drawing])
        count += labels
      }
    }
    print("labels that were sent: \(count)")
    #expect(count > 20_000)
  }

  @Test(
    "more or fewer labels than announced, another total, two pictures and invalid labels are errors"
  )
  func broken() throws {
    let draw =
      #"{"draw":{"canvas":{"height":3,"width":4},"format":{"png":{"height":1,"width":1}},"isTransparent":false,"#
      + #""region":{"height":1,"width":1,"x":0,"y":0}}}"# + "\n"
    func labels(_ json: String, of total: Int) -> String {
      #"{"labels":{"bytes":\#(json.utf8.count),"total":\#(total)}}"# + "\n" + json
    }
    let bee = #"["🐝",1,2,3]"#
    for good in [
      draw, labels("[\(bee)]", of: 1) + draw, labels("[]", of: 1) + labels("[ \(bee) ]", of: 1) + draw,
    ] {
      #expect(try Self.received(Array(good.utf8), by: 7).count == 1, "the valid request is read")
    }
    let bad = [
      labels("[\(bee)]", of: 2) + draw, labels("[\(bee),\(bee)]", of: 1) + draw,
      labels("[\(bee)]", of: 1) + labels("[\(bee)]", of: 1) + draw,
      labels("[\(bee)]", of: 2) + labels("[\(bee)]", of: 3) + draw, "{\"picture\":1}\na{\"picture\":1}\nb",
      labels("", of: 1), labels("{}", of: 1), labels("[\(bee)]x", of: 1), labels("[\(bee)", of: 1),
      labels("[[]]", of: 1),
      labels(#"[["🐝",1,2]]"#, of: 1), labels(#"[["🐝",1,2,3,4]]"#, of: 1), labels(#"[["",1,2,3]]"#, of: 1),
      labels(#"[["🐝",1,2,0]]"#, of: 1), labels(#"[["🐝",1,2,100001]]"#, of: 1),
      labels(#"[["🐝",1e7,2,3]]"#, of: 1),
      labels(#"[["🐝",1,1e400,3]]"#, of: 1), labels(#"[["\u001b",1,2,3]]"#, of: 1),
      labels(#"[[1,"🐝",2,3]]"#, of: 1),
      labels(#"[["\#(String(repeating: "a", count: 257))",1,2,3]]"#, of: 1),
    ]
    for text in bad {
      let error = #expect(throws: ArtError.self) { try Self.received(Array(text.utf8), by: 7) }
      #expect(error?.code == .badJSON || error?.code == .badValue || error?.code == .badText, "\(text)")
    }
  }

  @Test("labels with random changes never trap, and accepted ones are sent again as the same")
  func mutations() throws {
    var generator = SplitMix64(seed: 73)
    let sample = Array(#"[["🐝",1,2.5,3],["👩‍🚀",-1e3,0.25,100000],["\"",1000000,0,1]]"#.utf8)
    let tokens = ["9", "-", "e9", "\"", "\\u0000", "[", "]", ",", "null", "\u{0}", " ", "1e400", "\\ud83d"]
    var counts = (accepted: 0, refused: 0)
    for _ in 0..<20_000 {
      var bytes = sample
      for _ in 0...generator.below(2) {
        let place = generator.below(bytes.count)
        switch generator.below(3) {
        case 0: bytes[place] = UInt8(generator.below(256))
        case 1: bytes.remove(at: place)
        default: bytes.insert(contentsOf: Array(tokens[generator.below(tokens.count)].utf8), at: place)
        }
      }
      var scene = SentScene()
      do throws(ArtError) { try scene.receive(labels: bytes, total: 3) } catch {
        counts.refused += 1
        continue
      }
      counts.accepted += 1
      let canvas = try Canvas(width: 1, height: 1)
      let draw = WorkerRequest.Draw(
        canvas: canvas, region: CanvasRect(canvas), format: .png(try PixelSize(width: 1, height: 1)),
        isTransparent: false)
      // Fewer labels than announced are no drawing.
      guard let drawing = try? scene.drawing(draw) else { continue }
      var sent: [UInt8] = []
      try drawing.send { (bytes) throws(ArtError) in sent += bytes }
      #expect(try Self.received(sent, by: 64) == [drawing])
    }
    print("mutated labels: \(counts.accepted) taken, \(counts.refused) refused")
    #expect(counts.accepted > 1_000 && counts.refused > 5_000)
  }
}
