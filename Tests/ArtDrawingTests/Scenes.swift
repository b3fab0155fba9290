// SPDX-License-Identifier: Apache-2.0

import ArtDrawing
import ArtModel
import Foundation
import TestSupport

/// Scenes for the vector formats.
enum Scenes {
  static let font = "/usr/share/fonts/truetype/noto/NotoColorEmoji.ttf"
  static let texts = [
    "🐝", "🌻", "🚀", "👩‍🚀", "🏳️‍🌈", "❤️", "🍓", "🎈", "👍🏽", "🇪🇺", "1️⃣", "🦋🦋", "🌊🐬🌊", "😀", "🌍", "🔥",
  ]

  static func picture(_ name: String) throws -> [UInt8] {
    let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    return [UInt8](try Data(contentsOf: folder.appendingPathComponent("../../Fixtures/images/\(name)")))
  }

  static func label(_ text: String, _ x: Double, _ y: Double, _ size: Double) throws -> DrawingScene.Label {
    DrawingScene.Label(text: try EmojiText(text), position: try Point(x: x, y: y), size: try FontSize(size))
  }

  /// This many random emoji, some over the edges.
  static func scene(_ width: Int, _ height: Int, emoji: Int, seed: UInt64, picture: String? = nil) throws
    -> DrawingScene
  {
    var random = SplitMix64(seed: seed)
    let labels = try (0..<emoji).map { _ in
      try label(
        texts[random.below(texts.count)], Double(random.below(width * 8)) / 8,
        Double(random.below(height * 8)) / 8,
        [14, 24, 40, 64, 100, 160][random.below(6)])
    }
    return DrawingScene(
      canvas: try Canvas(width: width, height: height), labels: labels, picture: try picture.map(Self.picture)
    )
  }
}

extension Drawing {
  /// A drawing of a whole scene, a pixel for each of its own.
  init(_ scene: DrawingScene, _ format: (PixelSize) -> Format, isTransparent: Bool = false) throws {
    let size = try PixelSize(width: scene.canvas.width, height: scene.canvas.height)
    self.init(
      scene: scene, region: CanvasRect(scene.canvas), format: format(size), isTransparent: isTransparent,
      fonts: [Scenes.font])
  }

  /// The same drawing in another format.
  func `as`(_ format: (PixelSize) -> Format) -> Drawing {
    guard case .png(let size) = self.format else { return self }
    var other = self
    other.format = format(size)
    return other
  }

  /// The bytes of the drawing, and its report.
  func made(letterFolders: [String] = []) throws -> (bytes: [UInt8], drawn: Drawn) {
    var bytes: [UInt8] = []
    let drawn = try Renderings.draw(self, letterFolders: letterFolders) { bytes += $0 }
    return (bytes, drawn)
  }

  /// The pixels of a PNG file.
  func pixels() throws -> Pixels { try Pixels(decoding: made().bytes) }
}
