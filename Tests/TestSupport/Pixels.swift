// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The pixels of a picture as ImageMagick decodes it: red, green, blue and alpha, a byte each, not premultiplied.
package struct Pixels: Sendable {
  package let width: Int
  package let height: Int
  package let bytes: [UInt8]

  /// ImageMagick could not be started, or gave other data than expected.
  package struct Trouble: Error {}

  /// Pixels of that size.
  package init(width: Int, height: Int, bytes: [UInt8]) throws {
    guard bytes.count == 4 * width * height else { throw Trouble() }
    (self.width, self.height, self.bytes) = (width, height, bytes)
  }

  /// Decodes a picture of any kind that ImageMagick knows.
  package init(decoding picture: some Sequence<UInt8>, as kind: String = "png") throws {
    let file = FileManager.default.temporaryDirectory.appendingPathComponent("pixels-\(UUID()).\(kind)")
    try Data(picture).write(to: file)
    defer {
      // A file that is left in the temporary folder fails no test.
      try? FileManager.default.removeItem(at: file)
    }
    try self.init(contentsOf: file)
  }

  /// Decodes a file.
  package init(contentsOf file: URL) throws {
    let program = Process()
    let output = Pipe.unshared()
    program.executableURL = URL(fileURLWithPath: "/usr/bin/convert")
    program.arguments = ["-quiet", file.path + "[0]", "-depth", "8", "-colorspace", "sRGB", "pam:-"]
    program.standardOutput = output
    try program.start()
    let data = try output.fileHandleForReading.readToEnd() ?? Data()
    program.waitUntilExit()
    try self.init(pam: [UInt8](data))
  }

  /// Reads the PAM format (netpbm), of one to four channels.
  private init(pam: [UInt8]) throws {
    let mark = Array("ENDHDR\n".utf8)
    guard let end = pam.indices.first(where: { pam[$0...].starts(with: mark) }) else { throw Trouble() }
    var fields: [Substring: Int] = [:]
    for line in String(decoding: pam[..<end], as: UTF8.self).split(separator: "\n") {
      let words = line.split(separator: " ")
      if words.count == 2, let value = Int(words[1]) { fields[words[0]] = value }
    }
    guard let width = fields["WIDTH"], let height = fields["HEIGHT"], let depth = fields["DEPTH"],
      fields["MAXVAL"] == 255, (1...4).contains(depth)
    else { throw Trouble() }
    let data = pam[(end + mark.count)...]
    guard data.count == width * height * depth else { throw Trouble() }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(4 * width * height)
    for pixel in stride(from: data.startIndex, to: data.endIndex, by: depth) {
      let isGray = depth < 3
      for channel in 0..<3 { bytes.append(data[pixel + (isGray ? 0 : channel)]) }
      bytes.append(depth % 2 == 0 ? data[pixel + depth - 1] : 255)
    }
    try self.init(width: width, height: height, bytes: bytes)
  }

  /// A pixel's red, green, blue and alpha.
  package subscript(x: Int, y: Int) -> [UInt8] {
    let start = 4 * (y * width + x)
    return Array(bytes[start..<start + 4])
  }

  /// The difference of two pictures with premultiplied alpha: the mean difference of a channel, 0 to 1, and the share of pixels
  /// with a channel that differs by more than a tenth. Nil when their sizes differ.
  package func distance(to other: Pixels) -> (mean: Double, different: Double)? {
    guard (width, height) == (other.width, other.height) else { return nil }
    var sum = 0
    var different = 0
    for pixel in stride(from: 0, to: bytes.count, by: 4) {
      let (alpha, otherAlpha) = (Int(bytes[pixel + 3]), Int(other.bytes[pixel + 3]))
      var most = abs(alpha - otherAlpha)
      sum += most
      for channel in pixel..<pixel + 3 {
        let difference = abs(Int(bytes[channel]) * alpha - Int(other.bytes[channel]) * otherAlpha) / 255
        sum += difference
        most = max(most, difference)
      }
      if most > 25 { different += 1 }
    }
    return (Double(sum) / 255 / Double(bytes.count), Double(different) / Double(width * height))
  }
}
