// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtWorker
import Testing

@testable import ArtWorkspace

@Suite("Frames, services and limits of bytes", .timeLimit(.minutes(10))) struct ExportForTests {
  @Test("a drawing is centred in its frame, and as large as the margin lets it be")
  func frames() throws {
    let frame = try PixelFrame(try PixelSize(width: 512, height: 512), margin: 16)
    // 480 pixels for 240: two a pixel.
    let region = try frame.region(around: try CanvasRect(x: 10, y: 20, width: 240, height: 100))
    #expect(try region == CanvasRect(x: 2, y: -58, width: 256, height: 256))
    for margin in [-1, 256, 300, Int.max] {
      #expect(throws: ArtError.self) { try PixelFrame(frame.size, margin: margin) }
    }
    let scene = DrawingScene(canvas: .standard, labels: [], picture: nil)
    let (drawing, size) = try RenderOptions(.png, region: "0,0,50%x50%", frame: frame).drawing(of: scene)
    #expect(size == frame.size && drawing.format == .png(frame.size))
    #expect(try drawing.details.crop == CanvasRect(typed: "0,0,50%x50%", on: .standard))
    let whole = try RenderOptions(.png, frame: frame).drawing(of: scene).drawing
    #expect(whole.details.crop == nil)
  }

  @Test("a size in pixels is read as people type it")
  func sizes() throws {
    for typed in ["512x256", "512X256", "512×256", "512*256", "512px x 256px"] {
      #expect(try PixelSize(typed: typed) == PixelSize(width: 512, height: 256), "\(typed)")
    }
    for bad in ["", "512", "x512", "512x", "0x1", "512x512x512", "5.5x3", "10000001x1", "-1x1"] {
      #expect(#expect(throws: ArtError.self) { try PixelSize(typed: bad) }?.code == .badValue, "\(bad)")
    }
  }

  @Test("a number of bytes has thousands or times 1,024, as its unit says")
  func limits() throws {
    let forms: [(String, Int)] = [
      ("100", 100), ("100000", 100_000), ("100k", 100_000), ("100kB", 100_000), ("100 KB", 100_000),
      ("100KiB", 102_400), ("1.5M", 1_500_000), ("1MiB", 1_048_576), ("0.1MB", 100_000),
    ]
    for (typed, bytes) in forms {
      #expect(try BoundedDrawing.limit(typed: typed) == bytes, "\(typed)")
    }
    for bad in ["", "k", "-1k", "99", "101M", "1G", "x", "1e300", "nan"] {
      #expect(
        #expect(throws: ArtError.self) { try BoundedDrawing.limit(typed: bad) }?.code == .badValue, "\(bad)")
    }
  }

  @Test("each service is found by its name, and has a format, a size and a limit that can be drawn")
  func services() throws {
    #expect(Set(Destination.names).count == Destination.all.count)
    #expect(Destination.names == Destination.names.sorted())
    for service in Destination.all {
      #expect(try Destination(named: service.name.uppercased()).name == service.name)
      #expect(!service.formats.isEmpty && service.formats.allSatisfy(\.isRaster))
      #expect(BoundedDrawing.limits.contains(service.bytes))
      let size = try PixelSize(width: service.size.width, height: service.size.height)
      #expect(throws: Never.self) { try PixelFrame(size, margin: service.margin ?? 0) }
    }
    #expect(#expect(throws: ArtError.self) { try Destination(named: "fax") }?.code == .badValue)
  }

  private func drawing(_ format: (PixelSize) throws -> Drawing.Format) throws -> Drawing {
    let labels = try (0..<60).map { index in
      DrawingScene.Label(
        text: try EmojiText(["🐝", "🌸", "🦒"][index % 3]),
        position: try Point(x: Double(index % 10 * 30 + 15), y: Double(index / 10 * 30 + 15)),
        size: try FontSize(40))
    }
    let scene = DrawingScene(canvas: try Canvas(width: 300, height: 180), labels: labels, picture: nil)
    return Drawing(
      scene: scene, region: CanvasRect(scene.canvas), format: try format(PixelSize(width: 300, height: 180)),
      fonts: EmojiFont.find(nil))
  }

  private func search(_ drawing: Drawing, _ limit: Int, canShrink: Bool) async throws -> BoundedSearch.Outcome
  {
    try await BoundedSearch(limit: limit, canShrink: canShrink).run(drawing)
  }

  @Test("a file that has too many bytes gets the highest quality that fits, and keeps its size")
  func quality() async throws {
    let drawing = try drawing { .jpeg($0, quality: 90) }
    let whole = try await Renderer().draw(drawing) { _ in true }
    let limit = 12_000
    guard case .found(let found) = try await search(drawing, limit, canShrink: false) else {
      Issue.record("nothing fits")
      return
    }
    let quality = try #require(found.drawing.format.quality)
    #expect(found.isReduced && found.bytes.count <= limit && found.drawn == whole && quality < 90)
    #expect(found.drawing.format.raster == drawing.format.raster)
    // One more does not fit.
    let next = try self.drawing { .jpeg($0, quality: quality + 1) }
    await #expect(throws: DrawingFailure.self) { try await Renderer().draw(next, limit: limit) }
  }

  @Test(
    "a file that fits is what it would be without a limit, but for lossless formats, which are compressed more"
  )
  func fits() async throws {
    for format in [{ .webp($0, quality: 90) }, { .png($0) }] as [(PixelSize) -> Drawing.Format] {
      let drawing = try drawing(format)
      let plain = try await Renderer().draw(drawing, limit: 1 << 24).1
      guard case .found(let found) = try await search(drawing, 1 << 24, canShrink: true) else {
        Issue.record("nothing fits")
        continue
      }
      #expect(!found.isReduced && found.drawing.format == drawing.format)
      #expect(drawing.format.quality == nil ? found.bytes.count < plain.count : found.bytes == plain)
    }
  }

  @Test(
    "a file without quality gets fewer pixels, unless its size was asked for; then the least number of bytes is told"
  )
  func shrinking() async throws {
    let drawing = try drawing { .png($0) }
    let whole = try await Renderer().draw(drawing, limit: 1 << 24).1.count
    let limit = whole / 2
    guard case .found(let found) = try await search(drawing, limit, canShrink: true) else {
      Issue.record("nothing fits")
      return
    }
    let size = try #require(found.drawing.format.raster)
    #expect(found.bytes.count <= limit && size.width < 300 && found.bytes.count > limit * 3 / 4)
    guard case .tooLarge(let least) = try await search(drawing, limit, canShrink: false) else {
      Issue.record("it fits")
      return
    }
    #expect(least > limit)
    // AVIF has no picture that large.
    let large = try self.drawing { _ in .avif(try PixelSize(width: 3_000, height: 1_800), quality: 90) }
    guard case .found(let half) = try await search(large, 1 << 24, canShrink: true) else {
      Issue.record("no half fits")
      return
    }
    #expect(try half.isReduced && half.drawing.format.raster == PixelSize(width: 1_500, height: 900))
    await #expect(throws: DrawingFailure.self) { try await search(large, 1 << 24, canShrink: false) }
    guard case .tooLarge = try await search(drawing, 100, canShrink: true) else {
      Issue.record("100 bytes are enough")
      return
    }
  }
}
