// SPDX-License-Identifier: Apache-2.0

import ArtModel
import TestSupport
import Testing

@testable import ArtDrawing

@Suite struct HeaderTests {
  @Test(
    "B1 a picture's header gives its kind, size, orientation and whether it is animated",
    arguments: PictureFixture.accepted)
  func header(_ fixture: PictureFixture) throws {
    let expected = try #require(fixture.header)
    let header = try PictureHeader(try fixture.bytes)
    #expect(header.kind == expected.kind)
    #expect(header.width == expected.width)
    #expect(header.height == expected.height)
    #expect(header.orientation == expected.orientation)
    #expect(header.isAnimated == expected.isAnimated)
  }

  @Test("B1 the fixtures have pictures of every kind and every orientation")
  func kinds() {
    for kind in PictureKind.allCases {
      let own = PictureFixture.accepted.filter { $0.header?.kind == kind }
      #expect(own.count >= 7)
      #expect(own.contains { $0.header?.isAnimated == true } == (kind != .jpeg))
      let turns = Set(own.compactMap { $0.header?.orientation })
      #expect(turns == (kind == .gif ? [1] : Set(1...8)))
    }
    #expect(PictureFixture.all.count > PictureFixture.accepted.count + 20)
  }

  @Test("B1 the size of a picture is its size after rotation")
  func turned() throws {
    for fixture in PictureFixture.accepted where fixture.name.hasPrefix("turned-") {
      let turned = try PictureHeader(try fixture.bytes).turned
      #expect(turned == (24, 16), "\(fixture.name)")
    }
  }

  @Test("B1 an invalid orientation is ignored", arguments: [0, 9, 255, 65_535])
  func badOrientation(_ value: Int) throws {
    var bytes = try PictureFixture.bytes("turned-6.jpg")
    let tag: [UInt8] = [0x01, 0x12, 0, 3, 0, 0, 0, 1, 0, 6]
    let place = try #require(bytes.indices.first { bytes[$0...].starts(with: tag) })
    bytes[place + 8] = UInt8(value >> 8)
    bytes[place + 9] = UInt8(value & 0xFF)
    #expect(try PictureHeader(bytes).orientation == 1)
  }

  @Test("B1 the rotation and mirroring of an AVIF picture are given as EXIF's orientation")
  func avifTurns() {
    // Corners of a picture, clockwise from the top left, after a rotation against the clock and a mirroring.
    func corners(_ angle: Int, _ axis: Int?) -> [Int] {
      let turned = (0..<4).map { ($0 + angle) % 4 }
      switch axis {
      case 0: return [turned[3], turned[2], turned[1], turned[0]]
      case 1: return [turned[1], turned[0], turned[3], turned[2]]
      default: return turned
      }
    }
    // EXIF's orientations, by the positions of the stored corners.
    let exif = [
      1: [0, 1, 2, 3], 2: [1, 0, 3, 2], 3: [2, 3, 0, 1], 4: [3, 2, 1, 0], 5: [0, 3, 2, 1], 6: [3, 0, 1, 2],
      7: [2, 1, 0, 3], 8: [1, 2, 3, 0],
    ]
    for angle in 0..<4 {
      for axis in [nil, 0, 1] {
        #expect(exif[PictureHeader.orientation(angle, axis)] == corners(angle, axis))
      }
    }
  }

  @Test("B3 the header of a picture with random changes is read within its bounds, or refused")
  func mutations() throws {
    let sources = try PictureFixture.accepted.map { try $0.bytes }
    let campaign = Campaign("headers", smoke: 3_000)
    let count = campaign.count
    var read = 0
    var kinds: Set<PictureKind> = []
    for number in campaign.cases {
      var random = campaign.random(number)
      let bytes = Mutation.any(of: sources, using: &random)
      do {
        let header = try PictureHeader(bytes)
        #expect(header.width > 0 && header.height > 0 && (1...8).contains(header.orientation))
        kinds.insert(header.kind)
        read += 1
        _ = try FirstFrame.of(bytes, header, PictureLimits())
      } catch {
        #expect([.notAnImage, .tooManyPixels].contains(error.reason))
      }
    }
    print("B3 headers: \(count) mutations, \(read) read, the others refused")
    campaign.report(tried: count)
    #expect(kinds.count == 5 && read > count / 4 && read < count)
  }

  @Test("B3 a header with invalid lengths is refused")
  func lengths() {
    let type: [UInt8] = [0, 0, 0, 20] + Array("ftypavif".utf8) + [0, 0, 0, 0] + Array("avif".utf8)
    for size: [UInt8] in [[0, 0, 0, 0], [0, 0, 0, 1], [0, 0, 0, 7], [255, 255, 255, 255]] {
      for large: [UInt8] in [
        [], [0, 0, 0, 0, 0, 0, 0, 0], [255, 255, 255, 255, 255, 255, 255, 255], [0, 0, 0, 0, 0, 0, 0, 15],
      ] {
        #expect(throws: Refusal.self) { try PictureHeader(type + size + Array("meta".utf8) + large) }
      }
    }
    #expect(throws: Refusal.self) { try PictureHeader(type + Array(repeating: 0, count: 100_000)) }
    // Chunks without an end.
    let png: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
    #expect(throws: Refusal.self) { try PictureHeader(png + Array(repeating: 0, count: 100_000)) }
    #expect(throws: Refusal.self) {
      try PictureHeader([0xFF, 0xD8] + Array(repeating: 0xFF, count: 100_000))
    }
    #expect(throws: Refusal.self) { try PictureHeader(Array("RIFF\0\0\0\0WEBPVP8X".utf8)) }
  }
}
