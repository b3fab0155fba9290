// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtWorkspace

/// Pictures for a page: what it gets by HTTP.
public struct StudioBodies: Sendable {
  /// A body with its media type.
  public struct Body: Sendable {
    /// The bytes.
    public let bytes: [UInt8]
    /// The media type.
    public let mediaType: String
  }

  /// The most bytes of an export.
  public static let exportBytes = 256 << 20

  /// The sides of thumbnails: few, because each is kept for each state of a document.
  static let thumbnailSides = [192, 384, 768]

  private let workspace: Workspace
  private let renderer: Renderer
  private let thumbnails: Thumbnails

  /// Pictures of a folder's documents. Thumbnails have a renderer of their own, so that they wait for each other, and not exports for them.
  public init(_ workspace: Workspace, by renderer: Renderer, thumbnails: Thumbnails) {
    (self.workspace, self.renderer, self.thumbnails) = (workspace, renderer, thumbnails)
  }

  /// A small picture of a document as it is saved, with what killed programs have left. Throws `unavailable` if the task is cancelled, and
  /// what reading and drawing throw.
  public func thumbnail(_ document: String, side: Int) async throws(ArtError) -> Body {
    let file = try workspace.file(document)
    let size = try PixelSize(width: side, height: side)
    return Body(bytes: try await thumbnails.picture(of: file, within: size), mediaType: "image/png")
  }

  /// A duplicate of a document, as a file. Throws what saving and reading throw.
  public func copy(_ document: String) async throws(ArtError) -> Body {
    Body(bytes: try await workspace.copy(of: document), mediaType: "application/octet-stream")
  }

  /// Draws labels for a page. Throws what parsing the body throws, and `unavailable` without the worker.
  public func glyphs(_ body: [UInt8]) async throws(ArtError) -> Body {
    Body(bytes: try await draw(GlyphSheet(body).drawing(), "the emoji"), mediaType: "image/png")
  }

  /// The background of a document as it is open now: its bytes, or for those that browsers show in other colours than exports have, a JPEG
  /// in colours of sRGB. Throws `noBackground`, and what opening throws.
  public func picture(_ document: String) async throws(ArtError) -> Body {
    let (content, bytes) = try await view(document)
    guard let background = content.background, let bytes else { throw .nothingToShow(document) }
    let sent = Body(bytes: bytes, mediaType: Self.sentType(of: background))
    guard InkedPicture.isOne(bytes) else { return sent }
    do throws(ArtError) {
      return try await convert(bytes, background.size, document)
    } catch {
      // Without the worker or its font the browser's colours are better than none.
      return sent
    }
  }

  /// A picture in colours of sRGB. Throws what drawing throws.
  private func convert(_ bytes: [UInt8], _ size: Canvas, _ name: String) async throws(ArtError) -> Body {
    let drawing = Drawing(
      scene: DrawingScene(canvas: size, labels: [], picture: bytes), region: CanvasRect(size),
      format: .jpeg(try PixelSize(width: size.width, height: size.height), quality: 95),
      font: EmojiFont.find(nil))
    return Body(bytes: try await draw(drawing, name), mediaType: "image/jpeg")
  }

  /// The media type that is sent with a background. A forged document may have any text there, also one that cannot be a field of a head.
  static func sentType(of background: Background) -> String {
    WebRoute.pictureTypes.contains(background.mediaType) ? background.mediaType : "application/octet-stream"
  }

  /// Exports a document as it is open now. Throws what drawing throws.
  public func render(_ document: String, _ query: RenderQuery) async throws(ArtError) -> Body {
    let (content, picture) = try await view(document, at: query.revision)
    let options = try query.options()
    let drawing: Drawing
    do throws(RenderOptions.Failure) {
      drawing = try options.drawing(of: DrawingScene(content, picture: picture), title: document).drawing
    } catch {
      switch error {
      case .region(let error): throw error
      case .tooLarge(let large):
        throw ArtError(
          .tooLarge, "the picture is too large; scale \(large.fittingScale) fits", about: document)
      }
    }
    return Body(bytes: try await draw(drawing, document), mediaType: query.format.mediaType)
  }

  private func draw(_ drawing: Drawing, _ name: String) async throws(ArtError) -> [UInt8] {
    do throws(DrawingFailure) {
      return try await renderer.draw(drawing, limit: Self.exportBytes).1
    } catch {
      throw ArtError(error, drawing: name)
    }
  }

  /// The content with unsaved edits, or as it was at a revision, and the background's bytes. Throws `noSuchRevision`, too.
  private func view(
    _ document: String, at revision: Int? = nil
  ) async throws(ArtError) -> (DocumentContent, [UInt8]?) {
    let session = try await workspace.open(document, as: DocumentClient())
    let found: Result<(DocumentContent, [UInt8]?), ArtError>
    do throws(ArtError) {
      var content = await session.snapshot.content
      if let revision { content = try content.content(at: revision) }
      found = .success((content, try await session.picture(of: content)))
    } catch {
      found = .failure(error)
    }
    try await session.close()
    return try found.get()
  }
}

extension ArtError {
  fileprivate static func nothingToShow(_ document: String) -> ArtError {
    ArtError(.noBackground, "\(document) has no background", about: document)
  }
}
