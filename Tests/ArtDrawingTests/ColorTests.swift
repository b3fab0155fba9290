// SPDX-License-Identifier: Apache-2.0

import ArtModel
import Foundation
import TestSupport
import Testing

@testable import ArtDrawing

/// Colours as Chromium shows the file itself, compared with what we make of it.
@Suite struct ColorTests {
  /// A picture, and whether its numbers are not those of sRGB.
  struct Sample {
    let name: String
    let kind: String
    let bytes: [UInt8]
    let isOther: Bool

    init(_ name: String, _ bytes: [UInt8], _ kind: String = "png", isOther: Bool = true) {
      (self.name, self.kind, self.bytes, self.isOther) = (name, kind, bytes, isOther)
    }
  }

  private let other: OtherRenderer

  init() throws { other = try OtherRenderer() }

  // MARK: Samples

  private static let p3 = ProfileWriter.rgb(ProfileWriter.displayP3, .sRGB)
  private static let adobe = ProfileWriter.rgb(ProfileWriter.adobeRGB, .gamma(563 / 256))
  private static let swapped = ProfileWriter.rgb(ProfileWriter.swapped, .sRGB)
  private static let linear = ProfileWriter.rgb(ProfileWriter.sRGB, .gamma(1))
  private static let table = ProfileWriter.rgb(
    ProfileWriter.displayP3, .table((0..<1024).map { UInt16(pow(Double($0) / 1023, 1.8) * 65_535) }))
  private static let gray = ProfileWriter.gray(.gamma(1))
  /// CIELAB colours of the corners of red, green and blue, and of cyan, magenta, yellow and black.
  private static let corners: [[Double]] = [
    [20, 0, 0], [35, 60, -90], [80, -70, 70], [85, -40, -10], [45, 70, 60], [60, 80, -50], [90, -10, 80],
    [95, 0, 0],
  ]
  private static let inks: [[Double]] = (0..<16).map { index in
    let ink = [3, 2, 1].map { Double(index >> $0 & 1) }
    let dark = index & 1 == 1 ? 0.2 : 1
    let light = 95 - 25 * ink[0] - 35 * ink[1] - 8 * ink[2]
    return [
      light * dark, (-35 * ink[0] + 70 * ink[1] - 5 * ink[2]) * dark,
      (-45 * ink[0] - 5 * ink[1] + 85 * ink[2]) * dark,
    ]
  }
  private static let press = ProfileWriter.table(4, space: "CMYK", corners: inks)

  private static let plain = [31_270, 32_900, 64_000, 33_000, 30_000, 60_000, 15_000, 6_000]
  private static let wide = [31_270, 32_900, 68_000, 32_000, 26_500, 69_000, 15_000, 6_000]

  private static func profiled(_ name: String, _ profile: [UInt8], isOther: Bool = true) -> Sample {
    Sample(name, ColorSamples.png([ColorSamples.iCCP(profile)]), isOther: isOther)
  }

  private static func chunks(_ name: String, _ chunks: [[UInt8]], isOther: Bool = true) -> Sample {
    Sample(name, ColorSamples.png(chunks), isOther: isOther)
  }

  private static let ofPNG: [Sample] = {
    let (sRGB, linearGamma) = (ColorSamples.chunk("sRGB", [0]), ColorSamples.gAMA(100_000))
    let isSRGB = ProfileWriter.rgb(ProfileWriter.sRGB, .sRGB)
    var samples = [
      chunks("no profile", [], isOther: false), profiled("sRGB", isSRGB, isOther: false),
      profiled("Display P3", p3), profiled("Adobe RGB", adobe), profiled("swapped", swapped),
      profiled("linear", linear), profiled("curve of a table", table),
      profiled(
        "table of colorimetry",
        ProfileWriter.table(
          3, space: "RGB ", tag: "A2B1",
          corners: (0..<8).map {
            [Double($0) * 12, 0, 0]
          })),
      profiled("grey in colours", gray, isOther: false),
      profiled("cut", Array(p3.prefix(200)), isOther: false),
      profiled("garbage", Array(p3.reversed()), isOther: false),
      profiled("press in colours", press, isOther: false),
      Sample("grey", ColorSamples.png([ColorSamples.iCCP(gray)], isGray: true)),
      Sample("grey with colours", ColorSamples.png([ColorSamples.iCCP(table)], isGray: true)),
      Sample("grey, gamma", ColorSamples.png([linearGamma], isGray: true)),
      Sample("16 bits", ColorSamples.png([ColorSamples.iCCP(p3)], isDeep: true)),
      chunks("gamma", [linearGamma]), chunks("gamma 1.8", [ColorSamples.gAMA(55_556)]),
      chunks("gamma 2.2", [ColorSamples.gAMA(45_455)], isOther: false),
      chunks("gamma and sRGB points", [ColorSamples.gAMA(45_455), ColorSamples.cHRM(plain)]),
      chunks("gamma and wide points", [ColorSamples.gAMA(45_455), ColorSamples.cHRM(wide)]),
      chunks("wide points alone", [ColorSamples.cHRM(wide)], isOther: false),
      chunks(
        "points of nothing", [ColorSamples.gAMA(45_455), ColorSamples.cHRM([Int](repeating: 0, count: 8))],
        isOther: false),
      chunks("sRGB before gamma", [sRGB, linearGamma], isOther: false),
      chunks("profile before sRGB", [sRGB, ColorSamples.iCCP(swapped)]),
      chunks(
        "code points before profile", [ColorSamples.cICP(1, 13), ColorSamples.iCCP(swapped)], isOther: false),
      chunks("unknown code points before gamma", [ColorSamples.cICP(3, 3), linearGamma]),
      chunks("broken profile before gamma", [ColorSamples.iCCP(Array(p3.prefix(99))), linearGamma]),
      chunks("code points of a limited range", [ColorSamples.cICP(12, 13, 0, 0)], isOther: false),
    ]
    for (primaries, transfer) in [
      (12, 13), (9, 1), (9, 14), (9, 15), (1, 4), (1, 5), (5, 13), (6, 6), (7, 7), (8, 8), (4, 13), (11, 17),
      (22, 13), (1, 11),
    ] as [(UInt8, UInt8)] {
      samples.append(
        chunks("code points \(primaries), \(transfer)", [ColorSamples.cICP(primaries, transfer)]))
    }
    for (primaries, transfer) in [(1, 13), (2, 2), (12, 2), (2, 8), (1, 9), (0, 0), (200, 200)]
      as [(UInt8, UInt8)]
    {
      let chunk = ColorSamples.cICP(primaries, transfer)
      samples.append(chunks("code points \(primaries), \(transfer)", [chunk], isOther: false))
    }
    return samples
  }()

  /// The samples of the other formats, made by their tools.
  private func ofOthers() throws -> [Sample] {
    let source = try other.write(ColorSamples.png(), "source.png").path
    func made(_ name: String, _ program: String, _ words: String...) throws -> [UInt8] {
      let file = try other.write([], name)
      let end = program == "cwebp" ? ["-o", file.path] : [file.path]
      try other.run(program, arguments: words + [source] + end)
      return [UInt8](try Data(contentsOf: file))
    }
    let jpeg = try made("a.jpg", "convert", "-quality", "100", "-sampling-factor", "1x1")
    let gray = try made("b.jpg", "convert", "-quality", "100", "-colorspace", "Gray")
    let webp = try made("d.webp", "cwebp", "-quiet", "-lossless")
    var samples = [
      Sample("none", jpeg, "jpg", isOther: false),
      Sample("Display P3", ColorSamples.withProfile(Self.p3, inJPEG: jpeg), "jpg"),
      Sample("Adobe RGB in parts", ColorSamples.withProfile(Self.adobe, part: 100, inJPEG: jpeg), "jpg"),
      Sample("swapped", ColorSamples.withProfile(Self.swapped, inJPEG: jpeg), "jpg"),
      Sample("grey in colours", ColorSamples.withProfile(Self.gray, inJPEG: jpeg), "jpg", isOther: false),
      Sample(
        "cut", ColorSamples.withProfile(Array(Self.p3.prefix(300)), inJPEG: jpeg), "jpg", isOther: false),
      Sample("grey", ColorSamples.withProfile(Self.gray, inJPEG: gray), "jpg"),
      Sample("grey with colours", ColorSamples.withProfile(Self.table, inJPEG: gray), "jpg"),
      Sample("press in colours", ColorSamples.withProfile(Self.press, inJPEG: jpeg), "jpg", isOther: false),
      Sample("Display P3", ColorSamples.withProfile(Self.p3, inWebP: webp), "webp"),
      Sample("swapped", ColorSamples.withProfile(Self.swapped, inWebP: webp), "webp"),
      Sample(
        "cut", ColorSamples.withProfile(Array(Self.p3.prefix(300)), inWebP: webp), "webp", isOther: false),
      Sample("grey in colours", ColorSamples.withProfile(Self.gray, inWebP: webp), "webp", isOther: false),
    ]
    for (index, code) in [
      ("1/13/0", false), ("12/13/0", true), ("9/14/0", true), ("1/1/0", false), ("12/13/6", true),
      ("2/2/0", false),
      ("1/8/0", true), ("12/2/0", true), ("2/8/0", true), ("12/6/0", true), ("1/4/0", true), ("1/7/0", true),
      ("6/13/0", true), ("3/3/0", false), ("1/16/0", true), ("9/18/0", true), ("9/16/0", true),
      ("1/18/0", true),
    ].enumerated() {
      let file = try made(
        "e\(index).avif", "avifenc", "-s", "10", "--min", "0", "--max", "0", "-y", "444", "--cicp", code.0)
      samples.append(Sample("code points \(code.0)", file, "avif", isOther: code.1))
    }
    let profile = try other.write(Self.swapped, "profile").path
    let file = try made(
      "f.avif", "avifenc", "-s", "10", "--min", "0", "--max", "0", "-y", "444", "--icc", profile)
    samples.append(Sample("swapped", file, "avif"))
    return samples
  }

  // MARK: Tests

  /// The most that a channel of a patch differs.
  private func difference(_ one: Pixels, _ other: Pixels) -> Int {
    let pairs = zip(ColorSamples.middles(of: one).joined(), ColorSamples.middles(of: other).joined())
    return pairs.map { abs(Int($0) - Int($1)) }.max() ?? 255
  }

  private func drawing(_ sample: Sample) throws -> Drawing {
    let canvas = try Canvas(width: ColorSamples.width, height: ColorSamples.side)
    return try Drawing(DrawingScene(canvas: canvas, labels: [], picture: sample.bytes)) { .png($0) }
  }

  private func compare(_ samples: [Sample]) throws {
    let (width, height) = (ColorSamples.width, ColorSamples.side)
    let drawings = try samples.map(drawing)
    let svgs = try drawings.map { try $0.as { .svg($0, embedsGlyphs: true) }.made().bytes }
    let originals = try other.chromium(
      samples.map(\.bytes), width: width, height: height, kinds: samples.map(\.kind))
    let pages = try other.canvases(samples.map(\.bytes), width: width, height: height)
    let vectors = try other.chromium(svgs, width: width, height: height)
    var most: [Int: Int] = [:]
    for (index, sample) in samples.enumerated() {
      let png = try drawings[index].pixels()
      let pdf = try other.poppler(try drawings[index].as { .pdf($0) }.made().bytes)
      let rsvg = try other.rsvg(svgs[index])
      let name = "\(sample.kind), \(sample.name)"
      let numbers = [png, vectors[index], pdf, rsvg, pages[index]].map { difference($0, originals[index]) }
      #expect(
        numbers.allSatisfy { $0 <= 2 },
        "\(name): \(numbers), \(ColorSamples.middles(of: png)) for \(ColorSamples.middles(of: originals[index]))"
      )
      let picture = try DecodedPicture(sample.bytes, scale: 1, PictureLimits())
      #expect(picture.hasOtherColors == sample.isOther, "\(name)")
      most[numbers.max() ?? 255, default: 0] += 1
    }
    print("V21 \(samples.count) pictures, by their greatest difference: \(most.sorted { $0.key < $1.key })")
  }

  @Test("V21 a PNG background has the colours that Chromium shows, within 2 of 255, in each format")
  func png() throws { try compare(Self.ofPNG) }

  @Test(
    "V21 a JPEG, WebP or AVIF background has the colours that Chromium shows, within 2 of 255, in each format"
  )
  func others() throws { try compare(try ofOthers()) }

  /// Programs interpolate tables in different ways, and Chromium 156 mixes inks before it converts them, so that black is lost: what
  /// the tables say is computed here.
  @Test("V21 colours of a table, and of inks, are those that the table says, within 2 of 255")
  func tables() throws {
    let profile = ProfileWriter.table(3, space: "RGB ", corners: Self.corners)
    let colors = Sample("table", ColorSamples.png([ColorSamples.iCCP(profile)]))
    try expect(
      colors,
      ColorSamples.colors.map { ProfileWriter.color($0.map { Double($0) / 255 }, between: Self.corners) })
    let inks: [[UInt8]] = [
      [0, 0, 0, 0], [255, 0, 0, 0], [0, 255, 0, 0], [0, 0, 180, 0], [0, 0, 0, 255], [0, 0, 0, 128],
      [90, 60, 0, 30], [0, 40, 200, 100],
    ]
    let row = inks.flatMap { ink in (0..<ColorSamples.side).flatMap { _ in ink } }
    let raw = try other.write((0..<ColorSamples.side).flatMap { _ in row }, "inks.cmyk")
    let file = try other.write([], "inks.jpg")
    try other.run(
      "convert", "-size", "\(ColorSamples.width)x\(ColorSamples.side)", "-depth", "8", raw.path, "-quality",
      "100",
      "-sampling-factor", "1x1", file.path)
    let plain = [UInt8](try Data(contentsOf: file))
    let four = Sample("inks", ColorSamples.withProfile(Self.press, inJPEG: plain), "jpg")
    try expect(four, inks.map { ProfileWriter.color($0.map { Double($0) / 255 }, between: Self.inks) })
    // Without its profile they are mixed.
    #expect(try !DecodedPicture(plain, scale: 1, PictureLimits()).hasOtherColors)
    let stripped = try StrippedPicture(four.bytes, PictureLimits())
    #expect(!stripped.isFourColored && stripped.mediaType == "image/jpeg")
  }

  private func expect(_ sample: Sample, _ colors: [[UInt8]]) throws {
    let drawing = try drawing(sample)
    let svg = try other.chromium(
      [drawing.as { .svg($0, embedsGlyphs: true) }.made().bytes], width: ColorSamples.width,
      height: ColorSamples.side)
    let pdf = try other.poppler(try drawing.as { .pdf($0) }.made().bytes)
    for pixels in try [drawing.pixels(), svg[0], pdf] {
      let found = ColorSamples.middles(of: pixels)
      let differences = zip(found.joined(), colors.joined()).map { abs(Int($0) - Int($1)) }
      #expect(differences.allSatisfy { $0 <= 2 }, "\(sample.name): \(found) for \(colors)")
    }
  }
}
