// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtProcess
import TestSupport
import Testing

@testable import ArtWorker

@Suite("A drawing and its worker", .timeLimit(.minutes(5))) struct DrawingWorkerTests {
  @Test("V70 what is drawn comes in parts, in their order, and with what came of it")
  func parts() async throws {
    let worker = try ScriptedWorker(
      draw: "say '{\"part\":3}'; printf abc; say '{\"part\":2}'; printf de; \(ScriptedWorker.drawn)")
    let (drawn, bytes) = try await worker.renderer.draw(Self.drawing(), limit: 5)
    #expect(bytes == Array("abcde".utf8))
    #expect(drawn == Drawn(lacking: ["🐝"], lackingCount: 1, pictureFault: "why"))
    #expect(await worker.isGone())
  }

  /// A drawing of one label and a picture of two bytes.
  static func drawing() throws -> Drawing {
    let canvas = try Canvas(width: 4, height: 3)
    let label = Scene.Label(
      text: try EmojiText("🐝"), position: try Point(x: 1, y: 2.5), size: try FontSize(3))
    return Drawing(
      scene: Scene(canvas: canvas, labels: [label], picture: [1, 10]), region: Rect(canvas),
      format: .png(try PixelSize(width: 4, height: 3)), font: "/font.ttf")
  }
}
