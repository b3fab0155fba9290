// SPDX-License-Identifier: Apache-2.0

import ArtModel
import Foundation
import TestSupport
import Testing

@testable import ArtDrawing

@Suite struct AnonymousPictureTests {
  private static let secret = Array("SECRET-PLACE".utf8)

  @Test("V17 a picture without what it says of its maker has the same header and the same pixels")
  func pixels() throws {
    for fixture in PictureFixture.accepted {
      let bytes = try fixture.bytes
      let file = try AnonymousPicture.bytes(of: bytes)
      #expect(try PictureHeader(file) == PictureHeader(bytes), "\(fixture.name)")
      let (before, after) = (
        try DecodedPicture(bytes, scale: 1, PictureLimits()),
        try DecodedPicture(file, scale: 1, PictureLimits())
      )
      #expect(after.pixels == before.pixels && after.orientation == before.orientation, "\(fixture.name)")
      #expect(try AnonymousPicture.bytes(of: file) == file, "\(fixture.name): once more changes nothing")
    }
    print("V17 pictures: \(PictureFixture.accepted.count)")
  }

  @Test("V17 no metadata is left in it, of each format and kind")
  func metadata() throws {
    var count = 0
    for name in ["sign.jpg", "progressive.jpg", "cmyk.jpg"] {
      var bytes = try PictureFixture.bytes(name)
      for (marker, mark) in [
        (0xE1, "Exif\0\0"), (0xE1, "http://ns.adobe.com/xap/1.0/\0"), (0xE2, "MPF\0"), (0xE0, "JFXX\0\u{10}"),
        (0xED, "Photoshop 3.0\0"), (0xFE, ""),
      ] {
        let data = Array(mark.utf8) + Self.secret
        bytes.insert(
          contentsOf: [0xFF, UInt8(truncatingIfNeeded: marker), 0, UInt8(data.count + 2)] + data, at: 2)
        count += 1
      }
      try expectNone(in: bytes + Self.secret, name)
    }
    for name in ["sign.png", "alpha.png", "palette.png", "animated.png"] {
      var bytes = try PictureFixture.bytes(name)
      for kind in ["tEXt", "iTXt", "zTXt", "eXIf", "tIME", "xxXx"] {
        let data = Array(kind.utf8) + Self.secret
        let sum = Mutation.crc(data[...])
        let sumBytes = [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: sum >> $0) }
        bytes.insert(contentsOf: [0, 0, 0, UInt8(Self.secret.count)] + data + sumBytes, at: 33)
        count += 1
      }
      try expectNone(in: bytes + Self.secret, name)
    }
    for fixture in PictureFixture.accepted where fixture.header?.kind == .gif {
      var bytes = try fixture.bytes
      let start = GIFFrames(PictureBytes(bytes)).start
      let text = [UInt8(Self.secret.count)] + Self.secret + [0]
      bytes.insert(
        contentsOf: [0x21, 0xFE] + text + [0x21, 0xFF, 11] + Array("XMP DataXMP".utf8) + text, at: start)
      count += 2
      try expectNone(in: bytes + Self.secret, fixture.name)
    }
    for fixture in PictureFixture.accepted where fixture.header?.kind == .webp {
      let bytes = try fixture.bytes
      let chunks = ["EXIF", "XMP ", "xxxx"].flatMap { kind -> [UInt8] in
        Array(kind.utf8) + [12, 0, 0, 0] + Self.secret
      }
      count += 3
      var planted = bytes + chunks
      // The size of the file, without what stands before it.
      for index in 0..<4 {
        planted[4 + index] = UInt8(truncatingIfNeeded: (planted.count - 8) >> (8 * index))
      }
      try expectNone(in: planted, fixture.name)
    }
    let described = try describedAVIF()
    try expectNone(in: described, "AVIF")
    // A box of another kind, such as programs put at the end, and what follows the last box.
    let box = [0, 0, 0, 20] + Array("sefd".utf8) + Self.secret
    try expectNone(in: described + box, "AVIF with a trailer")
    try animatedTimes()
    print("V17 planted: \(count + 2)")
  }

  /// The times in an animated AVIF are taken out, in each box that has them.
  private func animatedTimes() throws {
    let bytes = try PictureFixture.accepted.first {
      $0.header?.kind == .avif && $0.header?.isAnimated == true
    }?.bytes
    var dated = try #require(bytes)
    let stamp: [UInt8] = [0xE1, 0xD2, 0xC3, 0xB4]
    var count = 0
    for kind in ["mvhd", "tkhd", "mdhd"] {
      guard let place = Data(dated).range(of: Data(kind.utf8))?.lowerBound else { continue }
      dated.replaceSubrange(place + 8..<place + 12, with: stamp)
      count += 1
    }
    #expect(count == 3, "a control")
    let file = try AnonymousPicture.bytes(of: dated)
    #expect(Data(file).range(of: Data(stamp)) == nil)
    #expect(try PictureHeader(file) == PictureHeader(dated))
  }

  /// An AVIF picture with EXIF and XMP of the secret, made by libavif.
  private func describedAVIF() throws -> [UInt8] {
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
    defer { try? FileManager.default.removeItem(at: folder) }
    let source = PictureFixture.accepted.first { $0.name == "sign.png" }
    try Data(try #require(source).bytes).write(to: folder.appending(path: "a.png"))
    // A directory with one entry, a text (Exif 2.32, 4.6.2).
    let text = Self.secret + [0]
    let exif =
      Array("MM".utf8) + [
        0, 0x2A, 0, 0, 0, 8, 0, 1, 0x01, 0x0E, 0, 2, 0, 0, 0, UInt8(text.count), 0, 0, 0, 26, 0, 0, 0, 0,
      ] + text
    try Data(exif).write(to: folder.appending(path: "exif"))
    try Data("<x:xmpmeta xmlns:x='adobe:ns:meta/'>SECRET-PLACE</x:xmpmeta>".utf8).write(
      to: folder.appending(path: "xmp"))
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/avifenc")
    process.arguments = [
      "-s", "10", "--exif", folder.appending(path: "exif").path, "--xmp", folder.appending(path: "xmp").path,
      folder.appending(path: "a.png").path, folder.appending(path: "a.avif").path,
    ]
    process.standardOutput = FileHandle.nullDevice
    try process.start()
    process.waitUntilExit()
    try #require(process.terminationStatus == 0)
    return Array(try Data(contentsOf: folder.appending(path: "a.avif")))
  }

  private func expectNone(in bytes: [UInt8], _ name: String) throws {
    #expect(contains(bytes), "\(name): a control")
    let file = try AnonymousPicture.bytes(of: bytes)
    #expect(!contains(file), "\(name)")
    #expect(
      try DecodedPicture(file, scale: 1, PictureLimits()).pixels
        == DecodedPicture(bytes, scale: 1, PictureLimits()).pixels, "\(name)")
  }

  private func contains(_ bytes: [UInt8]) -> Bool { Data(bytes).range(of: Data(Self.secret)) != nil }
}
