// SPDX-License-Identifier: Apache-2.0

import ArtModel
import TestSupport
import Testing

@testable import ArtDrawing

@Suite("Encoding for a terminal with libchafa")
struct TerminalEncoderTests {
  /// A picture with smooth gradients, half of it transparent unless it is opaque.
  private func picture(_ width: Int, _ height: Int, seed: UInt64, isOpaque: Bool = true) throws -> Pixels {
    var chance = SplitMix64(seed: seed)
    let corners = (0..<12).map { _ in UInt8.random(in: 0...255, using: &chance) }
    var bytes: [UInt8] = []
    for y in 0..<height {
      for x in 0..<width {
        let (across, down) = (Double(x) / Double(width), Double(y) / Double(height))
        for channel in 0..<3 {
          let top = Double(corners[channel]) * (1 - across) + Double(corners[3 + channel]) * across
          let bottom = Double(corners[6 + channel]) * (1 - across) + Double(corners[9 + channel]) * across
          bytes.append(UInt8(top * (1 - down) + bottom * down))
        }
        bytes.append(isOpaque || across < 0.5 ? 255 : 0)
      }
    }
    return try Pixels(width: width, height: height, bytes: bytes)
  }

  private func encoded(_ pixels: Pixels, as format: Drawing.Format) throws -> [UInt8] {
    let size = try TerminalEncoder.paintedSize(format)
    #expect((size.width, size.height) == (pixels.width, pixels.height))
    var bytes: [UInt8] = []
    for pixel in stride(from: 0, to: pixels.bytes.count, by: 4) {
      let alpha = Int(pixels.bytes[pixel + 3])
      for channel in [2, 1, 0] { bytes.append(UInt8(Int(pixels.bytes[pixel + channel]) * alpha / 255)) }
      bytes.append(UInt8(alpha))
    }
    return try bytes.withUnsafeBytes {
      try TerminalEncoder.encode(pixels: $0, size: size, stride: 4 * pixels.width, as: format)
    }
  }

  @Test("sixels of any height, also with transparent parts, decode to the picture")
  func sixels() throws {
    var tried = 0
    for (width, height) in [(1, 1), (7, 5), (40, 6), (64, 47), (120, 90), (333, 200)] {
      for isOpaque in [true, false] {
        let original = try picture(width, height, seed: UInt64(width * height), isOpaque: isOpaque)
        let sixels = try encoded(original, as: .sixel(PixelSize(width: width, height: height)))
        let decoded = try Pixels(sixels: sixels)
        #expect(decoded.width == width)
        #expect((height...height + 5).contains(decoded.height), "the height is rounded up to whole sixels")
        var (sum, count) = (0, 0)
        for y in 0..<height {
          for x in 0..<width where original[x, y][3] == 255 {
            for channel in 0..<3 {
              sum += abs(Int(original[x, y][channel]) - Int(decoded[x, y][channel]))
              count += 1
            }
          }
        }
        #expect(sum <= 4 * count, "\(width) x \(height): \(Double(sum) / Double(count)) of 255 on average")
        tried += 1
      }
    }
    print("sixels: \(tried) pictures decoded")
  }

  @Test("symbols decode to a picture near the original, in each kind of colours")
  func symbols() throws {
    for (colors, most) in [(TerminalColors.direct, 0.02), (.indexed, 0.06), (.eight, 0.30)] {
      let original = try picture(30 * 8, 12 * 16, seed: 3)
      let text = try encoded(original, as: .symbols(columns: 30, rows: 12, colors))
      let screen = try SymbolScreen(String(decoding: text, as: UTF8.self))
      #expect(screen.rows.count == 12)
      #expect(screen.rows.allSatisfy { $0.count <= 30 })
      let decoded = try screen.pixels(columns: 30, rows: 0..<12)
      let distance = try #require(decoded.distance(to: original))
      print("symbols, \(colors): distance \(distance.mean)")
      #expect(distance.mean <= most, "\(colors)")
      let other = try picture(30 * 8, 12 * 16, seed: 4)
      #expect(try #require(decoded.distance(to: other)).mean > most, "another picture is further away")
    }
  }

  @Test("a size beyond any terminal is refused")
  func tooLarge() throws {
    let formats: [Drawing.Format] = [
      .sixel(try PixelSize(width: 10_000_000, height: 10_000_000)), .symbols(columns: 0, rows: 1, .direct),
      .symbols(columns: .max, rows: .max, .direct), .symbols(columns: 1_000, rows: 1_000, .eight),
      .png(try PixelSize(width: 1, height: 1)),
    ]
    for format in formats { #expect(throws: DrawingRefusal.self) { try TerminalEncoder.paintedSize(format) } }
    #expect(try TerminalEncoder.paintedSize(.symbols(columns: 500, rows: 120, .direct)).width == 4_000)
  }
}
