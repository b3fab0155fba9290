// SPDX-License-Identifier: Apache-2.0

import ArtModel
import Foundation
import TestSupport
import Testing

@testable import ArtDrawing

/// Our pixels compared with those of ImageMagick, which has other code for most kinds.
@Suite struct DecodedPictureTests {
  @Test("V3 the pixels of every kind of picture, in their orientation, are those of another decoder")
  func pixels() throws {
    let decoder = try OtherDecoder()
    var worst = 0.0
    // The position of a frame on its canvas is tested below.
    let fixtures = PictureFixture.accepted.filter { $0.name != "offset.webp" }
    for fixture in fixtures {
      let ours = try Pixels(DecodedPicture(try fixture.bytes, scale: 1, PictureLimits()))
      let distance = try #require(ours.distance(to: try decoder.pixels(fixture.name)), "\(fixture.name)")
      // Decoders interpolate colours of half resolution differently.
      #expect(distance.mean < 0.02, "\(fixture.name): \(distance)")
      worst = max(worst, distance.mean)
    }
    print("V3 pictures: \(fixtures.count) decoded, at most \(worst) from another decoder's")
    // Controls: another orientation is further away.
    for name in ["turned-6.jpg", "turned-8.webp", "turned-2.png", "turned-5.avif"] {
      let picture = try DecodedPicture(try PictureFixture.bytes(name), scale: 1, PictureLimits())
      let other = try Pixels(picture, orientation: picture.orientation == 7 ? 8 : 7)
      let distance = try other.distance(to: decoder.pixels(name))
      #expect(distance.map { $0.mean > 0.1 } ?? true, "\(name): \(distance as Any)")
    }
  }

  @Test("V3 four colours of a JPEG are inverted only in a file with Adobe's marker")
  func fourColours() throws {
    let file = FileManager.default.temporaryDirectory.appendingPathComponent("black-\(UUID()).jpg")
    defer {
      // A file that cannot be removed fails no test.
      try? FileManager.default.removeItem(at: file)
    }
    let words = ["-size", "8x8", "xc:black", "-colorspace", "CMYK", file.path]
    #expect(try OtherDecoder().run("convert", arguments: words).status == 0)
    var bytes = [UInt8](try Data(contentsOf: file))
    #expect(try Pixels(DecodedPicture(bytes, scale: 1, PictureLimits()))[4, 4] == [0, 0, 0, 255])
    let marker = try #require(
      bytes.indices.first { bytes[$0...].starts(with: [0xFF, 0xEE, 0, 14] + Array("Adobe".utf8)) })
    // With the marker they are luminance 0, no chrominance, and a black of 0; without it no cyan, half magenta
    // and yellow, and no black.
    bytes.removeSubrange(marker..<marker + 16)
    let pixel = try Pixels(DecodedPicture(bytes, scale: 1, PictureLimits()))[4, 4]
    #expect(pixel[0] == 255 && (126...128).contains(pixel[1]) && (126...128).contains(pixel[2]), "\(pixel)")
  }

  @Test("downscaling a picture of any kind gives the mean of each area, with its sides rounded up")
  func smaller() throws {
    let decoder = try OtherDecoder()
    var tried = 0
    for fixture in PictureFixture.accepted where fixture.name.hasPrefix("meadow") {
      let (name, bytes) = (fixture.name, try fixture.bytes)
      let header = try PictureHeader(bytes)
      for scale in [0.9, 0.5, 0.37, 0.25, 0.125, 0.1, 0.013] {
        let picture = try DecodedPicture(bytes, scale: scale, PictureLimits())
        #expect(picture.width == Int((Double(header.width) * scale).rounded(.up)), "\(name) at \(scale)")
        #expect(picture.height == Int((Double(header.height) * scale).rounded(.up)), "\(name) at \(scale)")
        let other = try decoder.pixels(
          name, "-filter", "box", "-resize", "\(picture.width)x\(picture.height)!")
        let distance = try #require(try Pixels(picture).distance(to: other))
        #expect(distance.mean < 0.012, "\(name) at \(scale): \(distance)")
        tried += 1
      }
    }
    print("smaller: \(tried) pictures compared")
    // A control: a shifted picture is further away.
    let half = try Pixels(DecodedPicture(try PictureFixture.bytes("meadow.png"), scale: 0.5, PictureLimits()))
    let shifted = try decoder.pixels("meadow.png", "-roll", "+6+0", "-filter", "box", "-resize", "400x300!")
    #expect(try #require(half.distance(to: shifted)).mean > 0.012)
  }

  @Test("downscaling weights colours by alpha, and works for every kind at every scale")
  func shrinking() throws {
    // The mean of all pixels of a sign with transparent parts, weighted by alpha.
    let bytes = try PictureFixture.bytes("alpha.png")
    let whole = try Pixels(DecodedPicture(bytes, scale: 1, PictureLimits()))
    let one = try Pixels(DecodedPicture(bytes, scale: 0.001, PictureLimits()))
    #expect((one.width, one.height) == (1, 1))
    var sums = [0.0, 0, 0, 0]
    for pixel in stride(from: 0, to: whole.bytes.count, by: 4) {
      let alpha = Double(whole.bytes[pixel + 3])
      for channel in 0..<3 { sums[channel] += alpha * Double(whole.bytes[pixel + channel]) }
      sums[3] += alpha
    }
    for channel in 0..<3 { #expect(abs(Double(one[0, 0][channel]) - sums[channel] / sums[3]) <= 1) }
    #expect(abs(Double(one[0, 0][3]) - sums[3] / Double(whole.width * whole.height)) <= 1)
    var tried = 0
    for name in ["sign.png", "turned-7.jpg", "sign.gif", "offset.webp", "alpha.webp", "one.avif", "bits.png"]
    {
      for step in 1...60 {
        let picture = try DecodedPicture(
          try PictureFixture.bytes(name), scale: Double(step) / 60, PictureLimits())
        #expect(
          picture.width >= 1 && picture.height >= 1 && picture.stride >= picture.channels * picture.width)
        tried += 1
      }
    }
    print("sizes: \(tried) made")
  }

  @Test("V3 the pixels of an animation are its first frame, at its place on a transparent canvas")
  func animations() throws {
    let frame = try Pixels(DecodedPicture(try PictureFixture.bytes("offset.webp"), scale: 1, PictureLimits()))
    #expect((frame.width, frame.height) == (24, 16))
    for y in 0..<16 {
      for x in 0..<24 {
        let isInside = (4..<10).contains(x) && (2..<6).contains(y)
        #expect(frame[x, y][3] == (isInside ? 255 : 0), "\(x), \(y)")
      }
    }
  }

  @Test("a file that is no picture, or that is too large, is refused")
  func refused() throws {
    for fixture in PictureFixture.all where fixture.header == nil {
      let bytes = try fixture.bytes
      let refusal = #expect(throws: Refusal.self) {
        try DecodedPicture(bytes, scale: 0.5, PictureLimits())
      }
      #expect(refusal.map { [.notAnImage, .tooManyPixels].contains($0.reason) } == true, "\(fixture.name)")
    }
    let bytes = try PictureFixture.bytes("meadow.jpg")
    #expect(throws: Refusal.self) { try DecodedPicture(bytes, scale: 0.125, PictureLimits(pixels: 255_999)) }
  }
}

extension OtherDecoder {
  /// A fixture's first frame on its whole canvas, in its orientation, then changed by arguments of ImageMagick. ImageMagick does
  /// not rotate every kind: the first of the rotated pictures, which needs no rotation, stands for all of them.
  fileprivate func pixels(_ name: String, _ words: String...) throws -> Pixels {
    let file = FileManager.default.temporaryDirectory.appendingPathComponent("other-\(UUID()).png")
    defer {
      // A file that cannot be removed fails no test.
      try? FileManager.default.removeItem(at: file)
    }
    let seen = name.hasPrefix("turned-") ? "turned-1.png" : name
    var source = PictureFixture.folder.appendingPathComponent(seen).path + "[0]"
    if name == "alpha.avif" {
      // ImageMagick loses the alpha of AVIF.
      let whole = String(source.dropLast(3))
      source = file.path
      guard try run("avifdec", whole, source).status == 0 else { throw DecodeWorker.Failure() }
    }
    let start = ["-quiet", source, "-background", "none"]
    let words = start + (["offset.gif", "outside.gif"].contains(name) ? ["-flatten"] : []) + words
    guard try run("convert", arguments: words + ["+repage", "-depth", "8", "png32:\(file.path)"]).status == 0
    else { throw DecodeWorker.Failure() }
    return try Pixels(contentsOf: file)
  }
}

extension Pixels {
  /// The picture's pixels in its orientation, or in another one.
  fileprivate init(_ picture: DecodedPicture, orientation: Int? = nil) throws {
    let turn = orientation ?? picture.orientation
    let (right, bottom) = (picture.width - 1, picture.height - 1)
    let (width, height) = turn > 4 ? (picture.height, picture.width) : (picture.width, picture.height)
    let bytes = picture.withPixels { rows in
      var bytes: [UInt8] = []
      for y in 0..<height {
        for x in 0..<width {
          let stored =
            switch turn {
            case 2: (right - x, y)
            case 3: (right - x, bottom - y)
            case 4: (x, bottom - y)
            case 5: (y, x)
            case 6: (y, bottom - x)
            case 7: (right - y, bottom - x)
            case 8: (right - y, x)
            default: (x, y)
            }
          let start = stored.1 * picture.stride + stored.0 * picture.channels
          bytes += (0..<4).map { $0 < picture.channels ? rows[start + $0] : 255 }
        }
      }
      return bytes
    }
    try self.init(width: width, height: height, bytes: bytes)
  }
}
