// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import ArtModel

@Suite("The rectangles that emoji fill") struct EmojiBoxTests {
  /// A line of `Fixtures/boxes/boxes.jsonl`, which a program in another language has made.
  private struct Vector: Decodable {
    struct Label: Decodable {
      let box: [Double]?
      let rotation: Double?
      let size: Double
      let text: String
      let x: Double
      let y: Double
    }

    let emoji: Label
    let corners: [[Double]]
    let edges: [Double]
    let inside: [[Double]]
    let outside: [[Double]]
    let overlapped: [[Double]]
    let apart: [[Double]]
  }

  private static func vectors() throws -> [Vector] {
    let root = URL(filePath: #filePath).appending(path: "../../..").standardized
    let text = try String(contentsOf: root.appending(path: "Fixtures/boxes/boxes.jsonl"), encoding: .utf8)
    return try text.split(separator: "\n").map { try JSONDecoder().decode(Vector.self, from: Data($0.utf8)) }
  }

  private func box(_ label: Vector.Label) throws -> EmojiBox {
    var emoji = try emoji("aaaaaaaa", x: label.x, y: label.y, size: label.size)
    emoji.text =
      if let box = label.box {
        EmojiText(try Words(label.text), box: try TextBox(width: box[0], height: box[1]))
      } else {
        try EmojiText(label.text)
      }
    emoji.rotation = try Rotation(degrees: label.rotation ?? 0)
    return EmojiBox(emoji)
  }

  private func rect(_ numbers: [Double]) throws -> CanvasRect {
    try CanvasRect(x: numbers[0], y: numbers[1], width: numbers[2], height: numbers[3])
  }

  @Test("M29 corners, edges, points and rectangles are those that another program works out")
  func vectors() throws {
    var tried = 0
    for vector in try Self.vectors() {
      let box = try box(vector.emoji)
      let name = "\(vector.emoji.text) turned by \(vector.emoji.rotation ?? 0)"
      for (corner, wanted) in zip(box.corners, vector.corners) {
        #expect(abs(corner.x - wanted[0]) < 2e-6 && abs(corner.y - wanted[1]) < 2e-6, "\(name)")
      }
      let edges = [box.edges.left, box.edges.top, box.edges.right, box.edges.bottom]
      for (edge, wanted) in zip(edges, vector.edges) { #expect(abs(edge - wanted) < 2e-6, "\(name)") }
      for point in vector.inside { #expect(box.contains(x: point[0], y: point[1]), "\(name), \(point)") }
      for point in vector.outside { #expect(!box.contains(x: point[0], y: point[1]), "\(name), \(point)") }
      for part in vector.overlapped { #expect(try box.overlaps(rect(part)), "\(name), \(part)") }
      for part in vector.apart { #expect(try !box.overlaps(rect(part)), "\(name), \(part)") }
      tried += 1
    }
    print("boxes: \(tried) vectors")
    #expect(tried >= 27)
  }

  @Test("M29 right angles have exact edges")
  func rightAngles() throws {
    var emoji = try emoji("aaaaaaaa", x: 100, y: 100, size: 100)
    for degrees in [0.0, 90, 180, -90] {
      emoji.rotation = try Rotation(degrees: degrees)
      let edges = EmojiBox(emoji).edges
      let isUpright = degrees == 0 || degrees == 180
      #expect(edges.left == (isUpright ? 37.75 : 41.25) && edges.bottom == (isUpright ? 158.75 : 162.25))
    }
  }

  @Test("M30 what lies off the canvas is counted apart from what is more than half off it")
  func offCanvas() throws {
    let canvas = try Canvas(width: 100, height: 100)
    func count(_ places: [(Double, Double)]) throws -> OffCanvas {
      OffCanvas(try places.map { try emoji("aaaaaaaa", x: $0.0, y: $0.1, size: 40) }, on: canvas)
    }
    #expect(try count([(50, 50), (0, 0), (100, 100), (1, 50)]).isEmpty)
    let some = try count([(50, 50), (-0.1, 50), (50, 123.4), (-24.9, 50), (50, 124), (300, 300)])
    #expect(some.half == 2 && some.outside == 3)
  }
}

@Suite("Rotations") struct RotationTests {
  @Test("M31 degrees lie above -180 and up to 180, in millionths")
  func range() throws {
    for (given, kept) in [
      (0.0, 0.0), (180, 180), (-180, 180), (181, -179), (-181, 179), (360, 0), (540, 180), (-540, 180),
      (720.5, 0.5),
      (0.0000004, 0), (-0.0000004, 0), (12.3456789, 12.345679), (179.9999999, 180), (-179.9999999, 180),
    ] {
      #expect(try Rotation(degrees: given).degrees == kept, "\(given)")
    }
    for bad in [Double.nan, .infinity, 1e6 + 1, -1e300] {
      #expect(failure { () throws(ArtError) in try Rotation(degrees: bad) }?.code == .badValue)
    }
  }

  @Test("M31 turning adds up, and turning back gives what it was")
  func turning() throws {
    var edits = RandomEdits(seed: 91)
    for _ in 0..<2_000 {
      let (first, second) = (try edits.rotation(), try edits.rotation())
      let sum = try Rotation(degrees: first.degrees + second.degrees)
      #expect(first.turned(by: second) == sum)
      let back = try Rotation(degrees: -second.degrees)
      #expect(first.turned(by: second).turned(by: back) == first)
    }
  }

  @Test("M31 a stored rotation is one that this program would write")
  func stored() throws {
    for good in [0.0, 180, -179.999999, 0.5] { #expect(try Rotation(stored: good).degrees == good) }
    for bad in [-180.0, 180.000001, 360, 0.0000001, .nan] {
      #expect(failure { () throws(ArtError) in try Rotation(stored: bad) }?.code == .badValue, "\(bad)")
    }
  }
}

@Suite("Colours") struct ColorTests {
  @Test("M32 a typed colour is hexadecimal, or a name of CSS in any case")
  func typed() throws {
    for (typed, stored) in [
      ("#fc0", "#ffcc00"), ("#FC08", "#ffcc0088"), ("#FFCC00", "#ffcc00"), ("#ffcc00ff", "#ffcc00"),
      ("#00000000", "#00000000"), ("Gold", "#ffd700"), ("rebeccapurple", "#663399"),
      ("transparent", "#00000000"),
    ] {
      #expect(try Color(typed: typed).description == stored)
    }
    for bad in ["", "#", "#ff", "#ffcc0", "#gggggg", "ffcc00", "#ffcc00 ", "#ﬀcc00", "golld-ish", "#-1-1-1"] {
      #expect(failure { () throws(ArtError) in try Color(typed: bad) }?.code == .badValue, "\(bad)")
    }
    let near = failure { () throws(ArtError) in try Color(typed: "golld") }
    #expect(near?.cause.hasSuffix("did you mean gold?") == true)
    #expect(Color.names.count == 149)
  }

  @Test("M32 a stored colour has one form")
  func stored() throws {
    for good in ["#ffcc00", "#00000000", "#ffcc00fe"] { #expect(try Color(stored: good).description == good) }
    for bad in ["#fc0", "#FFCC00", "#ffcc00ff", "gold", ""] {
      #expect(failure { () throws(ArtError) in try Color(stored: bad) }?.code == .badValue, "\(bad)")
    }
  }
}

@Suite("The words of captions") struct WordsTests {
  @Test("M33 words have 1 to 1,000 bytes in up to 100 lines, and nothing that a terminal obeys")
  func bounds() throws {
    for good in ["Happy", "1 + 2 = ?", "one\ntwo", "🐝 and words", String(repeating: "é", count: 500)] {
      #expect(try Words(good).string == good)
    }
    #expect(try Words("a\tb").string == "a b")
    let bad: [(String, ArtError.Code)] = [
      ("", .badText), ("\u{200B}", .badText), ("\u{AD} \u{3164}\u{2800}", .badText), (" ", .badText),
      ("\n\n", .badText), (" \u{A0}\n", .badText),
      ("a\u{1B}[2J", .badText), ("a\u{202E}b", .badText), (String(repeating: "é", count: 501), .badText),
      ("a" + String(repeating: "\nb", count: 100), .badText),
    ]
    for (text, code) in bad {
      #expect(failure { () throws(ArtError) in try Words(text) }?.code == code, "\(text.debugDescription)")
    }
  }

  @Test("M33 line ends of other systems become line feeds, and those at the end are left out")
  func lineEnds() throws {
    for (given, kept) in [
      ("a\r\nb", "a\nb"), ("a\rb", "a\nb"), ("a\n\r\nb", "a\n\nb"), ("a\n", "a"), ("a\r\n\r\n", "a"),
      ("\na", "\na"),
    ] {
      #expect(try Words(given).string == kept)
    }
  }

  @Test("M33 a box has two sides above 0 and up to 2,000 ems, in millionths")
  func boxes() throws {
    let box = try TextBox(width: 6.2500004, height: 2_000)
    #expect(box.width == 6.25 && box.height == 2_000)
    for (width, height) in [
      (0.0, 1.0), (1, 0), (0.0000004, 1), (2_000.1, 1), (1, .nan), (-1, 1), (.infinity, 1),
    ] {
      #expect(failure { () throws(ArtError) in try TextBox(width: width, height: height) }?.code == .badValue)
    }
  }

  @Test("M33 a caption is shown on one line, and shortened in titles")
  func oneLine() throws {
    let text = EmojiText(
      try Words("Happy\nbirthday, dear bees of the meadow"), box: try TextBox(width: 9, height: 2))
    #expect(text.description == "Happy\\nbirthday, dear bees of the meadow")
    #expect(text.label == "\"Happy\\nbirthday, dear b…\"")
    #expect(try EmojiText("🐝").label == "🐝")
  }
}
