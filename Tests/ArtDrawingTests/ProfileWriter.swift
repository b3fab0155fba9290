// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Writes colour profiles (ICC.1:2022), and wrong ones.
struct ProfileWriter {
  /// A curve from a colour's number to light.
  enum Curve {
    case sRGB
    case gamma(Double)
    case table([UInt16])

    var element: [UInt8] {
      switch self {
      case .sRGB:
        Array("para".utf8) + big(0) + [0, 3, 0, 0]
          + [2.4, 1 / 1.055, 0.055 / 1.055, 1 / 12.92, 0.04045].flatMap(fixed)
      case .gamma(let gamma): Array("para".utf8) + big(0) + [0, 0, 0, 0] + fixed(gamma)
      case .table(let values):
        Array("curv".utf8) + big(0) + big(values.count) + values.flatMap { big(Int($0), 2) }
      }
    }
  }

  /// Red, green and blue in CIE XYZ, adapted to D50.
  typealias Primaries = [[Double]]
  static let sRGB: Primaries = [
    [0.43607, 0.22249, 0.01392], [0.38515, 0.71687, 0.09708], [0.14307, 0.06061, 0.71410],
  ]
  static let displayP3: Primaries = [
    [0.51512, 0.24120, -0.00105], [0.29198, 0.69225, 0.04189], [0.15710, 0.06657, 0.78407],
  ]
  static let adobeRGB: Primaries = [
    [0.60974, 0.31111, 0.01947], [0.20528, 0.62567, 0.06087], [0.14919, 0.06322, 0.74457],
  ]
  static let swapped: Primaries = [sRGB[1], sRGB[2], sRGB[0]]

  /// A profile of three primaries and a curve.
  static func rgb(_ primaries: Primaries, _ curve: Curve) -> [UInt8] {
    let names = ["r", "g", "b"]
    return file(
      zip(names, primaries).map { ("\($0)XYZ", point($1)) } + names.map { ("\($0)TRC", curve.element) },
      space: "RGB ")
  }

  /// A profile of grey.
  static func gray(_ curve: Curve) -> [UInt8] { file([("kTRC", curve.element)], space: "GRAY") }

  /// A profile with a table of CIELAB colours, which lie evenly between those of its corners: of all channels at 0 or 1, the last channel
  /// fastest. There are steps in between, because programs interpolate in different ways.
  static func table(_ channels: Int, space: String, tag: String = "A2B0", corners: [[Double]], steps: Int = 9)
    -> [UInt8]
  {
    let grid = (0..<Int(pow(Double(steps), Double(channels)))).map { index in
      let places = (0..<channels).reversed().map { channel in
        Double(index / Int(pow(Double(steps), Double(channel))) % steps) / Double(steps - 1)
      }
      return mix(places, corners)
    }
    let ends = [0, 0xFFFF].flatMap { big($0, 2) }
    let identity = [0x10000, 0, 0, 0, 0x10000, 0, 0, 0, 0x10000].flatMap { big($0) }
    let numbers = grid.flatMap { lab -> [UInt8] in
      let coded: [Double] = [lab[0] * 652.8, (lab[1] + 128) * 256, (lab[2] + 128) * 256]
      return coded.flatMap { big(Int($0.rounded()), 2) }
    }
    let head =
      Array("mft2".utf8) + big(0) + [UInt8(channels), 3, UInt8(steps), 0] + identity + big(2, 2) + big(2, 2)
    func curves(_ count: Int) -> [UInt8] { (0..<count).flatMap { _ in ends } }
    let element = head + curves(channels) + numbers + curves(3)
    return file([(tag, element)], space: space, connection: "Lab ", version: 0x0240_0000)
  }

  /// The mean of the corners around a place.
  private static func mix(_ places: [Double], _ corners: [[Double]]) -> [Double] {
    var sum = [0.0, 0, 0]
    for (corner, lab) in corners.enumerated() {
      let shares = places.enumerated().map { channel, place in
        corner >> (places.count - 1 - channel) & 1 == 1 ? place : 1 - place
      }
      for axis in 0..<3 { sum[axis] += shares.reduce(1, *) * lab[axis] }
    }
    return sum
  }

  /// The colour of sRGB at a place of a table (CIE 15; IEC 61966-2-1).
  static func color(_ places: [Double], between corners: [[Double]]) -> [UInt8] {
    let lab = mix(places, corners)
    let y = (lab[0] + 16) / 116
    let light = zip([y + lab[1] / 500, y, y - lab[2] / 200], [0.9642, 1, 0.8249]).map { root, white in
      (root > 6.0 / 29 ? root * root * root : 108.0 / 841 * (root - 4.0 / 29)) * white
    }
    return inverse.map { row in
      let linear = min(max(zip(row, light).reduce(0) { $0 + $1.0 * $1.1 }, 0), 1)
      let coded = linear <= 0.0031308 ? 12.92 * linear : 1.055 * pow(linear, 1 / 2.4) - 0.055
      return UInt8((255 * coded).rounded())
    }
  }

  /// From CIE XYZ, adapted to D50, to linear sRGB: the inverse of `sRGB`.
  private static let inverse = [
    [3.13414, -1.61739, -0.49067], [-0.97876, 1.91615, 0.03344], [0.07195, -0.22899, 1.40539],
  ]

  /// A profile with these tags.
  static func file(
    _ tags: [(name: String, element: [UInt8])], space: String, connection: String = "XYZ ",
    version: Int = 0x0430_0000
  ) -> [UInt8] {
    let text =
      Array("mluc".utf8) + big(0) + big(1) + big(12) + Array("enUS".utf8) + big(2) + big(28) + [0, 0x78]
    let tags = [("desc", text), ("cprt", text), ("wtpt", point([0.9642, 1, 0.8249]))] + tags
    var (table, elements): ([UInt8], [UInt8]) = (big(tags.count), [])
    for (name, element) in tags {
      table += Array(name.utf8) + big(132 + 12 * tags.count + elements.count) + big(element.count)
      elements += element + [UInt8](repeating: 0, count: -element.count & 3)
    }
    let head: [[UInt8]] = [
      big(128 + table.count + elements.count), big(0), big(version), Array("mntr\(space)\(connection)".utf8),
      [2026, 1, 1, 0, 0, 0].flatMap { big($0, 2) }, Array("acsp".utf8), [UInt8](repeating: 0, count: 28),
      [0.9642, 1, 0.8249].flatMap(fixed), [UInt8](repeating: 0, count: 48),
    ]
    return head.flatMap { $0 } + table + elements
  }

  private static func point(_ values: [Double]) -> [UInt8] {
    Array("XYZ ".utf8) + big(0) + values.flatMap(fixed)
  }
}

/// A number with 16 binary places.
private func fixed(_ value: Double) -> [UInt8] { big(Int((value * 65_536).rounded())) }

private func big(_ number: Int, _ size: Int = 4) -> [UInt8] {
  (0..<size).reversed().map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
}
