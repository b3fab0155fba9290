// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtStore
import ArtSystem
import ArtWorker
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import ArtWorkspace

@Suite("Drawings and galleries as use cases", .timeLimit(.minutes(10))) struct DrawingTests {
  private let watched: WatchedFolder
  private let file: DocumentFile

  init() throws {
    watched = try WatchedFolder()
    file = try watched.make()
    try file.addBee()
  }

  private func isPNG(_ bytes: [UInt8]) -> Bool { bytes.starts(with: [0x89, 0x50, 0x4E, 0x47]) }

  @Test(
    "U4 a drawing's size is computed in pixels, and the refusal of a size that is too large has the scale that fits"
  )
  func sizes() throws {
    let region = try CanvasRect(typed: "0,0,200x100", on: .standard)
    #expect(try RenderSize.scale(2).pixels(of: region) == PixelSize(width: 400, height: 200))
    #expect(try RenderSize.width(50).pixels(of: region) == PixelSize(width: 50, height: 25))
    #expect(try RenderSize.fitting(50).pixels(of: region) == PixelSize(width: 50, height: 25))
    #expect(try RenderSize.fitting(256).pixels(of: region) == PixelSize(width: 200, height: 100))
    #expect(try RenderSize.fitting(1).pixels(of: region) == PixelSize(width: 1, height: 1))
    #expect(try RenderSize.scale(0.001).pixels(of: region) == PixelSize(width: 1, height: 1))
    let bounds = try PixelSize(width: 512, height: 512)
    #expect(try RenderSize.within(bounds).pixels(of: region) == PixelSize(width: 512, height: 256))
    let high = try CanvasRect(x: 0.25, y: 0, width: 0.3, height: 300)
    #expect(try RenderSize.within(bounds).pixels(of: high) == PixelSize(width: 1, height: 512))
    for size in [RenderSize.scale(1e9), .scale(.infinity)] {
      #expect(throws: RenderSize.TooLarge(fittingScale: 50_000)) { try size.pixels(of: region) }
    }
    let tall = try CanvasRect(typed: "0,0,1x10000", on: Canvas(width: 1, height: 10_000))
    #expect(throws: RenderSize.TooLarge(fittingScale: 1_000)) { try RenderSize.width(2_000).pixels(of: tall) }
    #expect(PictureFormat(endingOf: "a.b/bees.PDF") == .pdf && PictureFormat(endingOf: "a.svg/bees") == nil)
  }

  @Test("U4 a drawing includes orphaned edits, and a drawing that fails leaves the old file")
  func rendering() async throws {
    try await watched.orphan(1, of: file)
    let view = try DocumentView(file, recovery: watched.recovery())
    #expect(view.content.emojiCount == 2 && view.scene.labels.count == 2 && !view.isPictureLost)
    let (drawing, size) = try RenderOptions(.png, size: .width(64)).drawing(of: view.scene)
    #expect(try size == PixelSize(width: 64, height: 48))
    let path = watched["bees.png"]
    _ = try await onThread {
      try OutputFile(OutputLocation(path, replacing: .pictures)).finish(
        drawing, of: "bees", waiter: BlockingWaiter())
    }
    let whole = try watched.bytes("bees.png")
    #expect(isPNG(whole))
    // Without a helper program nothing is drawn, and the old file stays.
    let failed = await #expect(throws: ArtError.self) {
      try await onThread {
        try OutputFile(OutputLocation(path, replacing: .pictures)).finish(
          drawing, of: "bees", by: Renderer(helpers: HelperPrograms(folders: [])), waiter: BlockingWaiter())
      }
    }
    #expect(failed?.code == .unavailable && failed?.cause.hasPrefix("bees cannot be drawn") == true)
    #expect(try watched.bytes("bees.png") == whole)
    #expect(watched.everything.filter { !$0.hasPrefix("state") } == ["bees.emojiart", "bees.png"])
  }

  @Test("U5 a gallery shows each document of its folder, or why it cannot be shown")
  func gallery() async throws {
    try watched.overwrite("bad.emojiart", Array("no document at all".utf8))
    let (watched, recovery) = (watched, watched.recovery())
    let drawn = Mutex<[String]>([])
    let (shown, errors, failure) = try await onThread {
      let page = try OutputFile(OutputLocation(watched["gallery.html"], replacing: .galleries))
      var gallery = Gallery(
        of: watched.path, into: page, recovery: recovery, waiter: BlockingWaiter(),
        thumbnails: Thumbnails(cache: nil)
      ) { event in
        if case .drawn(let path, _) = event { drawn.withLock { $0.append(FilePath(path).name) } }
      }
      try gallery.write(FolderListing(of: watched.path))
      return (gallery.shown, gallery.errors.map(\.name), gallery.firstFailure)
    }
    #expect(shown == 1 && errors == ["bad.emojiart"])
    #expect(failure == nil, "a file that is no document is told, and does not fail the gallery")
    #expect(drawn.withLock(\.self) == ["bees.emojiart"])
    let text = try watched.text("gallery.html")
    #expect(text.hasPrefix(GalleryPage.mark) && text.hasSuffix(GalleryPage.end(count: "1 of 2 documents")))
    #expect(text.contains("data:image/png;base64,") && text.contains("cannot be shown"))
    // A gallery without any drawing leaves the old file.
    try watched.remove("bad.emojiart")
    let isWritten = try await onThread {
      let page = try OutputFile(OutputLocation(watched["gallery.html"], replacing: .galleries))
      var gallery = Gallery(
        of: watched.path, into: page, recovery: recovery, waiter: BlockingWaiter(),
        thumbnails: Thumbnails(cache: nil, renderer: Renderer(helpers: HelperPrograms(folders: []))))
      do { try gallery.write(FolderListing(of: watched.path)) } catch { return false }
      return true
    }
    #expect(!isWritten)
    #expect(try watched.text("gallery.html") == text)
  }
}
