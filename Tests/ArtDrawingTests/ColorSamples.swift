// SPDX-License-Identifier: Apache-2.0

import CWorker
import Foundation
import TestSupport

/// Pictures of eight patches side by side, with what a file may say of its colours.
struct ColorSamples {
  static let colors: [[UInt8]] = [
    [200, 60, 40], [50, 50, 50], [10, 10, 10], [128, 200, 30], [255, 0, 0], [20, 30, 200], [90, 90, 90],
    [250, 250, 250],
  ]
  /// The side of a patch, a whole number of JPEG's blocks.
  static let side = 16
  static let width = side * colors.count

  /// A PNG file of RGB, or of the red alone as grey, with these chunks behind the header.
  static func png(_ chunks: [[UInt8]] = [], isGray: Bool = false, isDeep: Bool = false) -> [UInt8] {
    let row = colors.flatMap { color -> [UInt8] in
      let numbers = color.prefix(isGray ? 1 : 3)
      let pixel = isDeep ? numbers.flatMap { [$0, $0] } : Array(numbers)
      return (0..<side).flatMap { _ in pixel }
    }
    let data = [[UInt8]](repeating: [0] + row, count: side).flatMap { $0 }
    let header = big(width) + big(side) + [isDeep ? 16 : 8, isGray ? 0 : 2, 0, 0, 0]
    return [0x89] + Array("PNG\r\n\u{1A}\n".utf8) + chunk("IHDR", header) + chunks.flatMap { $0 }
      + chunk("IDAT", deflated(data)) + chunk("IEND", [])
  }

  static func chunk(_ kind: String, _ data: [UInt8]) -> [UInt8] {
    let body = Array(kind.utf8) + data
    return big(data.count) + body + big(Int(cpicture_checksum(body, body.count)))
  }

  static func iCCP(_ profile: [UInt8]) -> [UInt8] { chunk("iCCP", Array("x\0\0".utf8) + deflated(profile)) }
  static func cICP(_ primaries: UInt8, _ transfer: UInt8, _ matrix: UInt8 = 0, _ range: UInt8 = 1) -> [UInt8]
  {
    chunk("cICP", [primaries, transfer, matrix, range])
  }
  static func gAMA(_ gamma: Int) -> [UInt8] { chunk("gAMA", big(gamma)) }
  static func cHRM(_ points: [Int]) -> [UInt8] { chunk("cHRM", points.flatMap { big($0) }) }

  /// A JPEG file with a profile in parts of that size.
  static func withProfile(_ profile: [UInt8], part: Int = 65_000, inJPEG file: [UInt8]) -> [UInt8] {
    let starts = Array(stride(from: 0, to: profile.count, by: part))
    let segments = starts.enumerated().flatMap { index, start -> [UInt8] in
      let data =
        Array("ICC_PROFILE\0".utf8) + [UInt8(index + 1), UInt8(starts.count)] + profile[start...].prefix(part)
      return [0xFF, 0xE2] + big(data.count + 2, 2) + data
    }
    return Array(file.prefix(2)) + segments + file.dropFirst(2)
  }

  /// A WebP file with a profile, of one that is a picture alone.
  static func withProfile(_ profile: [UInt8], inWebP file: [UInt8]) -> [UInt8] {
    let sides = [width - 1, side - 1].flatMap { little($0, 3) }
    let body =
      Array("WEBPVP8X".utf8) + little(10) + [0x20, 0, 0, 0] + sides + Array("ICCP".utf8)
      + little(profile.count)
      + profile + [UInt8](repeating: 0, count: profile.count % 2) + file.dropFirst(12)
    return Array("RIFF".utf8) + little(body.count) + body
  }

  /// The colours in the middle of the patches.
  static func middles(of pixels: Pixels) -> [[UInt8]] {
    colors.indices.map { Array(pixels[$0 * side + side / 2, side / 2].prefix(3)) }
  }

  static func big(_ number: Int, _ size: Int = 4) -> [UInt8] {
    (0..<size).reversed().map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
  }

  private static func little(_ number: Int, _ size: Int = 4) -> [UInt8] { big(number, size).reversed() }

  private static func deflated(_ bytes: [UInt8]) -> [UInt8] {
    let room = bytes.count + 1000
    return [UInt8](unsafeUninitializedCapacity: room) { buffer, count in
      count = cpicture_deflate(bytes, bytes.count, buffer.baseAddress, room)
    }
  }
}
