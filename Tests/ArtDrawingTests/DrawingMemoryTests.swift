// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

/// Drawings in a program of their own that may have 256 MiB of address space.
@Suite("Memory") struct DrawingMemoryTests {
  struct Case: CustomTestStringConvertible {
    var name: String
    var canvas: (Int, Int)
    var scale: Double
    var labels: [String]
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
  ]

  @Test(
    "V9 what is not refused is drawn within 256 MiB of address space, however much there is of it",
    arguments: cases)
  func peaks(_ drawing: Case) throws {
    let (status, said, bytes) = try draw(drawing, megabytes: 256)
    #expect(status == 0)
    #expect(said.hasPrefix("lacking 0\n"), "\(said)")
    print("V9: \(drawing.name): \(said.split(separator: "\n").last ?? "") KiB")
    // Its end is there.
    #expect(bytes.suffix(8).starts(with: Data("IEND".utf8)))
  }

  @Test(
    "V9 with less memory than it takes nothing is said to be drawn that is not, whole and as it is with more"
  )
  func scarcity() throws {
    let emoji = (0..<500).compactMap { Unicode.Scalar(0x1F300 + $0) }.filter(\.properties.isEmojiPresentation)
    let texts = emoji.prefix(400).map { String(Character($0)) }
    let labels = texts.enumerated().map { "\($0 % 20 * 30) \($0 / 20 * 30) 50 \($1)" }
    let drawing = Case(name: "400 emoji", canvas: (600, 600), scale: 1, labels: labels)
    let whole = try draw(drawing, megabytes: 256)
    #expect(whole.said.hasPrefix("lacking"))
    var ends: [String: Int] = [:]
    for megabytes in stride(from: 36, to: 68, by: 2) {
      let drawn = try draw(drawing, megabytes: megabytes)
      let end =
        drawn.status != 0 ? "ended" : String(drawn.said.prefix { !$0.isNewline && $0 != ":" && $0 != " " })
      ends[end, default: 0] += 1
      if end == "lacking" {
        #expect(drawn.bytes == whole.bytes && drawn.said.split(separator: "\n")[0] == "lacking 0")
      }
    }
    print("V9: \(ends.sorted { $0.key < $1.key })")
    #expect(ends["lacking"] ?? 0 > 0 && ends.count > 1)
  }

  /// Draws with so much address space. How it ended, what it said, and what it wrote.
  private func draw(_ drawing: Case, megabytes: Int) throws -> (status: Int32, said: String, bytes: Data) {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("drawing-\(UUID())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer {
      // A folder that is left behind in the temporary one fails no test.
      try? FileManager.default.removeItem(at: folder)
    }
    let lines = folder.appendingPathComponent("lines")
    try Data(drawing.labels.joined(separator: "\n").utf8).write(to: lines)
    let picture = folder.appendingPathComponent("picture.png")
    let own = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
    let child = own.deletingLastPathComponent().appendingPathComponent("DrawingChild").path
    let program = Process()
    let output = Pipe()
    program.executableURL = URL(fileURLWithPath: "/usr/bin/prlimit")
    program.arguments = [
      "--as=\(megabytes << 20)", "--core=0", "--", child, Sheet.font, lines.path, "\(drawing.canvas.0)",
      "\(drawing.canvas.1)", picture.path, "\(drawing.scale)",
    ]
    program.standardOutput = output
    program.standardError = FileHandle.nullDevice
    program.environment = ["SWIFT_BACKTRACE": "enable=no"]
    try program.run()
    let said = String(decoding: try output.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
    program.waitUntilExit()
    // Without memory for its beginning there is no file.
    let bytes = FileManager.default.fileExists(atPath: picture.path) ? try Data(contentsOf: picture) : Data()
    return (program.terminationStatus, said, bytes)
  }
}
