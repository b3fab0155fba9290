// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtWorker

extension Renderer {
  /// What the fonts of this machine lack of texts, as a drawing of them would report it; nil where nothing can be drawn. Only texts with
  /// `EmojiText.mayBeLacking` are tried, by one helper process; without such a text none is started. `font` is the path of the colour
  /// font; nil for the one that is found.
  public func lacking(_ texts: [EmojiText], font: String?) async -> Drawn? {
    let tried = texts.filter(\.mayBeLacking)
    guard !tried.isEmpty else { return Drawn() }
    guard let place = try? Point(x: 0, y: 0), let size = try? PixelSize(width: 1, height: 1) else {
      return nil
    }
    let labels = tried.map { DrawingScene.Label(text: $0, position: place, size: .standard) }
    let scene = DrawingScene(canvas: .standard, labels: labels, picture: nil)
    let drawing = Drawing(
      scene: scene, region: CanvasRect(.standard), format: .png(size), font: EmojiFont.find(font))
    return try? await draw(drawing) { _ in true }
  }
}
