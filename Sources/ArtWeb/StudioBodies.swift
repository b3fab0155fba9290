// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtSystem
import ArtWorkspace
import Synchronization

/// Pictures for a page: what it gets by HTTP.
public final class StudioBodies: Sendable {
  /// A body with its media type.
  public struct Body: Sendable {
    /// The bytes.
    public let bytes: [UInt8]
    /// The media type.
    public let mediaType: String
    /// More fields of the answer.
    var fields: [(name: String, value: String)] = []
  }

  /// The most bytes of an export.
  public static let exportBytes = 256 << 20

  /// The sides of thumbnails: few, because each is kept for each state of a document.
  static let thumbnailSides = [192, 384, 768]

  /// The most bytes of a font that is sent to a page.
  private static let fontBytes = 64 << 20

  /// The font of the outlines that were drawn last, which a page may ask for.
  private let font = Mutex<(path: String, tag: String)?>(nil)
  private let workspace: Workspace
  private let renderer: Renderer
  private let thumbnails: Thumbnails
  private let choice: FontChoice

  /// Pictures of a folder's documents. Thumbnails have a renderer of their own, so that they wait for each other, and not exports for them.
  public init(
    _ workspace: Workspace, by renderer: Renderer, thumbnails: Thumbnails, font choice: FontChoice
  ) {
    (self.workspace, self.renderer, self.thumbnails, self.choice) = (workspace, renderer, thumbnails, choice)
  }

  /// The designs of emoji: `{"chosen":"noto","fixed":false,"fonts":[{"credit":"…","installed":true,"name":"noto","remedy":"…","sharp":false,
  /// "title":"Noto"}]}`. `chosen` and `credit` are left out where there is none. Throws what the settings throw.
  public func fonts() throws(ArtError) -> Body {
    let chosen = try choice.read()
    var writer = JSONWriter()
    writer.object { writer in
      if let chosen {
        writer.key("chosen")
        writer.string(chosen)
      }
      writer.key("fixed")
      writer.boolean(choice.isFixed)
      writer.key("fonts")
      writer.array { writer in
        for design in choice.designs {
          writer.object { writer in
            if let credit = design.name.credit {
              writer.key("credit")
              writer.string(credit)
            }
            writer.key("installed")
            writer.boolean(design.isInstalled)
            writer.key("name")
            writer.string(design.name.rawValue)
            writer.key("remedy")
            writer.string(design.name.remedy)
            writer.key("sharp")
            writer.boolean(design.isSharp)
            writer.key("title")
            writer.string(design.name.title)
          }
        }
      }
    }
    return Body(bytes: writer.bytes, mediaType: "application/json")
  }

  /// Chooses the design that the body names, `{"name":"twemoji"}`, for all drawings of the user. Throws `badJSON`, `badValue`, `unavailable` for one that
  /// is not installed, and what the settings throw.
  public func choose(_ body: [UInt8]) throws(ArtError) -> Body {
    var name = ""
    try body.withUnsafeBufferPointer { (bytes) throws(ArtError) in
      try JSONReader.read(bytes) { (reader) throws(ArtError) in
        try reader.object { (key, reader) throws(ArtError) in
          guard key == "name" else { throw .unknown("a font has no key", key, among: ["name"]) }
          name = try reader.string()
        }
      }
    }
    try choice.choose(EmojiFontName(named: name))
    return try fonts()
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

  /// Draws labels for a page. `Emojiart-Font` is the tag of the chosen font, unless the body names a design: with another tag all pictures that a
  /// page has are out of date. Of a single emoji that is outlines of this font, the answer also says how the page draws it from the font, larger
  /// than any picture: `Emojiart-Outlines: <scale> <x> <y>`. Throws what parsing the body throws, and `unavailable` without the worker.
  public func glyphs(_ body: [UInt8]) async throws(ArtError) -> Body {
    let sheet = try GlyphSheet(body)
    let drawing = try sheet.drawing(in: choice.current)
    let (drawn, bytes) = try await report(drawing, "the emoji")
    guard sheet.font == nil, let path = drawing.fonts.first, let tag = EmojiFont.tag(of: path) else {
      return Body(bytes: bytes, mediaType: "image/png")
    }
    var fields = [(name: "Emojiart-Font", value: tag)]
    if let outlines = drawn.outlines {
      font.withLock { $0 = (path, tag) }
      let numbers = [outlines.scale, outlines.x, outlines.y].map { "\($0)" }.joined(separator: " ")
      fields.append((name: "Emojiart-Outlines", value: numbers))
    }
    return Body(bytes: bytes, mediaType: "image/png", fields: fields)
  }

  /// The font with that tag, from which emoji were drawn; nil where another one has taken its place. Throws `unavailable` where it cannot be read.
  public func font(_ tag: String) throws(ArtError) -> Body? {
    guard let known = font.withLock({ $0 }), known.tag == tag, EmojiFont.tag(of: known.path) == tag else {
      return nil
    }
    do throws(SystemError) {
      return try SmallFile.read(known.path, limit: Self.fontBytes).map {
        Body(bytes: $0, mediaType: "font/sfnt")
      }
    } catch {
      throw ArtError(.unavailable, "the font cannot be read: \(error.text)")
    }
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
      fonts: EmojiFont.find(choice.current))
    return Body(bytes: try await draw(drawing, name), mediaType: "image/jpeg")
  }

  /// The media type that is sent with a background. A forged document may have any text there, also one that cannot be a field of a head.
  static func sentType(of background: Background) -> String {
    WebRoute.pictureTypes.contains(background.mediaType) ? background.mediaType : "application/octet-stream"
  }

  /// Exports a document as it is open now. Throws what drawing throws.
  public func render(_ document: String, _ query: RenderQuery) async throws(ArtError) -> Body {
    let (content, picture) = try await view(document, at: query.revision)
    var options = try query.options()
    options.font = choice.current
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
    try await report(drawing, name).bytes
  }

  private func report(_ drawing: Drawing, _ name: String) async throws(ArtError) -> (
    drawn: Drawn, bytes: [UInt8]
  ) {
    do throws(DrawingFailure) {
      return try await renderer.draw(drawing, limit: Self.exportBytes)
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

// MARK: - Pictures that browsers convert wrongly

/// JPEG files of inks with a colour profile, whose colours browsers get wrong: Chromium 156 mixes black into the other inks before it
/// converts them.
enum InkedPicture {
  /// Whether the bytes are such a file, by the segments before its first scan (ITU-T T.81, B.1 and B.2; ICC.1:2022, B.4).
  static func isOne(_ bytes: [UInt8]) -> Bool {
    guard bytes.starts(with: [0xFF, 0xD8]) else { return false }
    var (offset, hasProfile, hasInks) = (2, false, false)
    while offset + 4 <= bytes.count, bytes[offset] == 0xFF {
      let marker = bytes[offset + 1]
      // A marker may have bytes before it that fill.
      if marker == 0xFF {
        offset += 1
        continue
      }
      let length = Int(bytes[offset + 2]) << 8 | Int(bytes[offset + 3])
      let segment = bytes[(offset + 4)...].prefix(max(0, length - 2))
      switch marker {
      case 0xE2: hasProfile = hasProfile || segment.starts(with: "ICC_PROFILE\0".utf8)
      case 0xC4, 0xC8, 0xCC: break
      // The frame: its precision, height, width, and number of colours.
      case 0xC0...0xCF: hasInks = segment.dropFirst(5).first == 4
      case 0xD8, 0xD9, 0xDA: return hasProfile && hasInks
      default: break
      }
      guard length >= 2 else { return false }
      offset += 2 + length
    }
    return false
  }
}
