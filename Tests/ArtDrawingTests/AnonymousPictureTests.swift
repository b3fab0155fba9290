// SPDX-License-Identifier: Apache-2.0

import ArtModel
import CWorker
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
    let described = try describedAVIF([])
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

  /// An AVIF picture with EXIF and XMP of the secret, and with that colour profile, made by libavif.
  private func describedAVIF(_ profile: [UInt8]) throws -> [UInt8] {
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
    try Data(profile).write(to: folder.appending(path: "profile"))
    let profiles = profile.isEmpty ? [] : ["--icc", folder.appending(path: "profile").path]
    process.arguments =
      profiles + [
        "-s", "10", "--exif", folder.appending(path: "exif").path, "--xmp",
        folder.appending(path: "xmp").path,
        folder.appending(path: "a.png").path, folder.appending(path: "a.avif").path,
      ]
    process.standardOutput = FileHandle.nullDevice
    try process.start()
    process.waitUntilExit()
    try #require(process.terminationStatus == 0)
    return Array(try Data(contentsOf: folder.appending(path: "a.avif")))
  }

  // MARK: What no decoder reads

  private static func big(_ number: Int, _ size: Int = 4) -> [UInt8] {
    (0..<size).reversed().map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
  }

  /// A profile with these tags.
  private static func profile(_ tags: [(name: String, element: [UInt8])]) -> [UInt8] {
    var (table, elements): ([UInt8], [UInt8]) = (big(tags.count), [])
    for tag in tags {
      table += Array(tag.name.utf8) + big(128 + 4 + 12 * tags.count + elements.count) + big(tag.element.count)
      elements += tag.element
    }
    let size = big(128 + table.count + elements.count)
    let makers = [Array("makr".utf8), Array("SECR".utf8)]
    let header = [
      size, makers[0], [4, 0x30, 0, 0], Array("mntrRGB XYZ ".utf8), big(2026, 2),
      [UInt8](repeating: 7, count: 10),
      Array("acsp".utf8), Array("APPL".utf8), big(1), makers[0], makers[1], big(9) + big(2), big(0),
      big(0xF6D6) + big(0x10000) + big(0xD32D), makers[1], [UInt8](repeating: 9, count: 44),
    ]
    return header.flatMap { $0 } + table + elements
  }

  private static let transform: [(name: String, element: [UInt8])] = [
    ("wtpt", Array("XYZ ".utf8) + big(0) + big(0xF351) + big(0x10000) + big(0x116CC)),
    ("rXYZ", Array("XYZ ".utf8) + big(0) + big(0x6FA2) + big(0x38F5) + big(0x390)),
    ("rTRC", Array("para".utf8) + big(0) + big(0) + big(0x23333)),
    ("gTRC", Array("curv".utf8) + big(0) + big(1) + big(0x233, 2) + [0, 0]),
    ("A2B0", Array("mft1".utf8) + [UInt8](0..<60)),
  ]

  private static let described: [(name: String, element: [UInt8])] = [
    (
      "desc", Array("mluc".utf8) + big(0) + big(1) + big(12) + Array("enUS".utf8) + big(12) + big(28) + secret
    ),
    ("cprt", Array("text".utf8) + big(0) + secret),
    ("dmnd", Array("desc".utf8) + big(0) + big(13) + secret + [UInt8](repeating: 0, count: 79)),
    ("meta", Array("dict".utf8) + secret), ("vcgt", secret),
    // A transform, and more than its type has.
    ("bXYZ", Array("XYZ ".utf8) + big(0) + big(1) + big(2) + big(3) + secret),
    ("bTRC", Array("text".utf8) + big(0) + secret),
  ]

  @Test("V18 of a colour profile the transform stays, and nothing that names its maker, in each format")
  func profiles() throws {
    let bytes = Self.profile(Self.described + Self.transform)
    #expect(contains(bytes), "a control")
    let profile = try #require(ColorProfile.anonymous(bytes))
    #expect(profile.count == bytes.count && !contains(profile))
    #expect(ColorProfile.anonymous(profile) == profile)
    for word in ["makr", "SECR", "APPL"] {
      #expect(Data(profile).range(of: Data(word.utf8)) == nil, "\(word)")
    }
    let file = PictureBytes(profile)
    let tags = (0..<(file.big(128, 4) ?? 0)).map { 132 + 12 * $0 }
    #expect(
      tags.map { file.fourLetters($0) } == ["desc", "cprt", "bXYZ", "wtpt", "rXYZ", "rTRC", "gTRC", "A2B0"])
    let elements = tags.compactMap { tag in
      file.big(tag + 4, 4).flatMap { file.part($0, file.big(tag + 8, 4) ?? 0) }
    }
    #expect(
      Array(elements[3].slice) == Self.transform[0].element
        && Array(elements[7].slice) == Self.transform[4].element)
    #expect(elements[2].count == 20 && elements[5].count == 16 && elements[6].count == 14)
    // What is none is left out.
    for broken in [Array(bytes.prefix(140)), Array(bytes.dropLast()), bytes.map { $0 == 0x61 ? 0x62 : $0 }] {
      #expect(ColorProfile.anonymous(broken) == nil)
    }

    let packed = [UInt8](unsafeUninitializedCapacity: 4_096) { buffer, count in
      count = cpicture_deflate(bytes, bytes.count, buffer.baseAddress, 4_096)
    }
    let png = try AnonymousPicture.bytes(
      of: withChunk("iCCP", Self.secret + [0, 0] + packed, in: PictureFixture.bytes("sign.png")))
    var found: [UInt8] = []
    PNGChunks.each(PictureBytes(png)) { kind, data in
      guard kind == "iCCP" else { return }
      #expect(data.has("icc\0\0", at: 0))
      let packed = Array(data.from(5).slice)
      found = [UInt8](unsafeUninitializedCapacity: 4_096) { buffer, count in
        count = cpicture_inflate(packed, packed.count, buffer.baseAddress, 4_096)
      }
    }
    #expect(found == profile && !contains(png))
    #expect(try AnonymousPicture.bytes(of: png) == png)

    // In two parts, the second one first.
    var jpeg = try PictureFixture.bytes("sign.jpg")
    for (number, part) in [(1, bytes.prefix(200)), (2, bytes.dropFirst(200))] {
      let data = Array("ICC_PROFILE\0".utf8) + [UInt8(number), 2] + part
      jpeg.insert(contentsOf: [0xFF, 0xE2] + Self.big(data.count + 2, 2) + data, at: 2)
    }
    try expectNone(in: jpeg, "JPEG")
    let plain = try AnonymousPicture.bytes(of: jpeg)
    #expect(Data(plain).range(of: Data(Array("ICC_PROFILE\0".utf8) + [1, 1] + profile)) != nil)

    let picture = Array(try PictureFixture.bytes("sign.webp").dropFirst(12))
    for (data, isKept) in [(bytes, true), (Array(bytes.dropLast()), false)] {
      let size = (0..<4).map { UInt8(truncatingIfNeeded: data.count >> (8 * $0)) }
      let content =
        Array("WEBPVP8X".utf8) + [10, 0, 0, 0, 0x20, 0, 0, 0, 23, 0, 0, 15, 0, 0] + Array("ICCP".utf8) + size
        + data
        + [UInt8](repeating: 0, count: data.count % 2) + picture
      let webp =
        Array("RIFF".utf8) + (0..<4).map { UInt8(truncatingIfNeeded: content.count >> (8 * $0)) } + content
      try expectNone(in: webp, "WebP")
      let file = try AnonymousPicture.bytes(of: webp)
      #expect((Data(file).range(of: Data(profile)) != nil) == isKept && file[20] == (isKept ? 0x20 : 0))
    }

    let avif = try describedAVIF(bytes)
    #expect(Data(avif).range(of: Data(bytes)) != nil, "a control")
    try expectNone(in: avif, "AVIF")
    #expect(Data(try AnonymousPicture.bytes(of: avif)).range(of: Data(profile)) != nil)
  }

  @Test("V18 no bytes stay that no decoder reads: behind coded data, in tables, in frames that are not shown")
  func unread() throws {
    // Behind the compressed data, in the same chunk and in the next one.
    for name in ["sign.png", "interlaced.png"] {
      let bytes = try PictureFixture.bytes(name)
      var (planted, offset) = (Array(bytes.prefix(8)), 8)
      PNGChunks.each(PictureBytes(bytes)) { kind, data in
        let isLast = PictureBytes(bytes).fourLetters(offset + 12 + data.count + 4) != "IDAT"
        planted += chunk(kind, data.slice + (kind == "IDAT" && isLast ? Self.secret : []))
        if kind == "IDAT", isLast { planted += chunk("IDAT", Self.secret) }
        offset += 12 + data.count
      }
      try expectNone(in: planted, name)
      #expect(try AnonymousPicture.bytes(of: planted) == AnonymousPicture.bytes(of: bytes))
    }
    // Chunks with more than they define.
    for kind in ["gAMA", "pHYs", "sBIT", "bKGD", "sRGB"] {
      try expectNone(in: try withChunk(kind, Self.secret, in: PictureFixture.bytes("sign.png")), kind)
    }
    // Frames beyond those that are counted, and without a count.
    let frame = Self.big(1) + Self.big(24) + Self.big(16) + [UInt8](repeating: 0, count: 14)
    for counted in [0, 1] {
      var bytes = try PictureFixture.bytes("sign.png")
      bytes.insert(
        contentsOf: chunk("fcTL", frame) + chunk("fdAT", Self.big(2) + Self.secret), at: bytes.count - 12)
      if counted == 1 {
        bytes = try withChunk("fcTL", Self.big(0) + frame.dropFirst(4), in: bytes)
        bytes = try withChunk("acTL", Self.big(1) + Self.big(0), in: bytes)
      }
      try expectNone(in: bytes, "\(counted)")
    }
    // Tables that nothing refers to: a quantisation table 3, and a Huffman table 3 for AC.
    var jpeg = try PictureFixture.bytes("progressive.jpg")
    let table = (0..<6).flatMap { _ in Self.secret }.prefix(64)
    let codes: [UInt8] = [0x13, 0, UInt8(Self.secret.count)] + [UInt8](repeating: 0, count: 14) + Self.secret
    jpeg.insert(contentsOf: [0xFF, 0xDB, 0, 67, 3] + table, at: 2)
    jpeg.insert(contentsOf: [0xFF, 0xC4] + Self.big(codes.count + 2, 2) + codes, at: 2)
    try expectNone(in: jpeg, "JPEG")
    // Behind the last item.
    let avif = try PictureFixture.bytes("sign.avif")
    try expectNone(in: avif + Self.big(8 + Self.secret.count) + Array("mdat".utf8) + Self.secret, "AVIF")
  }

  private func chunk(_ kind: String, _ data: some Collection<UInt8>) -> [UInt8] {
    let kindAndData = Array(kind.utf8) + data
    return Self.big(data.count) + kindAndData + Self.big(Int(Mutation.crc(kindAndData[...])))
  }

  /// A PNG file with a chunk more, behind the header.
  private func withChunk(_ kind: String, _ data: some Collection<UInt8>, in bytes: [UInt8]) throws -> [UInt8]
  {
    Array(bytes.prefix(33)) + chunk(kind, data) + bytes.dropFirst(33)
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
