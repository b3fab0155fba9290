// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import ArtWeb

@Suite struct InkedPictureTests {
  private static let mark = Array("ICC_PROFILE\0\u{1}\u{1}".utf8)

  static func bytes(_ name: String) throws -> [UInt8] {
    let images = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../Fixtures/images")
    return [UInt8](try Data(contentsOf: images.appending(path: name)))
  }

  /// A JPEG file with a profile, which may be of anything.
  static func profiled(_ file: [UInt8], _ profile: [UInt8] = Array("no profile".utf8)) -> [UInt8] {
    let data = mark + profile
    let size = data.count + 2
    return Array(file.prefix(2)) + [0xFF, 0xE2, UInt8(size >> 8), UInt8(size & 0xFF)] + data
      + file.dropFirst(2)
  }

  @Test("V21 a JPEG of inks with a profile is found, and nothing else")
  func found() throws {
    let (inks, colors) = (try Self.bytes("cmyk.jpg"), try Self.bytes("sign.jpg"))
    #expect(InkedPicture.isOne(Self.profiled(inks)))
    let others = try [inks, colors, Self.profiled(colors), Self.bytes("sign.png"), [], [0xFF, 0xD8]]
    for other in others { #expect(!InkedPicture.isOne(other)) }
    // Cut anywhere before its scan, and with any byte of its beginning changed, it does not end the program.
    let whole = Self.profiled(inks)
    for end in 0..<200 { _ = InkedPicture.isOne(Array(whole.prefix(end))) }
    for index in 0..<200 {
      var changed = whole
      for byte: UInt8 in [0, 1, 0xFF] {
        changed[index] = byte
        _ = InkedPicture.isOne(changed)
      }
    }
  }
}
