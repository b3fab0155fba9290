// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtWorker
import Synchronization

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
      scene: scene, region: CanvasRect(.standard), format: .png(size), fonts: EmojiFont.find(font))
    return try? await draw(drawing) { _ in true }
  }
}

/// What the colour font of this machine can draw. Each text is tried once, as long as this lives.
public final class FontCoverage: Sendable {
  private let renderer: Renderer
  private let font: String?
  /// Whether a toned version of each emoji is tried together with it, for `untoned`: one helper process tries both.
  package let triesTones: Bool
  private let tried = Mutex<[EmojiText: Bool]>([:])

  /// Of a colour font at that path; nil for the one that is found.
  public init(font: String? = nil, triesTones: Bool = false, by renderer: Renderer = Renderer()) {
    (self.font, self.triesTones, self.renderer) = (font, triesTones, renderer)
  }

  /// Those of the texts that the font lacks. Texts that cannot be tried count as drawn.
  package func lacking(among texts: [EmojiText]) async -> Set<EmojiText> {
    let known = tried.withLock { $0 }
    await tryAll(texts.filter { $0.mayBeLacking && known[$0] == nil })
    return tried.withLock { tried in Set(texts.filter { tried[$0] == true }) }
  }

  /// A drawing reports at most `Drawn.namedTexts` lacking texts by name. If more are lacking, each half of the texts is drawn by itself.
  private func tryAll(_ texts: [EmojiText]) async {
    guard !texts.isEmpty, let drawn = await renderer.lacking(texts, font: font) else { return }
    guard drawn.lackingCount <= Drawn.namedTexts || texts.count == 1 else {
      let middle = texts.count / 2
      await tryAll(Array(texts[..<middle]))
      return await tryAll(Array(texts[middle...]))
    }
    let lacking = Set(drawn.lacking)
    tried.withLock { tried in for text in texts { tried[text] = lacking.contains(text.label) } }
  }
}
