// SPDX-License-Identifier: Apache-2.0

import ArtModel
import Foundation
import TestSupport
import Testing

/// Pictures of 6000 x 4000 pixels, the limit, in a worker with the memory that emojiart gives it.
@Suite struct MemoryTests {
  @Test(
    "B3 the largest pictures are decoded within the worker's memory or refused as too many pixels, and the worker goes on"
  )
  func largest() throws {
    guard !AddressSanitizer.prevents("B3 the memory of the largest pictures") else { return }
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("large-\(UUID())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer {
      // A folder that cannot be removed fails no test.
      try? FileManager.default.removeItem(at: folder)
    }
    let tools = try OtherDecoder()
    func made(_ name: String, _ words: String...) throws -> [UInt8] {
      let path = folder.appendingPathComponent(name).path
      let source = ["-size", "6000x4000", "gradient:orange-navy"]
      #expect(try tools.run("convert", arguments: source + words + [path]).status == 0)
      return [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
    }
    func converted(
      _ name: String, _ program: String, _ words: String..., source: String = "plain.png"
    ) throws -> [UInt8] {
      let path = folder.appendingPathComponent(name).path
      #expect(
        try tools.run(
          program,
          arguments: words + [folder.appendingPathComponent(source).path]
            + (program == "cwebp" ? ["-o", path] : [path])
        ).status == 0)
      return [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
    }
    let alpha = ["-alpha", "set", "-channel", "A", "-evaluate", "set", "50%"]
    let plain = try made("plain.png", "-define", "png:compression-level=1")
    let seeThrough = try tools.run(
      "convert",
      arguments: [folder.appendingPathComponent("plain.png").path] + alpha + [
        "-define", "png:compression-level=1", "PNG32:" + folder.appendingPathComponent("alpha.png").path,
      ])
    #expect(seeThrough.status == 0)
    try expect(plain, isAccepted: true, "PNG")
    try expect(
      [UInt8](try Data(contentsOf: folder.appendingPathComponent("alpha.png"))), isAccepted: true,
      "PNG with alpha")
    try expect(try made("plain.jpg"), isAccepted: true, "JPEG")
    try expect(
      try made("progressive.jpg", "-sampling-factor", "1x1", "-interlace", "JPEG"), isAccepted: true,
      "progressive JPEG")
    try expect(
      try made("cmyk.jpg", "-colorspace", "CMYK", "-sampling-factor", "1x1", "-interlace", "JPEG"),
      isAccepted: false,
      "progressive JPEG of four colours")
    try expect(try made("plain.gif", "-colors", "16"), isAccepted: true, "GIF")
    try expect(try converted("plain.webp", "cwebp", "-quiet", "-m", "0"), isAccepted: true, "WebP")
    try expect(
      try converted("lossless.webp", "cwebp", "-quiet", "-lossless", "-z", "0"), isAccepted: true,
      "lossless WebP")
    try expect(try converted("plain.avif", "avifenc", "-s", "10", "-j", "2"), isAccepted: true, "AVIF")
    try expect(
      try converted(
        "deep.avif", "avifenc", "-s", "10", "-j", "2", "-d", "10", "--irot", "1", source: "alpha.png"),
      isAccepted: false,
      "AVIF with alpha, 10 bits, turned")
  }

  private func expect(_ bytes: [UInt8], isAccepted: Bool, _ name: String) throws {
    let worker = try DecodeWorker()
    let before = try worker.status("VmPeak")
    let answer = worker.ask(bytes)
    if isAccepted {
      #expect(answer.picture != nil, "\(name): \(answer)")
    } else {
      #expect(answer.refusal?.reason == .tooManyPixels, "\(name): \(answer)")
      #expect(answer.refusal?.detail.contains("memory") == true)
    }
    print(
      "B3 memory, \(name): \(try worker.status("VmPeak") >> 10) MiB of address space, \(before >> 10) before"
    )
    #expect(worker.ask(try PictureFixture.bytes("sign.webp")).picture != nil, "\(name)")
  }
}
