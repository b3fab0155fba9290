// SPDX-License-Identifier: Apache-2.0

import ArtModel
import Foundation
import TestSupport
import Testing

@testable import ArtDrawing

/// What files say of their colours, and what is embedded of a picture with a profile.
@Suite struct ColorFileTests {
  private static let secret = Array("SECRET-PLACE".utf8)
  private static let p3 = ProfileWriter.rgb(ProfileWriter.displayP3, .sRGB)

  private func files(of picture: [UInt8]?) throws -> [(name: String, bytes: [UInt8])] {
    let canvas = try Canvas(width: ColorSamples.width, height: ColorSamples.side)
    let drawing = try Drawing(DrawingScene(canvas: canvas, labels: [], picture: picture)) { .png($0) }
    let formats: [(String, (PixelSize) -> Drawing.Format)] = [
      ("png", { .png($0) }), ("jpg", { .jpeg($0, quality: 90) }), ("webp", { .webp($0, quality: 90) }),
      ("svg", { .svg($0, embedsGlyphs: true) }), ("pdf", { .pdf($0) }),
    ]
    return try formats.map { ($0.0, try drawing.as($0.1).made().bytes) }
  }

  @Test("V21 PNG and JPEG files say that they are of sRGB")
  func said() throws {
    let files = try files(of: nil)
    var chunks: [String: [UInt8]] = [:]
    PNGChunks.each(PictureBytes(files[0].bytes)) { chunks[$0] = Array($1.slice) }
    #expect(chunks["sRGB"] == [0] && chunks["iCCP"] == nil)
    let profile = try #require(JPEGSegments.profile(PictureBytes(files[1].bytes)))
    let (found, expected) = (elements(profile), elements(ProfileWriter.rgb(ProfileWriter.sRGB, .sRGB)))
    for name in ["rXYZ", "gXYZ", "bXYZ", "rTRC", "gTRC", "bTRC"] {
      #expect(found[name] != nil && found[name] == expected[name], "\(name)")
    }
    #expect(ColorProfile.isWhole(profile) && profile.count == 424)
    for file in files.prefix(3) {
      #expect(try !DecodedPicture(file.bytes, scale: 1, PictureLimits()).hasOtherColors, "\(file.name)")
    }
  }

  /// The elements of a profile, by the names of their tags.
  private func elements(_ profile: [UInt8]) -> [String: [UInt8]] {
    let file = PictureBytes(profile)
    var found: [String: [UInt8]] = [:]
    for tag in 0..<(file.big(128, 4) ?? 0) {
      guard let name = file.fourLetters(132 + 12 * tag), let start = file.big(136 + 12 * tag, 4),
        let size = file.big(140 + 12 * tag, 4)
      else { continue }
      found[name] = file.part(start, size).map { Array($0.slice) }
    }
    return found
  }

  @Test("V11 no file has metadata or the profile of a picture that was converted, in each format")
  func metadata() throws {
    let exif = Array("Exif\0\0".utf8) + Self.secret
    let segment = [0xFF, 0xE1] + ColorSamples.big(exif.count + 2, 2) + exif
    var jpeg = ColorSamples.withProfile(
      Self.p3, inJPEG: try stripped(try files(of: ColorSamples.png())[1].bytes))
    jpeg.insert(contentsOf: segment, at: 2)
    let text = ColorSamples.chunk("tEXt", Array("Comment\0".utf8) + Self.secret)
    let png = ColorSamples.png([ColorSamples.iCCP(Self.p3), text])
    for (name, picture) in [("JPEG", jpeg), ("PNG", png)] {
      #expect(contains(picture, Self.secret), "a control")
      let stripped = try StrippedPicture(picture, PictureLimits())
      let file = try self.stripped(picture)
      #expect(stripped.mediaType == (name == "PNG" ? "image/png" : "image/jpeg"))
      for part in [Self.secret, Array("Exif".utf8), Array(Self.p3[128...])] {
        #expect(!contains(file, part), "\(name)")
        for made in try files(of: picture) { #expect(!contains(made.bytes, part), "\(name) in \(made.name)") }
      }
      let before = try DecodedPicture(picture, scale: 1, PictureLimits())
      let after = try DecodedPicture(file, scale: 1, PictureLimits())
      #expect(before.hasOtherColors && !after.hasOtherColors)
      let most = zip(before.pixels, after.pixels).map { abs(Int($0) - Int($1)) }.max() ?? 255
      #expect(most <= (name == "PNG" ? 0 : 6), "\(name): \(most)")
    }
  }

  @Test("a picture of sRGB has the pixels that its file has, and its coded data are embedded")
  func unchanged() throws {
    let isSRGB = ProfileWriter.rgb(ProfileWriter.sRGB, .sRGB)
    let plain = ColorSamples.png()
    let tagged = ColorSamples.png([ColorSamples.iCCP(isSRGB)])
    let pixels = try [plain, tagged].map { try DecodedPicture($0, scale: 1, PictureLimits()).pixels }
    #expect(pixels[0] == pixels[1])
    #expect(try stripped(tagged) == plain)
  }

  @Test("V21 the pictures of other tests are of sRGB, and so have the pixels that they had")
  func fixtures() throws {
    for fixture in PictureFixture.accepted {
      let picture = try DecodedPicture(try fixture.bytes, scale: 1, PictureLimits())
      #expect(!picture.hasOtherColors, "\(fixture.name)")
    }
  }

  @Test("V21 a picture with a damaged profile is never refused")
  func damaged() throws {
    var random = SplitMix64(seed: 96)
    let corners = (0..<8).map { [Double($0) * 14, 0, 0] }
    let profiles = [
      Self.p3, ProfileWriter.gray(.gamma(1.8)),
      ProfileWriter.table(3, space: "RGB ", corners: corners, steps: 2),
    ]
    var converted = 0
    for turn in 0..<300 {
      var profile = profiles[turn % profiles.count]
      for _ in 0...random.below(4) {
        // The head, the tags and the numbers of the first elements.
        profile[random.below(min(profile.count, 600))] = UInt8(truncatingIfNeeded: random.below(256))
      }
      if random.below(4) == 0 { profile.removeLast(random.below(profile.count)) }
      let picture = ColorSamples.png([ColorSamples.iCCP(profile)], isGray: turn % 3 == 1)
      if try DecodedPicture(picture, scale: 1, PictureLimits()).hasOtherColors { converted += 1 }
    }
    #expect(converted > 50 && converted < 290, "\(converted)")
  }

  @Test("a profile of more than 4 MiB is not used, in each format, and one of as many is")
  func large() throws {
    func padded(_ count: Int) -> [UInt8] {
      let bytes = Self.p3 + [UInt8](repeating: 0, count: count - Self.p3.count)
      return ColorSamples.big(count) + bytes.dropFirst(4)
    }
    let plain = try files(of: ColorSamples.png())
    let (jpeg, webp) = (try stripped(plain[1].bytes), plain[2].bytes)
    for (count, isUsed) in [(PictureColors.largestProfile, true), (PictureColors.largestProfile + 1, false)] {
      let profile = padded(count)
      for picture in [
        ColorSamples.png([ColorSamples.iCCP(profile)]), ColorSamples.withProfile(profile, inJPEG: jpeg),
        ColorSamples.withProfile(profile, inWebP: webp),
      ] {
        let decoded = try DecodedPicture(picture, scale: 1, PictureLimits())
        #expect(decoded.hasOtherColors == isUsed)
      }
    }
  }

  private func stripped(_ picture: [UInt8]) throws -> [UInt8] {
    var file: [UInt8] = []
    try StrippedPicture(picture, PictureLimits()).write { file += $0 }
    return file
  }

  private func contains(_ bytes: [UInt8], _ part: [UInt8]) -> Bool {
    Data(bytes).range(of: Data(part)) != nil
  }
}
