// SPDX-License-Identifier: Apache-2.0

import ArtModel
import CWorker
import Glibc
import TestSupport
import Testing

@testable import ArtDrawing

/// Glyphs that are drawn more than twice as large as the font has them.
@Suite struct EnlargingTests {
  /// A picture by chance: some of it transparent, the rest of a few colours.
  private static func picture(_ width: Int, _ height: Int, seed: UInt64) throws -> PixelBuffer {
    var random = SplitMix64(seed: seed)
    let result = try PixelBuffer(width: width, height: height)
    for pixel in 0..<width * height {
      let alpha = [0, 255, 255, 128, random.below(256)][random.below(5)]
      for channel in 0..<3 { result.pixels[4 * pixel + channel] = UInt8(random.below(alpha + 1)) }
      result.pixels[4 * pixel + 3] = UInt8(alpha)
    }
    return result
  }

  private static func value(_ picture: PixelBuffer, _ x: Int, _ y: Int, _ channel: Int) -> Double {
    guard (0..<picture.width).contains(x), (0..<picture.height).contains(y) else { return 0 }
    return Double(picture.pixels[4 * (y * picture.width + x) + channel])
  }

  /// Lanczos's kernel as the textbook has it.
  private static func lanczos(_ x: Double) -> Double {
    if x == 0 { return 1 }
    guard abs(x) < 3 else { return 0 }
    return 3 * sin(.pi * x) * sin(.pi * x / 3) / (.pi * .pi * x * x)
  }

  @Test("a doubled picture is that of Lanczos's kernel, within the four nearest pixels and the alpha")
  func kernel() throws {
    for (width, height) in [(1, 1), (2, 3), (17, 9), (9, 17)] {
      let picture = try Self.picture(width, height, seed: UInt64(90 + width))
      let large = try picture.doubled()
      #expect((large.width, large.height) == (2 * width, 2 * height))
      var furthest = 0.0
      for y in 0..<large.height {
        for x in 0..<large.width {
          let at = (x: (Double(x) + 0.5) / 2 - 0.5, y: (Double(y) + 0.5) / 2 - 0.5)
          let (left, top) = (Int(at.x.rounded(.down)), Int(at.y.rounded(.down)))
          let values = (0..<4).map { channel in
            var (sum, weights) = (0.0, 0.0)
            for row in top - 2...top + 3 {
              for column in left - 2...left + 3 {
                let weight = Self.lanczos(at.x - Double(column)) * Self.lanczos(at.y - Double(row))
                sum += weight * Self.value(picture, column, row, channel)
                weights += weight
              }
            }
            let near = [(0, 0), (1, 0), (0, 1), (1, 1)].map {
              Self.value(picture, left + $0.0, top + $0.1, channel)
            }
            return min(max(sum / weights, near.min() ?? 0), near.max() ?? 0)
          }
          for channel in 0..<4 {
            let expected = min(values[channel], values[3])
            furthest = max(
              furthest, abs(expected - Double(large.pixels[4 * (y * large.width + x) + channel])))
          }
        }
      }
      print("doubled \(width) x \(height): at most \(furthest) beside")
      #expect(furthest < 1.5)
    }
  }

  @Test("an edge that is doubled is narrower than one that is interpolated between two pixels")
  func edge() throws {
    let picture = try PixelBuffer(width: 16, height: 8)
    for y in 0..<8 {
      for x in 8..<16 { for channel in 0..<4 { picture.pixels[4 * (16 * y + x) + channel] = 255 } }
    }
    let large = try picture.doubled()
    let row = (0..<32).map { Int(large.pixels[4 * (32 * 8 + $0)]) }
    // Interpolation gives 64 and 191.
    #expect(row[15] < 58 && row[16] > 197, "\(row[12..<20])")
    #expect(row[..<15].allSatisfy { $0 == 0 } && row[17..<31].allSatisfy { $0 == 255 })
  }

  @Test("V5 a part of a drawing with enlarged emoji has the pixels that the whole has there")
  func parts() throws {
    var scene = DrawingScene(canvas: try Canvas(width: 500, height: 400), labels: [], picture: nil)
    for (text, x, size) in [("🐝", 100.0, 230.0), ("🌸", 250, 460), ("🦒", 400, 100)] {
      scene.labels.append(try Scenes.label(text, x, 200, size))
    }
    scene.labels[1].rotation = try Rotation(degrees: 33)
    let whole = try Drawing(scene) { .png($0) }.pixels()
    var part = try Drawing(scene) { .png($0) }
    part.region = try CanvasRect(x: 120, y: 70, width: 200, height: 150)
    part.format = .png(try PixelSize(width: 200, height: 150))
    let pixels = try part.pixels()
    for y in 0..<150 {
      for x in stride(from: 0, to: 200, by: 7) where pixels[x, y] != whole[x + 120, y + 70] {
        Issue.record("\(x),\(y)")
        return
      }
    }
  }
}
