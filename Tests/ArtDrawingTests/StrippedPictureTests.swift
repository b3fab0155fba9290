// SPDX-License-Identifier: Apache-2.0

import ArtModel
import Testing

@testable import ArtDrawing

@Suite struct StrippedPictureTests {
  @Test("V11 a stripped picture is a PNG or JPEG file with the same pixels, and without an orientation")
  func pixels() throws {
    for fixture in PictureFixture.accepted {
      let bytes = try fixture.bytes
      let plain = try StrippedPicture(bytes, PictureLimits())
      let file = try plain.file
      let header = try PictureHeader(file)
      #expect(header.kind.mediaType == plain.mediaType && header.orientation == 1 && !header.isAnimated)
      #expect((header.width, header.height) == (plain.width, plain.height), "\(fixture.name)")
      #expect(header.kind == .jpeg || header.kind == .png)
      let picture = try DecodedPicture(bytes, scale: 1, PictureLimits())
      #expect(plain.orientation == picture.orientation)
      #expect(try DecodedPicture(file, scale: 1, PictureLimits()).pixels == picture.pixels, "\(fixture.name)")
    }
    print("V11 plain: \(PictureFixture.accepted.count) pictures have the same pixels")
  }

  @Test("V11 a stripped picture has no metadata")
  func metadata() throws {
    let secret = Array("SECRET-PLACE".utf8)
    for name in ["sign.jpg", "progressive.jpg", "cmyk.jpg", "restarts.jpg"] {
      var bytes = try PictureFixture.bytes(name)
      let marks = [
        "Exif\0\0", "http://ns.adobe.com/xap/1.0/\0", "ICC_PROFILE\0\u{1}\u{1}", "JFXX\0\u{10}", "",
      ]
      let markers: [UInt8] = [0xE1, 0xE1, 0xE2, 0xE0, 0xFE]
      for (mark, marker) in zip(marks, markers) {
        let data = Array(mark.utf8) + secret
        bytes.insert(contentsOf: [0xFF, marker, 0, UInt8(data.count + 2)] + data, at: 2)
      }
      bytes += secret
      try expectNoMetadata(bytes, secret, name)
    }
    for name in ["sign.png", "alpha.png", "palette.png", "deep.png", "animated.png"] {
      var bytes = try PictureFixture.bytes(name)
      for kind in ["tEXt", "iTXt", "zTXt", "eXIf", "iCCP", "xxXx"] {
        let data = Array(kind.utf8) + secret
        let sum = Mutation.crc(data[...])
        let sumBytes = [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: sum >> $0) }
        bytes.insert(contentsOf: [0, 0, 0, UInt8(secret.count)] + data + sumBytes, at: 33)
      }
      try expectNoMetadata(bytes + secret, secret, name)
    }
    // A control: a part that is there is found.
    #expect(contains(try PictureFixture.bytes("sign.png"), Array("IHDR".utf8)))
  }

  @Test("a file that is no picture is not stripped but refused")
  func refused() throws {
    for fixture in PictureFixture.all where fixture.header == nil {
      let bytes = try fixture.bytes
      #expect(throws: Refusal.self, "\(fixture.name)") { try StrippedPicture(bytes, PictureLimits()) }
    }
  }

  private func expectNoMetadata(_ bytes: [UInt8], _ secret: [UInt8], _ name: String) throws {
    #expect(contains(bytes, secret))
    let file = try StrippedPicture(bytes, PictureLimits()).file
    #expect(!contains(file, secret), "\(name)")
    #expect(!contains(file, Array("Exif".utf8)), "\(name)")
    let same = try DecodedPicture(file, scale: 1, PictureLimits()).pixels
    #expect(try DecodedPicture(bytes, scale: 1, PictureLimits()).pixels == same, "\(name)")
  }

  private func contains(_ bytes: [UInt8], _ part: [UInt8]) -> Bool {
    bytes.indices.contains { bytes[$0...].starts(with: part) }
  }
}

extension StrippedPicture {
  fileprivate var file: [UInt8] {
    get throws {
      var bytes: [UInt8] = []
      try write { bytes += $0 }
      return bytes
    }
  }
}

extension DecodedPicture {
  /// Rows of red, green, blue and alpha, without padding.
  var pixels: [UInt8] {
    withPixels { bytes in
      (0..<height).flatMap { y in
        (0..<width).flatMap { x in
          (0..<4).map { $0 < channels ? bytes[y * stride + x * channels + $0] : 255 }
        }
      }
    }
  }
}
