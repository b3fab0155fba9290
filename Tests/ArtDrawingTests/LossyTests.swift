// SPDX-License-Identifier: Apache-2.0

import ArtModel
import TestSupport
import Testing

@testable import ArtDrawing

/// JPEG and WebP as ImageMagick decodes them, compared with our PNG.
@Suite struct LossyTests {
  private static func jpeg(_ quality: Int) -> @Sendable (PixelSize) -> Drawing.Format {
    { .jpeg($0, quality: quality) }
  }

  private static func webp(_ quality: Int) -> @Sendable (PixelSize) -> Drawing.Format {
    { .webp($0, quality: quality) }
  }

  private static let lossless: @Sendable (PixelSize) -> Drawing.Format = { .losslessWebP($0) }

  @Test(
    "V6 JPEG and WebP files show the PNG file's picture, whatever the sizes, and a lower quality takes fewer bytes"
  )
  func pictures() throws {
    for (index, (width, height)) in [(500, 320), (1, 1), (2, 1), (33, 77), (1_031, 515)].enumerated() {
      var scene = try Scenes.scene(
        width, height, emoji: 60, seed: UInt64(70 + index), picture: index == 0 ? "meadow.jpg" : nil)
      scene.fill = index == 3 ? Color(red: 255, green: 204, blue: 0) : nil
      let drawing = try Drawing(scene) { .png($0) }
      let png = try drawing.pixels()
      for (kind, format) in [("jpg", Self.jpeg), ("webp", Self.webp)] {
        let files = try [90, 20].map { try drawing.as(format($0)).made() }
        #expect(files.allSatisfy { $0.drawn == (try? drawing.made().drawn) })
        let pixels = try files.map { try Pixels(decoding: $0.bytes, as: kind) }
        let near = try #require(pixels[0].distance(to: png))
        let far = try #require(pixels[1].distance(to: png))
        print("V6 \(width) x \(height) \(kind): \(near.mean), \(far.mean); \(files.map(\.bytes.count)) bytes")
        // WebP has one colour for two pixels.
        #expect(near.mean < (width > 2 ? 0.02 : 0.05), "\(kind) \(width) x \(height)")
        guard width > 2 else { continue }
        #expect(files[1].bytes.count < files[0].bytes.count && far.mean > near.mean)
      }
    }
    // A control: a part beside it is further away.
    var other = try Drawing(try Scenes.scene(500, 320, emoji: 60, seed: 71)) { .png($0) }
    let jpeg = try Pixels(decoding: try other.as(Self.jpeg(90)).made().bytes, as: "jpg")
    other.region = try CanvasRect(x: 2, y: 0, width: 500, height: 320)
    #expect(try #require(jpeg.distance(to: try other.pixels())).mean > 0.02)
  }

  @Test(
    "a WebP file without loss has the drawing's very pixels, with and without alpha, and AVIF nearly these")
  func others() throws {
    for isTransparent in [false, true] {
      let scene = try Scenes.scene(301, 203, emoji: 20, seed: 77)
      let drawing = try Drawing(scene, { .png($0) }, isTransparent: isTransparent)
      let png = try drawing.pixels()
      for isSmall in [false, true] {
        var exact = drawing.as { .losslessWebP($0) }
        exact.details.isSmall = isSmall
        let webp = try Pixels(decoding: try exact.made().bytes, as: "webp")
        var differ = 0
        for start in stride(from: 0, to: png.bytes.count, by: 4) {
          let (one, other) = (png.bytes[start..<start + 4], webp.bytes[start..<start + 4])
          // The colour of what is transparent is not seen.
          let areBothClear = one.last == 0 && other.last == 0
          if !areBothClear, one != other { differ += 1 }
        }
        #expect(differ == 0, "\(isTransparent) \(isSmall)")
      }
      let files = try [90, 20].map { quality in
        try drawing.as { .avif($0, quality: quality) }.made().bytes
      }
      // Decoded by ourselves: ImageMagick ignores the alpha of AVIF.
      let decoded = try DecodedPicture(files[0], scale: 1, PictureLimits())
      #expect(decoded.width == 301 && decoded.height == 203)
      #expect(decoded.channels == (isTransparent ? 4 : 3) && files[1].count < files[0].count)
      var sum = 0
      decoded.withPixels { rows in
        for y in 0..<203 {
          for x in 0..<301 {
            let own = 4 * (y * 301 + x)
            let alpha = Int(png.bytes[own + 3])
            let other = y * decoded.stride + x * decoded.channels
            if isTransparent, Int(rows[other + 3]) != alpha { sum += 1_000_000 }
            for channel in 0..<3 {
              sum += abs(Int(png.bytes[own + channel]) - Int(rows[other + channel])) * alpha / 255
            }
          }
        }
      }
      let mean = Double(sum) / (301 * 203 * 3 * 255)
      print("AVIF: \(mean), \(files.map(\.count)) bytes")
      #expect(mean < 0.02)
    }
  }

  @Test("a WebP file has the drawing's transparency, and a JPEG file none")
  func transparency() throws {
    let scene = try Scenes.scene(301, 203, emoji: 20, seed: 75)
    let drawing = try Drawing(scene, { .png($0) }, isTransparent: true)
    let png = try drawing.pixels()
    let webp = try Pixels(decoding: try drawing.as(Self.webp(90)).made().bytes, as: "webp")
    #expect(png[0, 202][3] == 0, "a corner is empty")
    #expect(
      zip(png.bytes, webp.bytes).enumerated().allSatisfy {
        $0.offset % 4 != 3 || $0.element.0 == $0.element.1
      })
    #expect(try #require(webp.distance(to: png)).mean < 0.02)
    let whole = try drawing.as(Self.jpeg(90)).made().bytes
    #expect(
      try Pixels(decoding: whole, as: "jpg").bytes.enumerated().allSatisfy {
        $0.offset % 4 != 3 || $0.element == 255
      })
  }

  @Test("a resolution is recorded in PNG and JPEG, and changes no pixel; without one a PNG has no word of it")
  func resolution() throws {
    let other = try OtherRenderer()
    let plain = try Drawing(try Scenes.scene(60, 40, emoji: 5, seed: 76)) { .png($0) }
    var dense = plain
    dense.details.resolution = 300
    #expect(try dense.pixels().bytes == plain.pixels().bytes)
    #expect(try !plain.made().bytes.contains("pHYs") && dense.made().bytes.contains("pHYs"))
    for (kind, format) in [("png", { .png($0) }), ("jpg", Self.jpeg(90))]
      as [(String, (PixelSize) -> Drawing.Format)]
    {
      let file = try other.write(try dense.as(format).made().bytes, "dense.\(kind)")
      #expect(
        try other.run("identify", "-units", "PixelsPerInch", "-format", "%x %y", file.path) == "300 300")
    }
  }

  @Test(
    "V8 a JPEG file of more than 65,500 pixels a side, and a WebP file of more than 16,383, are refused with a scale that works",
    arguments: [
      ("JPEG", 65_500, jpeg(90)), ("WebP", 16_383, webp(90)), ("WebP", 16_383, lossless),
    ])
  func sides(_ name: String, _ side: Int, _ format: @Sendable (PixelSize) -> Drawing.Format) throws {
    let scene = DrawingScene(canvas: try Canvas(width: 1_000, height: 10), labels: [], picture: nil)
    var drawing = try Drawing(scene, format)
    drawing.format = format(try PixelSize(width: side, height: side / 100))
    #expect(try drawing.made().bytes.count > 100)
    drawing.format = format(try PixelSize(width: side + 1, height: side / 100))
    let refusal = try #require(#expect(throws: DrawingRefusal.self) { try drawing.made() })
    #expect(
      refusal.reason == .tooLarge
        && refusal.detail.hasPrefix("a \(name) file of \(side + 1) x \(side / 100) pixels"))
    #expect(refusal.detail.hasSuffix("scale \(name == "JPEG" ? "65.5" : "16.3") works"), "\(refusal.detail)")
  }
}

extension [UInt8] {
  fileprivate func contains(_ text: String) -> Bool {
    let wanted = Array(text.utf8)
    return indices.contains { self[$0...].starts(with: wanted) }
  }
}
