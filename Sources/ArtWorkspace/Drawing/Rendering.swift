// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtStore
import ArtSystem
import ArtWorker
import Synchronization

/// The file format of a drawing.
public enum PictureFormat: String, CaseIterable, Sendable {
  case png, jpeg, webp, avif, svg, pdf

  /// The quality of JPEG, WebP and AVIF, unless another is chosen.
  public static let quality = 90

  /// Whether it loses detail, and so has a quality.
  public var hasQuality: Bool { [.jpeg, .webp, .avif].contains(self) }

  /// Whether a file says how many dots per inch it has.
  public var recordsResolution: Bool { self == .png || self == .jpeg }

  /// Whether a file is made of pixels.
  public var isRaster: Bool { self != .svg && self != .pdf }

  /// Its media type.
  public var mediaType: String {
    switch self {
    case .png: "image/png"
    case .jpeg: "image/jpeg"
    case .webp: "image/webp"
    case .avif: "image/avif"
    case .svg: "image/svg+xml"
    case .pdf: "application/pdf"
    }
  }

  /// The format for a file's extension, in any case; nil for any other.
  public init?(endingOf path: String) {
    let name = FilePath(path).name
    guard let point = name.lastIndex(of: ".") else { return nil }
    self.init(name: String(name[point...].dropFirst()))
  }

  /// The format of a name, which is an extension, in any case; nil for any other.
  public init?(name: String) {
    let name = name.lowercased()
    self.init(rawValue: name == "jpg" ? "jpeg" : name)
  }
}

/// The size of a drawing.
public enum RenderSize: Equatable, Sendable {
  /// Pixels, or points, for each pixel of the canvas; above 0.
  case scale(Double)
  /// The width; from 1 to 10,000,000.
  case width(Int)
  /// So small that no side is longer, and not enlarged; from 1 to 10,000,000.
  case fitting(Int)
  /// As large as fits into that size: one side is exactly as long.
  case within(PixelSize)

  /// A side would have more than 10,000,000 pixels.
  public struct TooLarge: Error, Equatable {
    /// A scale that is small enough.
    public let fittingScale: Double
  }

  /// The size of a region of the canvas. A side has at least one pixel.
  public func pixels(of region: CanvasRect) throws(TooLarge) -> PixelSize {
    let size: (width: Int, height: Int)
    switch self {
    case .width(let width):
      size = (width, try Self.side(region.height * Double(width) / region.width, region))
    case .fitting(let side):
      let scale = min(1, Double(side) / max(region.width, region.height))
      size = try Self.sides(region, scale)
    case .scale(let scale):
      size = try Self.sides(region, scale)
    case .within(let bounds):
      let (across, down) = (
        Double(bounds.width) / region.width, Double(bounds.height) / region.height
      )
      size =
        across <= down
        ? (bounds.width, min(bounds.height, try Self.side(region.height * across, region)))
        : (min(bounds.width, try Self.side(region.width * down, region)), bounds.height)
    }
    do throws(ArtError) {
      return try PixelSize(width: size.width, height: size.height)
    } catch {
      throw TooLarge(fittingScale: Self.fittingScale(region))
    }
  }

  private static func sides(
    _ region: CanvasRect, _ scale: Double
  ) throws(TooLarge) -> (width: Int, height: Int) {
    (try side(region.width * scale, region), try side(region.height * scale, region))
  }

  private static func side(_ length: Double, _ region: CanvasRect) throws(TooLarge) -> Int {
    guard length < Double(PixelSize.sides.upperBound) + 0.5 else {
      throw TooLarge(fittingScale: fittingScale(region))
    }
    return max(1, Int(length.rounded()))
  }

  private static func fittingScale(_ region: CanvasRect) -> Double {
    (Double(PixelSize.sides.upperBound) / max(region.width, region.height) * 100).rounded(.down) / 100
  }
}

/// How a document is drawn into a file.
public struct RenderOptions: Sendable {
  /// The kind of file.
  public var format: PictureFormat
  /// The size.
  public var size: RenderSize
  /// The region of the canvas as typed, in pixels or percent; nil for all of it.
  public var region: String?
  /// Whether the paper is transparent instead of white.
  public var isTransparent: Bool
  /// For SVG: whether each glyph is embedded once, as a picture; otherwise emoji are text, which some viewers draw wrongly.
  public var embedsGlyphs: Bool
  /// The page that the drawing is fitted into, which then decides the size; nil for none.
  public var page: Page?
  /// The size in pixels that the drawing is fitted into and centred in, with an empty margin; nil for none.
  public var frame: PixelFrame?
  /// Whether only the part that has ink is drawn; `inkDrawing` finds it.
  public var isTrimmed = false
  /// For WebP: whether nothing is lost.
  public var isLossless = false
  /// The dots per inch: recorded in PNG and JPEG files, the size of pages made of pixels, and the most that a background in PDF has.
  public var resolution: Int?
  /// For JPEG, WebP and AVIF: the quality.
  public var quality: Int
  /// For PDF on a page: how many drawings are on it; nil for one.
  public var sheet: Page.Sheet?
  /// For PDF on a page that is cut: how far the drawing goes on beyond its edges, in points.
  public var bleed: Double?
  /// For SVG with emoji as pictures: whether captions are text.
  public var hasTextCaptions = false
  /// The font file that the user named; nil for the default one.
  public var font: String?

  /// Options of a drawing.
  public init(
    _ format: PictureFormat, size: RenderSize = .scale(1), region: String? = nil, isTransparent: Bool = false,
    embedsGlyphs: Bool = true, quality: Int = PictureFormat.quality, page: Page? = nil,
    frame: PixelFrame? = nil, resolution: Int? = nil, font: String? = nil
  ) {
    (self.format, self.size, self.region) = (format, size, region)
    (self.isTransparent, self.embedsGlyphs, self.font) = (isTransparent, embedsGlyphs, font)
    (self.quality, self.page, self.frame, self.resolution) = (quality, page, frame, resolution)
  }

  /// Why a drawing cannot be made.
  public enum Failure: Error, Equatable {
    /// The region is invalid for this canvas, or does not fit the page.
    case region(ArtError)
    case tooLarge(RenderSize.TooLarge)
  }

  /// The drawing and its size. `title` is the document's name. `ink` is the part of the canvas that is drawn instead of the region, if it is
  /// trimmed. `number` is its place among `count` drawings of a file, from 0.
  public func drawing(
    of scene: DrawingScene, title: String? = nil, ink: CanvasRect? = nil, number: Int = 0, of count: Int = 1
  ) throws(Failure) -> (drawing: Drawing, size: PixelSize) {
    let rect = if let ink { ink } else { try rect(on: scene.canvas) }
    var details = details(of: scene, rect, title: title)
    // Beside the region, the rest of the canvas would be seen.
    if region != nil, page != nil || frame != nil { details.crop = try self.rect(on: scene.canvas) }
    let cell = sheet.map { Page.Cell(sheet: $0, index: number % $0.rawValue) }
    if let cell { details.sharesPage = cell.index + 1 < cell.sheet.rawValue && number + 1 < count }
    let (pixels, region) = try placed(rect, cell, &details)
    let drawing = Drawing(
      scene: scene, region: region, format: format(pixels), isTransparent: isTransparent,
      fonts: EmojiFont.find(font), details: details)
    return (drawing, pixels)
  }

  /// The drawing that finds the ink of a scene: what is drawn in the region, without the white of the canvas.
  public func inkDrawing(of scene: DrawingScene) throws(Failure) -> Drawing {
    let rect = try rect(on: scene.canvas)
    let size: PixelSize
    do throws(RenderSize.TooLarge) {
      size = try RenderSize.fitting(Self.inkSide).pixels(of: rect)
    } catch {
      throw .tooLarge(error)
    }
    return Drawing(
      scene: scene, region: rect, format: .ink(size), isTransparent: true, fonts: EmojiFont.find(font),
      details: DrawingDetails(crop: region == nil ? nil : rect))
  }

  /// The most pixels of a side of the first look for ink.
  private static let inkSide = 4_096

  private func rect(on canvas: Canvas) throws(Failure) -> CanvasRect {
    guard let region else { return CanvasRect(canvas) }
    do throws(ArtError) { return try CanvasRect(typed: region, on: canvas) } catch { throw .region(error) }
  }

  private func details(of scene: DrawingScene, _ rect: CanvasRect, title: String?) -> DrawingDetails {
    var details = DrawingDetails(
      resolution: resolution ?? (page != nil && format.recordsResolution ? Page.resolution : nil),
      title: title, alternative: scene.alternativeText(of: rect))
    details.bleed = bleed
    if format == .svg, embedsGlyphs {
      details.hasTextCaptions = hasTextCaptions
      details.names = scene.names(upTo: DrawingDetails.namedTexts)
    }
    return details
  }

  /// The size, and the region that fills it.
  private func placed(_ rect: CanvasRect, _ cell: Page.Cell?, _ details: inout DrawingDetails) throws(Failure)
    -> (PixelSize, CanvasRect)
  {
    if let frame {
      do throws(ArtError) { return (frame.size, try frame.region(around: rect)) } catch {
        throw .region(error)
      }
    }
    guard let page else {
      do throws(RenderSize.TooLarge) {
        return (try size.pixels(of: rect), rect)
      } catch {
        throw .tooLarge(error)
      }
    }
    do throws(ArtError) {
      details.page = try page.size
      return (try page.pixels(format, resolution: resolution), try page.region(around: rect, in: cell))
    } catch {
      throw .region(error)
    }
  }

  private func format(_ pixels: PixelSize) -> Drawing.Format {
    switch format {
    case .png: .png(pixels)
    case .jpeg: .jpeg(pixels, quality: quality)
    case .webp: isLossless ? .losslessWebP(pixels) : .webp(pixels, quality: quality)
    case .avif: .avif(pixels, quality: quality)
    case .svg: .svg(pixels, embedsGlyphs: embedsGlyphs)
    case .pdf: .pdf(pixels)
    }
  }
}

/// Waits for a drawing. The front end implements it, and may handle signals meanwhile.
public protocol DrawingWaiter {
  /// Runs the work and waits for it. Throws what the work throws, or `failed` if it cannot be started.
  func wait<Value: Sendable>(
    for work: @escaping @Sendable () async throws(DrawingFailure) -> Value
  ) throws(DrawingFailure) -> Value
}

extension OutputFile {
  /// Draws into this file and puts it at its path. `name` is what messages call the drawing. Throws the error; then the path is
  /// unchanged.
  public func finish(
    _ drawing: Drawing, of name: String, by renderer: Renderer = Renderer(), waiter: some DrawingWaiter
  ) throws(ArtError) -> Drawn {
    let drawn: Drawn
    do throws(DrawingFailure) {
      drawn = try waiter.wait { () async throws(DrawingFailure) in
        try await renderer.draw(drawing) { self.write($0) }
      }
    } catch {
      // Writing to the file has failed, which cancelled the drawing.
      if error == .cancelled { try check() }
      throw ArtError(error, drawing: name)
    }
    try finish()
    return drawn
  }
}

extension OutputFile {
  /// Draws the pages of one PDF file into this file and puts it at its path; `names` are what messages call them. Returns the report on
  /// each page. Throws the error, which names the page that failed; then the path is unchanged.
  public func finish(
    pages: DrawingSequence, named names: [String], by renderer: Renderer = Renderer(),
    waiter: some DrawingWaiter
  ) throws(ArtError) -> [Drawn] {
    let reports = PageReports()
    do throws(DrawingFailure) {
      let last = try waiter.wait { () async throws(DrawingFailure) in
        try await renderer.draw(pages: pages, drawnPage: { reports.add($0) }) { self.write($0) }
      }
      reports.add(last)
    } catch {
      if error == .cancelled { try check() }
      let failed = names.dropFirst(reports.all.count).first ?? names.last
      throw ArtError(error, drawing: failed ?? "nothing")
    }
    try finish()
    return reports.all
  }
}

extension OutputFile {
  /// Draws one picture of several drawings side by side into this file and puts it at its path; `name` is what messages call the picture.
  /// Returns the report on each drawing. Throws the error; then the path is unchanged.
  public func finish(
    panels: [Drawing], of name: String, by renderer: Renderer = Renderer(), waiter: some DrawingWaiter
  ) throws(ArtError) -> [Drawn] {
    let drawn: [Drawn]
    do throws(DrawingFailure) {
      drawn = try waiter.wait { () async throws(DrawingFailure) in
        try await renderer.draw(panels: panels) { self.write($0) }
      }
    } catch {
      if error == .cancelled { try check() }
      throw ArtError(error, drawing: name)
    }
    try finish()
    return drawn
  }
}

/// The reports on the pages that are drawn.
private final class PageReports: Sendable {
  private let reports = Mutex<[Drawn]>([])

  var all: [Drawn] { reports.withLock { $0 } }

  func add(_ drawn: Drawn) { reports.withLock { $0.append(drawn) } }
}

extension ArtError {
  /// The error for a failed drawing; `name` is what messages call it.
  public init(_ failure: DrawingFailure, drawing name: String) {
    switch failure {
    case .failed(let error): self = error.withCause("\(name) cannot be drawn: \(error.cause)")
    case .cancelled: self.init(.unavailable, "the drawing of \(name) was given up", about: name)
    case .refused(let refusal):
      self.init(
        refusal.reason.code, "\(name) cannot be drawn: \(refusal.detail)", about: name,
        remedy: refusal.reason == .noFont ? .chooseFont : nil)
    }
  }
}

/// A document to be drawn: its content and its background's bytes, both of one state.
public struct DocumentView: Sendable {
  /// How often the document is read again if its background was removed between two readings.
  private static let attempts = 4

  /// The document.
  public let content: DocumentContent
  /// The visible content.
  public let scene: DrawingScene

  /// Reads a document with its orphaned edits, and reports these. `journals` are the orphaned journals; nil stands for all on
  /// this machine. `reference` is an earlier state; nil stands for the present one. Throws what reading throws, and `noSuchRevision`.
  public init(
    _ file: DocumentFile, at reference: RevisionReference? = nil, among journals: [OrphanedJournal]? = nil,
    recovery: Recovery = Recovery()
  ) throws(ArtError) {
    for _ in 1..<Self.attempts {
      let content = try recovery.content(of: file, at: reference, among: journals)
      guard let background = content.background else {
        self.init(content, picture: nil)
        return
      }
      if let bytes = try file.picture(background.digest) {
        self.init(content, picture: bytes)
        return
      }
    }
    // The bytes are lost: the document is drawn without its background.
    self.init(try recovery.content(of: file, at: reference, among: journals), picture: nil)
  }

  private init(_ content: DocumentContent, picture: [UInt8]?) {
    self.content = content
    scene = DrawingScene(content, picture: picture)
  }

  /// The format of the background's bytes; nil without any that are a picture.
  public var pictureKind: PictureKind? { scene.picture.flatMap { PictureKind(of: $0) } }

  /// Whether it has letters, for which fonts are looked for.
  public var hasLetters: Bool { scene.hasLetters }

  /// Whether the background's bytes are missing from the document.
  public var isPictureLost: Bool { content.background != nil && scene.picture == nil }
}

extension DrawingRefusal.Reason {
  /// The code of the error for a refusal with this reason.
  var code: ArtError.Code {
    switch self {
    case .noFont, .noMemory, .noEncoder: .unavailable
    case .badFont, .forbidden: .badValue
    case .tooLarge: .tooLarge
    }
  }
}
