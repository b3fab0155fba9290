// SPDX-License-Identifier: Apache-2.0

import ArtDrawing
import ArtModel
import Foundation
import Testing

/// A line of `Fixtures/images/expected`.
struct PictureFixture: CustomTestStringConvertible {
  enum Expected {
    /// Pixels as they are stored.
    case accepted(PictureKind, width: Int, height: Int, orientation: Int, isAnimated: Bool)
    case refused(Refusal.Reason, words: String)
  }

  let name: String
  let expected: Expected

  var testDescription: String { name }
  var bytes: [UInt8] { get throws { try Self.bytes(name) } }

  static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .appendingPathComponent("../../Fixtures/images").standardizedFileURL

  static func bytes(_ name: String) throws -> [UInt8] {
    [UInt8](try Data(contentsOf: folder.appendingPathComponent(name)))
  }

  /// All lines; a line that cannot be read is one that no answer matches.
  static let all: [PictureFixture] = {
    guard let text = try? String(contentsOf: folder.appendingPathComponent("expected"), encoding: .utf8)
    else { return [] }
    return text.split(separator: "\n").filter { !$0.hasPrefix("#") }.map { PictureFixture(line: String($0)) }
  }()

  static let accepted = all.filter { $0.header != nil }

  private init(line: String) {
    let words = line.split(separator: " ").map(String.init)
    name = words.first ?? ""
    let sides = words.count == 5 ? words[2].split(separator: "x").compactMap { Int($0) } : []
    if let kind = words.dropFirst().first.flatMap(PictureKind.init), sides.count == 2,
      let turn = Int(words[3])
    {
      expected = .accepted(
        kind, width: sides[0], height: sides[1], orientation: turn, isAnimated: words[4] == "animated")
    } else {
      let reason = words.dropFirst().first.flatMap(Refusal.Reason.init) ?? .badURL
      expected = .refused(reason, words: words.dropFirst(2).joined(separator: " "))
    }
  }

  /// The expected header; nil for a picture that is refused.
  var header: (kind: PictureKind, width: Int, height: Int, orientation: Int, isAnimated: Bool)? {
    guard case .accepted(let kind, let width, let height, let orientation, let isAnimated) = expected else {
      return nil
    }
    return (kind, width, height, orientation, isAnimated)
  }

  /// Whether an answer of the worker is the expected one.
  func expects(_ answer: DecodeWorker.Answer) throws -> Bool {
    switch (expected, answer) {
    case (.accepted(let kind, let width, let height, let orientation, let isAnimated), .reply(let reply)):
      let size =
        try orientation > 4 ? Canvas(width: height, height: width) : Canvas(width: width, height: height)
      return reply == .picture(mediaType: kind.mediaType, size: size, isAnimated: isAnimated)
    case (.refused(let reason, let words), .reply(.refused(let refusal))):
      return refusal.reason == reason && refusal.detail.contains(words) && !refusal.isTransient
    default: return false
    }
  }
}
