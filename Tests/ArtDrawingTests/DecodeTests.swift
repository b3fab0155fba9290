// SPDX-License-Identifier: Apache-2.0

import ArtModel
import TestSupport
import Testing

@testable import ArtDrawing

/// Pictures are decoded in the worker, under the same limit on memory as in use.
@Suite struct DecodeTests {
  @Test("B2 each picture is accepted with its size, and each other file is refused with its reason")
  func table() throws {
    let worker = try DecodeWorker()
    for fixture in PictureFixture.all {
      let answer = worker.ask(try fixture.bytes)
      #expect(try fixture.expects(answer), "\(fixture.name): \(answer)")
    }
    // A control: another picture does not match the expectation.
    let grey = try #require(PictureFixture.all.first { $0.name == "grey.png" })
    #expect(try !grey.expects(worker.ask(try PictureFixture.bytes("sign.png"))))
    print(
      "B2 pictures: \(PictureFixture.accepted.count) taken, \(PictureFixture.all.count - PictureFixture.accepted.count) refused"
    )
  }

  @Test("B2 a picture over a limit is refused by its header")
  func limits() throws {
    // The picture has 800 x 600 pixels.
    let bytes = try PictureFixture.bytes("meadow.webp")
    let pixels = PictureLimits(pixels: 479_999)
    let side = PictureLimits(side: 799)
    let length = PictureLimits(bytes: bytes.count - 1)
    #expect(refusal(bytes, pixels)?.reason == .tooManyPixels)
    #expect(refusal(bytes, pixels)?.detail.contains("800 x 600") == true)
    #expect(refusal(bytes, side)?.reason == .tooManyPixels)
    #expect(refusal(bytes, length)?.reason == .tooBig)
    #expect(refusal(bytes, PictureLimits(bytes: bytes.count, pixels: 480_000, side: 800)) == nil)
    // The first frame of a GIF may be larger than its canvas.
    var gif = try PictureFixture.bytes("sign.gif")
    let frame = try #require(gif.indices.first { gif[$0...].starts(with: [0x2C, 0, 0, 0, 0]) })
    gif.replaceSubrange(frame + 5..<frame + 9, with: [255, 255, 255, 255])
    #expect(refusal(gif, PictureLimits())?.reason == .tooManyPixels)
    // The stored picture of an AVIF may be larger than what is shown of it.
    var avif = try PictureFixture.bytes("cropped.avif")
    let size = try #require(avif.indices.first { avif[$0...].starts(with: Array("ispe".utf8)) })
    avif.replaceSubrange(size + 8..<size + 16, with: [0, 0, 64, 0, 0, 0, 64, 0])
    #expect(refusal(avif, PictureLimits())?.reason == .tooManyPixels)
    #expect(refusal(avif, PictureLimits())?.detail.contains("16384 x 16384") == true)
  }

  private func refusal(_ bytes: [UInt8], _ limits: PictureLimits) -> Refusal? {
    do {
      _ = try PictureCheck.run(bytes, limits)
      return nil
    } catch {
      return error
    }
  }

  @Test(
    "B2 a picture that is cut at any length is refused",
    arguments: [
      "sign.png", "sign.jpg", "progressive.jpg", "sign.gif", "lossy.webp", "sign.webp", "sign.avif",
      "animated.webp",
    ])
  func cuts(_ name: String) throws {
    let worker = try DecodeWorker()
    let whole = try PictureFixture.bytes(name)
    // A GIF without its end mark is accepted.
    for length in 0..<(name.hasSuffix(".gif") ? whole.count - 1 : whole.count) {
      let answer = worker.ask(Array(whole[..<length]))
      #expect(answer.refusal?.reason == .notAnImage, "\(name) of \(length) bytes: \(answer)")
    }
    #expect(worker.ask(whole).picture != nil)
    print("B2 cuts: \(whole.count) of \(name), all refused")
  }

  @Test("B1 the size of an animation is that of its canvas, and a first frame beyond the canvas is refused")
  func animations() throws {
    let worker = try DecodeWorker()
    for name in [
      "animated.gif", "animated.png", "animated.webp", "animated.avif", "offset.gif", "offset.webp",
    ] {
      let kind = try PictureHeader(try PictureFixture.bytes(name)).kind
      let expected = WorkerReply.picture(
        mediaType: kind.mediaType, size: try Canvas(width: 24, height: 16), isAnimated: true)
      #expect(worker.ask(try PictureFixture.bytes(name)) == .reply(expected))
    }
    // A first frame that lies partly outside of the canvas.
    var bytes = try PictureFixture.bytes("offset.webp")
    let frame = try #require(bytes.indices.first { bytes[$0...].starts(with: Array("ANMF".utf8)) })
    bytes[frame + 8] = 12
    #expect(worker.ask(bytes).refusal?.reason == .notAnImage)
  }

  @Test("G6 a worker decodes only the kinds that it was started for, and opens only their libraries")
  func kinds() throws {
    let worker = try DecodeWorker([.png])
    #expect(worker.ask(try PictureFixture.bytes("sign.png")).picture != nil)
    // Texts by which other programs recognise their kinds.
    let foreign = [
      "P6 1 1 255 abc", "BMxxxx", "<svg xmlns='http://www.w3.org/2000/svg'/>", "/* XPM */", "icns", "GIF8",
    ]
    for text in foreign { #expect(worker.ask(Array(text.utf8)).refusal?.reason == .notAnImage) }
    for name in ["sign.jpg", "sign.gif", "sign.webp", "sign.avif"] {
      let refusal = worker.ask(try PictureFixture.bytes(name)).refusal
      #expect(refusal?.reason == .notAnImage && refusal?.isTransient == true, "\(name)")
    }
    #expect(try worker.mapped.allSatisfy { !$0.hasPrefix("libavif") })
    let other = try DecodeWorker([.avif])
    #expect(other.ask(try PictureFixture.bytes("sign.avif")).picture != nil)
    #expect(try other.mapped.contains { $0.hasPrefix("libavif") })
  }

  @Test("G6 a picture whose library is missing is refused for now, with the name of the package")
  func missingLibrary() throws {
    let worker = try DecodeWorker(hidesLibraries: true)
    let refusal = try #require(worker.ask(try PictureFixture.bytes("sign.avif")).refusal)
    #expect(refusal.reason == .notAnImage && refusal.isTransient && refusal.detail.contains("libavif"))
    for name in ["sign.png", "sign.jpg", "sign.gif", "sign.webp"] {
      #expect(worker.ask(try PictureFixture.bytes(name)).picture != nil, "\(name)")
    }
  }

  @Test("warnings of the libraries are not written to standard error")
  func silence() throws {
    let worker = try DecodeWorker()
    let sources = try PictureFixture.accepted.map { try $0.bytes }
    var random = SplitMix64(seed: 11)
    for _ in 0..<1000 { _ = worker.ask(Mutation.any(of: sources, using: &random)) }
    #expect(try worker.errorOutput() == "")
  }
}
