// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import ArtDrawing
@testable import ArtModel

/// Pages of PDF that are cut, and with several drawings.
@Suite("Pages that are printed") struct PrintTests {
  /// A drawing of 300 x 200 pixels on a page of 300 x 200 points.
  private func drawing(_ number: UInt64 = 1, picture: String? = nil, isFilled: Bool = true) throws -> Drawing
  {
    var scene = try Scenes.scene(300, 200, emoji: 30, seed: 200 + number, picture: picture)
    if isFilled { scene.fill = Color(red: 255, green: 204, blue: 0) }
    var drawing = try Drawing(scene) { .pdf($0) }
    drawing.details.page = try PageSize(width: 300, height: 200)
    return drawing
  }

  /// Whether two colours differ by rounding at most.
  private func areAlike(_ one: [UInt8], _ other: [UInt8]) -> Bool {
    zip(one, other).allSatisfy { abs(Int($0) - Int($1)) <= 3 }
  }

  private func file(_ drawings: [Drawing]) throws -> [UInt8] {
    var bytes: [UInt8] = []
    let file = PDFFile { bytes += $0 }
    for (index, drawing) in drawings.enumerated() {
      var drawing = drawing
      drawing.details.pagesLeft = drawings.count - 1 - index
      _ = try file.add(drawing, with: OpenFonts(colors: [Scenes.font]))
    }
    return bytes
  }

  @Test(
    "V23 a page with a bleed has its boxes and crop marks, looks as without within them, and goes on beyond them"
  )
  func bleed() throws {
    let other = try OtherRenderer()
    for (number, picture) in [nil, "meadow.jpg", "meadow.png"].enumerated() {
      let plain = try drawing(UInt64(number), picture: picture)
      var cut = plain
      // With the marks 30 points to the page.
      cut.details.bleed = 12
      let pdf = try file([cut, plain, cut])
      let info = try other.run("pdfinfo", "-box", "-l", "3", try other.write(pdf, "cut.pdf").path)
      for page in [1, 3] {
        for box in [
          "MediaBox:      0.00     0.00   360.00   260.00", "BleedBox:     18.00    18.00   342.00   242.00",
          "TrimBox:      30.00    30.00   330.00   230.00",
        ] {
          #expect(info.contains("Page    \(page) \(box)"), "\(info)")
        }
      }
      let whole = try other.poppler(pdf)
      let page = try other.poppler(try file([plain]))
      var different = 0
      for y in 1..<199 {
        for x in 1..<299 where !areAlike(whole[x + 30, y + 30], page[x, y]) { different += 1 }
      }
      #expect(different < 10, "\(different) pixels")
      // The bleed is painted to its edge, and no further.
      #expect(whole[150, 20] != [255, 255, 255, 255] && whole[150, 15] == [255, 255, 255, 255])
      #expect(whole[20, 130] != [255, 255, 255, 255] && whole[340, 130] != [255, 255, 255, 255])
      // A mark in the line of the left edge of the page, above the bleed.
      #expect((whole[30, 7].min() ?? 255) < 250 || (whole[29, 7].min() ?? 255) < 250)
    }
  }

  @Test(
    "V23 a drawing that does not reach an edge of the page has no bleed there, and nothing in a picture is taken for a page"
  )
  func inner() throws {
    let other = try OtherRenderer()
    var inner = try drawing()
    inner.region = try CanvasRect(x: 0, y: -100, width: 600, height: 400)
    inner.details.bleed = 12
    let page = try other.poppler(try file([inner]))
    #expect(page[20, 130] != [255, 255, 255, 255])
    for place in [(340, 130), (100, 20), (100, 240)] {
      #expect(page[place.0, place.1] == [255, 255, 255, 255])
    }
    // A JPEG comment would be removed; the bytes of a whole file stand for any.
    let fake = Array(
      "2 0 obj\n<< /Type /Page % 1\n   /MediaBox [ 0 0 9 9 ]\n>>\nendobj\ntrailer\n<< /Root 1 0 R >>\nstartxref\n0\n%%EOF\n"
        .utf8)
    var copy = PDFCopy()
    fake.withUnsafeBytes { copy.append($0) }
    #expect(throws: DrawingRefusal.self) {
      try copy.update([Paper(page: PageSize(width: 10, height: 10), bleed: 5)])
    }
    let real = try file([inner])
    for broken in [Array(real.dropLast(40)), fake + real, real + fake] {
      var copy = PDFCopy()
      broken.withUnsafeBytes { copy.append($0) }
      #expect(throws: DrawingRefusal.self) {
        try copy.update([Paper(page: PageSize(width: 300, height: 200), bleed: 12)])
      }
    }
  }

  @Test("several drawings are on one page, and the next page begins when it is full")
  func sheet() throws {
    let other = try OtherRenderer()
    var drawings: [Drawing] = []
    for number in 0..<3 {
      var drawing = try drawing(UInt64(number))
      drawing.details.page = try PageSize(width: 600, height: 200)
      drawing.format = .pdf(try PixelSize(width: 600, height: 200))
      // The first one is at the left, the second one at the right.
      drawing.region = try CanvasRect(x: number == 1 ? -300 : 0, y: 0, width: 600, height: 200)
      drawing.details.sharesPage = number == 0
      drawings.append(drawing)
    }
    let pdf = try file(drawings)
    let info = try other.run("pdfinfo", try other.write(pdf, "sheet.pdf").path)
    #expect(info.contains("Pages:           2"))
    let page = try other.poppler(pdf)
    for (number, left) in [(0, 0), (1, 300)] {
      let alone = try other.poppler(try file([try drawing(UInt64(number))]))
      for y in stride(from: 3, to: 197, by: 5) {
        for x in stride(from: 3, to: 297, by: 5) {
          #expect(areAlike(page[left + x, y], alone[x, y]))
        }
      }
    }
    #expect(try other.poppler(pdf, page: 2)[500, 100] == [255, 255, 255, 255])
  }
}
