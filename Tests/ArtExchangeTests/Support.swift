// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport

@testable import ArtExchange
@testable import ArtModel

/// The folder `Fixtures/exchange`.
let fixtures = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
  .deletingLastPathComponent().appending(path: "Fixtures/exchange")

/// The names of the fixtures.
func fixtureNames() throws -> [String] {
  try FileManager.default.contentsOfDirectory(atPath: fixtures.path).filter { $0 != "expected" }.sorted()
}

/// The bytes of a fixture.
func fixture(_ name: String) throws -> [UInt8] {
  [UInt8](try Data(contentsOf: fixtures.appending(path: name)))
}

extension ForeignArt {
  /// Reads bytes.
  init(_ bytes: [UInt8]) throws(ArtError) {
    self = try bytes.withUnsafeBufferPointer { (buffer) throws(ArtError) in try ForeignArt(reading: buffer) }
  }

  /// Reads a string.
  init(_ text: String) throws(ArtError) { try self.init(Array(text.utf8)) }

  /// The content with a picture of that size, or without one.
  func content(
    picture: Canvas? = nil, digest: String? = nil, pending: String? = nil, seed: UInt64 = 1
  ) throws(ArtError) -> (content: DocumentContent, report: ExchangeReport) {
    var generator = SplitMix64(seed: seed)
    let checked = picture.map {
      CheckedPicture(bytes: [], mediaType: "image/png", size: $0, isAnimated: false)
    }
    return try content(
      picture: checked, digest: checked.map { _ in digest ?? String(repeating: "0", count: 32) },
      url: picture == nil ? nil : background?.url,
      pending: pending.map { ($0, 1_700_000_000_000, "offline") }, using: &generator)
  }
}

extension DocumentContent {
  /// All of the content as lines, for comparisons.
  var lines: [String] {
    var lines = ["canvas \(canvas.width)x\(canvas.height)\(fill.map { " \($0)" } ?? "")"]
    if let background {
      lines.append("picture \(background.size.width)x\(background.size.height) \(background.url ?? "")")
    }
    if let pending { lines.append("pending \(pending.anchor) \(pending.reason) \(pending.url)") }
    for emoji in emojisInOrder() {
      let place = "\(numberText(emoji.position.x)),\(numberText(emoji.position.y))"
      let style = [
        emoji.text.box.map { "caption \(numberText($0.width))x\(numberText($0.height))" },
        emoji.rotation == .zero ? nil : "\(numberText(emoji.rotation.degrees))°",
        emoji.isMirrored ? "mirrored" : nil, emoji.color.ofLetters?.description,
      ].compactMap { $0 }.map { " \($0)" }.joined()
      lines.append("emoji \(emoji.id) \(place) \(numberText(emoji.size.pixels)) \(emoji.text)\(style)")
    }
    return lines
  }
}

extension ExchangeReport {
  /// The notes, one a line.
  var lines: [String] { notes.map { "\($0.kind) \($0.code) \($0.emojis): \($0.text)" } }
}

/// A whole document in a dialect.
func written(_ content: DocumentContent, picture: [UInt8]? = nil, to dialect: Dialect) throws(ArtError)
  -> [UInt8]
{
  var bytes: [UInt8] = []
  try dialect.write(content, picture: picture) { bytes += $0 }
  return bytes
}
