// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@testable import ArtDrawing

/// Drawings in a process of their own that has 256 MiB of address space.
@Suite("Memory of a drawing") struct DrawingMemoryTests {
  struct Case: CustomTestStringConvertible {
    var name: String
    var canvas: (Int, Int)
    var scale: Double
    var labels: [String]
    var file = "picture.png"
    /// A made font; nil for Noto's bitmaps.
    var font: String?
    var testDescription: String { name }
  }

  private static func labels(_ count: Int, _ side: Double, _ sizes: ClosedRange<Double>) -> [String] {
    let texts = ["🐝", "👩‍🚀", "🏳️‍🌈", "🌸", "🦒", "🪝", "1️⃣", "❤️"]
    var random = SplitMix64(seed: 32)
    return (0..<count).map { index in
      let x = Int.random(in: 0...Int(side), using: &random)
      let y = Int.random(in: 0...Int(side), using: &random)
      return "\(x) \(y) \(Int(Double.random(in: sizes, using: &random))) \(texts[index % texts.count])"
    }
  }

  /// All glyphs of a made font that show something, one after the other.
  private static func outlines(_ count: Int, _ side: Double, _ sizes: ClosedRange<Double>) -> [String] {
    // Without them the test of the fonts fails.
    let texts = (try? TestFonts.glyphs("paints-1").filter { $0.draws == true }.map(\.text)) ?? []
    return labels(count, side, sizes).enumerated().map { index, label in
      let numbers = label.split(separator: " ").dropLast().joined(separator: " ")
      return "\(numbers) \(texts.isEmpty ? "😀" : texts[index * 7 % texts.count])"
    }
  }

  static let cases = [
    Case(name: "nothing", canvas: (64, 64), scale: 1, labels: []),
    Case(
      name: "100,000 emoji on 100,000 x 100,000", canvas: (100_000, 100_000), scale: 0.02,
      labels: labels(100_000, 100_000, 100...1000)),
    Case(
      name: "emoji of size 100,000", canvas: (100_000, 100_000), scale: 0.03,
      labels: labels(20, 100_000, 50_000...100_000)),
    Case(
      name: "64 million pixels", canvas: (16_384, 4_096), scale: 1, labels: labels(200, 4_096, 10...400)),
    Case(name: "a very wide one", canvas: (100_000, 200), scale: 1, labels: labels(200, 100_000, 10...400)),
    Case(name: "a very high one", canvas: (200, 100_000), scale: 1, labels: labels(200, 100_000, 10...400)),
    Case(
      name: "the widest JPEG", canvas: (65_500, 4_096), scale: 1, labels: labels(2_000, 65_500, 10...400),
      file: "picture.jpg"),
    Case(
      name: "the largest WebP", canvas: (16_383, 2_048), scale: 1, labels: labels(50_000, 16_383, 10...100),
      file: "picture.webp"),
    Case(
      name: "the largest transparent WebP", canvas: (4_000, 2_500), scale: 1,
      labels: labels(20_000, 4_000, 10...100), file: "clear.webp"),
    Case(
      name: "the largest transparent WebP without loss", canvas: (3_000, 2_000), scale: 1,
      labels: labels(20_000, 3_000, 10...100), file: "clear-lossless.webp"),
    Case(
      name: "the largest transparent AVIF", canvas: (2_000, 2_000), scale: 1,
      labels: labels(20_000, 2_000, 10...100), file: "clear.avif"),
    Case(
      name: "outlines of size 100,000, with layers", canvas: (100_000, 100_000), scale: 0.03,
      labels: outlines(12, 100_000, 50_000...100_000), font: "paints-1"),
    Case(
      name: "outlines on a very wide canvas", canvas: (100_000, 200), scale: 1,
      labels: outlines(200, 100_000, 10...400), font: "paints-1"),
    Case(
      name: "outlines in PDF, those without shapes as pictures", canvas: (2_000, 2_000), scale: 1,
      labels: outlines(400, 2_000, 10...1_000), file: "outlines.pdf", font: "paints-1"),
  ]

  @Test(
    "V9 a drawing that is not refused is complete within 256 MiB of address space, however large it is",
    arguments: cases)
  func peaks(_ drawing: Case) throws {
    let (status, printed, bytes) = try draw(drawing, megabytes: 256)
    #expect(status == 0)
    #expect(printed.hasPrefix("lacking 0\n"), "\(printed)")
    print("V9: \(drawing.name): \(printed.split(separator: "\n").last ?? "") KiB")
    // The file is complete.
    if drawing.file.hasSuffix("png") { #expect(bytes.suffix(8).starts(with: Data("IEND".utf8))) }
    if drawing.file.hasSuffix("jpg") { #expect(bytes.suffix(2).elementsEqual([0xFF, 0xD9])) }
    if drawing.file.hasSuffix("webp") {
      let size = bytes.dropFirst(4).prefix(4).reversed().reduce(0) { $0 << 8 | Int($1) }
      #expect(bytes.starts(with: Data("RIFF".utf8)) && bytes.count == size + 8)
    }
  }

  @Test(
    "V9 with too little memory a drawing fails, or it has the same bytes as with enough memory"
  )
  func scarcity() throws {
    guard !AddressSanitizer.prevents("V9 a drawing with too little memory") else { return }
    let emoji = (0..<500).compactMap { Unicode.Scalar(0x1F300 + $0) }.filter(\.properties.isEmojiPresentation)
    let texts = emoji.prefix(400).map { String(Character($0)) }
    let labels = texts.enumerated().map { "\($0 % 20 * 30) \($0 / 20 * 30) 50 \($1)" }
    let drawing = Case(name: "400 emoji", canvas: (600, 600), scale: 1, labels: labels)
    let whole = try draw(drawing, megabytes: 256)
    #expect(whole.printed.hasPrefix("lacking"))
    var ends: [String: Int] = [:]
    for megabytes in stride(from: 36, to: 68, by: 2) {
      let drawn = try draw(drawing, megabytes: megabytes)
      let end =
        drawn.status != 0 ? "ended" : String(drawn.printed.prefix { !$0.isNewline && $0 != ":" && $0 != " " })
      ends[end, default: 0] += 1
      if end == "lacking" {
        #expect(drawn.bytes == whole.bytes && drawn.printed.split(separator: "\n")[0] == "lacking 0")
      }
    }
    print("V9: \(ends.sorted { $0.key < $1.key })")
    #expect(ends["lacking"] ?? 0 > 0 && ends.count > 1)
  }

  @Test("40 pages with backgrounds take as much memory as 4: each is dropped when its page is drawn")
  func pages() throws {
    guard !AddressSanitizer.prevents("the memory of 40 pages") else { return }
    // Noise, which JPEG makes large.
    var random = SplitMix64(seed: 33)
    let pixels = try PixelBuffer(width: 1_000, height: 800)
    for index in 0..<pixels.count { pixels.pixels[index] = UInt8(truncatingIfNeeded: random.next()) }
    let background = try LossyWriter.jpeg(of: pixels, quality: 95)
    #expect(background.count > 800_000)
    let drawing = Case(
      name: "pages", canvas: (1_000, 800), scale: 1, labels: ["100 100 40 🐝"], file: "pages.pdf")
    let peaks = try [4, 40].map { pages in
      let drawn = try draw(drawing, megabytes: 256, background: background, pages: pages)
      #expect(drawn.status == 0 && drawn.bytes.count > pages * background.count)
      let words = try #require(drawn.printed.split(separator: "\n").last?.split(separator: " "))
      return try #require(Int(words[1]))
    }
    print("40 pages: resident \(peaks) KiB, backgrounds of \(background.count) bytes")
    // All the backgrounds of 36 more pages have more than 28 MiB.
    #expect(peaks[1] - peaks[0] < 8_192)
  }

  /// Draws with this much address space. Gives the status, the output, and the bytes of the file.
  private func draw(
    _ drawing: Case, megabytes: Int, background: [UInt8]? = nil, pages: Int? = nil
  ) throws -> (status: Int32, printed: String, bytes: Data) {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("drawing-\(UUID())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer {
      // A folder that cannot be removed fails no test.
      try? FileManager.default.removeItem(at: folder)
    }
    let lines = folder.appendingPathComponent("lines")
    try Data(drawing.labels.joined(separator: "\n").utf8).write(to: lines)
    let picture = folder.appendingPathComponent(drawing.file)
    let own = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
    let child = own.deletingLastPathComponent().appendingPathComponent("DrawingChild").path
    let program = Process()
    let output = Pipe.unshared()
    program.executableURL = URL(fileURLWithPath: "/usr/bin/prlimit")
    program.arguments =
      AddressSanitizer.limit(mebibytes: megabytes) + [
        child, drawing.font.map(TestFonts.path) ?? Sheet.font, lines.path, "\(drawing.canvas.0)",
        "\(drawing.canvas.1)", picture.path,
        "\(drawing.scale)",
      ]
    if let background, let pages {
      let file = folder.appendingPathComponent("background")
      try Data(background).write(to: file)
      program.arguments?.append(contentsOf: [file.path, "\(pages)"])
    }
    program.standardOutput = output
    program.standardError = FileHandle.nullDevice
    program.environment = ["SWIFT_BACKTRACE": "enable=no"]
    try program.start()
    let printed = String(decoding: try output.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
    program.waitUntilExit()
    // There is no file if the memory was not enough to begin.
    let bytes = FileManager.default.fileExists(atPath: picture.path) ? try Data(contentsOf: picture) : Data()
    return (program.terminationStatus, printed, bytes)
  }
}
