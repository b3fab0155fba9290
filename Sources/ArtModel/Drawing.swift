// SPDX-License-Identifier: Apache-2.0

/// A drawing to be made: a scene, the visible region, and the output format.
public struct Drawing: Hashable, Sendable {
  /// The output format, with its size.
  public enum Format: Hashable, Sendable {
    /// A PNG file, in pixels.
    case png(PixelSize)
    /// A JPEG file of that quality, in pixels.
    case jpeg(PixelSize, quality: Int)
    /// A WebP file with loss, of that quality, in pixels.
    case webp(PixelSize, quality: Int)
    /// A WebP file without loss, in pixels.
    case losslessWebP(PixelSize)
    /// An AVIF file of that quality, in pixels.
    case avif(PixelSize, quality: Int)
    /// An SVG file with that nominal size. Glyphs are embedded as pictures, each once, or written as text.
    case svg(PixelSize, embedsGlyphs: Bool)
    /// A PDF file with one page, in points.
    case pdf(PixelSize)
    /// Sixels for a terminal, in pixels.
    case sixel(PixelSize)
    /// Coloured characters for a terminal, in cells.
    case symbols(columns: Int, rows: Int, TerminalColors)
    /// No bytes: the report has the rectangle of what is drawn. The size in pixels is that of the first look.
    case ink(PixelSize)

    /// The size in pixels of a picture that is a file of pixels; nil for all others.
    public var raster: PixelSize? {
      switch self {
      case .png(let size), .jpeg(let size, _), .webp(let size, _), .losslessWebP(let size),
        .avif(let size, _):
        size
      case .svg, .pdf, .sixel, .symbols, .ink: nil
      }
    }

    /// The bounds of columns and of rows.
    public static let cells = 1...10_000
  }

  /// The emoji and the background.
  public var scene: DrawingScene
  /// The part of the canvas that fills the output. It may reach beyond the canvas.
  public var region: CanvasRect
  /// The output format.
  public var format: Format
  /// Whether empty areas are transparent instead of white.
  public var isTransparent: Bool
  /// The paths of the colour fonts, the first choice first; empty if none was found. What a font lacks comes from the next.
  public var fonts: [String]
  /// What it has for print and for readers.
  public var details: DrawingDetails

  /// A drawing with these values.
  public init(
    scene: DrawingScene, region: CanvasRect, format: Format, isTransparent: Bool = false, fonts: [String],
    details: DrawingDetails = DrawingDetails()
  ) {
    self.scene = scene
    self.region = region
    self.format = format
    self.isTransparent = isTransparent
    self.fonts = fonts
    self.details = details
  }
}

/// The size of an output: 1 to 10,000,000 pixels, or points, a side.
public struct PixelSize: Hashable, Sendable {
  /// The bounds of a side.
  public static let sides = 1...10_000_000
  /// The width.
  public let width: Int
  /// The height.
  public let height: Int

  /// Throws `badValue` for a side out of bounds.
  public init(width: Int, height: Int) throws(ArtError) {
    guard Self.sides.contains(width), Self.sides.contains(height) else {
      throw ArtError(.badValue, "nothing of \(width) x \(height) pixels can be drawn")
    }
    self.width = width
    self.height = height
  }

  /// Parses `512x512`, also with `×` or `*`, and with `px`. Throws `badValue`.
  public init(typed: String) throws(ArtError) {
    let sides = typed.sides
    let digits = "0123456789".utf8
    guard sides.count == 2, sides.joined().utf8.allSatisfy(digits.contains), let width = Int(sides[0]),
      let height = Int(sides[1]), Self.sides.contains(width), Self.sides.contains(height)
    else {
      throw ArtError(
        .badValue,
        "\(typed.isEmpty ? "\"\"" : typed) is no size in pixels; give a width and a height, such as 512x512")
    }
    (self.width, self.height) = (width, height)
  }

  /// The size at that scale, rounded, each side within the bounds.
  package func scaled(by scale: Double) -> PixelSize {
    func side(_ length: Int) -> Int {
      let (low, high) = (Double(Self.sides.lowerBound), Double(Self.sides.upperBound))
      return Int(max(low, min((Double(length) * scale).rounded(), high)))
    }
    return PixelSize(bounded: side(width), side(height))
  }

  private init(bounded width: Int, _ height: Int) { (self.width, self.height) = (width, height) }
}

/// The colours that a terminal supports.
public enum TerminalColors: String, Hashable, Sendable {
  case eight, indexed, direct
}

/// The report on a finished drawing.
public struct Drawn: Hashable, Sendable {
  /// The largest number of texts in `lacking`.
  public static let namedTexts = 20
  /// The first texts without a colour glyph in the font, each once. They are drawn as labelled boxes.
  public var lacking: [String]
  /// The number of all such texts, each counted once.
  public var lackingCount: Int
  /// Why the background could not be drawn; nil if it could. A hatched area takes its place.
  public var pictureFault: String?
  /// The glyph that is enlarged most, if the font has it only as pixels, and it is enlarged more than twice.
  public var enlarged: Enlarged?
  /// Of a drawing in the format `ink`: the smallest rectangle of the canvas that holds all that is drawn; nil if nothing is.
  public var ink: CanvasRect?

  /// Of a drawing of one emoji that is a glyph of outlines of the first font: how that is drawn from the font; nil for any other.
  public var outlines: Outlines?

  /// How a program that has the font draws an emoji as this one does.
  public struct Outlines: Hashable, Sendable {
    /// The font size for each pixel of an emoji's size.
    public var scale: Double
    /// Where the text begins on its baseline, in ems right of the emoji's centre and below it.
    public var x: Double
    /// See `x`.
    public var y: Double

    /// Outlines at that place.
    public init(scale: Double, x: Double, y: Double) { (self.scale, self.x, self.y) = (scale, x, y) }
  }

  /// A glyph that is drawn larger than the font has it, and so looks blurred.
  public struct Enlarged: Hashable, Sendable {
    /// The text.
    public var text: String
    /// The pixels drawn for each pixel of the font.
    public var times: Double

    /// A glyph of that text.
    public init(text: String, times: Double) { (self.text, self.times) = (text, times) }
  }

  /// Whether everything is drawn as it was meant.
  public var isFaultless: Bool { lackingCount == 0 && pictureFault == nil }

  /// A report with these values.
  public init(
    lacking: [String] = [], lackingCount: Int = 0, pictureFault: String? = nil, enlarged: Enlarged? = nil,
    ink: CanvasRect? = nil, outlines: Outlines? = nil
  ) {
    self.lacking = lacking
    self.lackingCount = lackingCount
    self.pictureFault = pictureFault
    self.enlarged = enlarged
    self.outlines = outlines
    self.ink = ink
  }
}

// MARK: - Refusals

/// Why nothing was drawn.
public struct DrawingRefusal: Error, Hashable, Sendable {
  /// The reason, in one word.
  public enum Reason: String, Sendable, CaseIterable {
    /// There is no font file, or none at the given path.
    case noFont
    /// The file is not a font with emoji in colours.
    case badFont
    /// The drawing has too many pixels, or takes too long.
    case tooLarge
    /// Memory ran out.
    case noMemory
    /// The drawing needs a system call that the sandbox forbids.
    case forbidden
    /// The libraries of this machine cannot write the format.
    case noEncoder
  }
  /// The reason.
  public var reason: Reason
  /// What happened and what to do next, in one sentence. For `tooLarge` it names a scale that works.
  public var detail: String

  /// A refusal with these values.
  public init(_ reason: Reason, _ detail: String) {
    self.reason = reason
    self.detail = detail
  }
}

// MARK: - Scene

/// The visible content of a document as plain values, for drawing.
public struct DrawingScene: Hashable, Sendable {
  /// An emoji as it is drawn, centred on its position.
  public struct Label: Hashable, Sendable {
    /// The glyphs.
    public var text: EmojiText
    /// The centre of the glyphs.
    public var position: Point
    /// The font size.
    public var size: FontSize
    /// How far it is turned about its centre.
    public var rotation: Rotation
    /// Whether left and right are exchanged, before it is turned.
    public var isMirrored: Bool
    /// The colour of letters; nil for black.
    public var color: Color?

    /// A label with these values.
    public init(
      text: EmojiText, position: Point, size: FontSize, rotation: Rotation = .zero, isMirrored: Bool = false,
      color: Color? = nil
    ) {
      self.text = text
      self.position = position
      self.size = size
      self.rotation = rotation
      self.isMirrored = isMirrored
      self.color = color
    }

    /// An emoji as it is drawn.
    public init(_ emoji: Emoji) {
      self.init(
        text: emoji.text, position: emoji.position, size: emoji.size, rotation: emoji.rotation,
        isMirrored: emoji.isMirrored, color: emoji.color.ofLetters)
    }
  }

  /// The canvas. Nothing outside of it is drawn.
  public var canvas: Canvas
  /// The colour of the canvas behind the picture; nil for none.
  public var fill: Color?
  /// The emoji, bottom to top.
  public var labels: [Label]
  /// The bytes of the background file. The picture is centred, and scaled up if necessary until it covers the canvas.
  public var picture: [UInt8]?

  /// A scene with these values.
  public init(canvas: Canvas, fill: Color? = nil, labels: [Label], picture: [UInt8]?) {
    self.canvas = canvas
    self.fill = fill
    self.labels = labels
    self.picture = picture
  }

  /// The visible content of a document, with the bytes of its background.
  public init(_ content: DocumentContent, picture: [UInt8]?) {
    self.init(
      canvas: content.canvas, fill: content.fill, labels: content.emojisInOrder().map { Label($0) },
      picture: picture)
  }
}

extension DrawingRefusal {
  /// The packages of Noto Color Emoji in common distributions.
  private static let packages =
    "fonts-noto-color-emoji (Debian, Ubuntu), noto-fonts-emoji (Arch) or google-noto-color-emoji-fonts (Fedora)"

  /// No font was found.
  public static func noFont() -> DrawingRefusal {
    DrawingRefusal(
      .noFont,
      "no font with colour emoji was found; install \(packages)")
  }

  /// The font at that path cannot be opened; `why` is the cause.
  public static func noFont(at path: String, _ why: String) -> DrawingRefusal {
    DrawingRefusal(
      .noFont,
      "the font \(path) cannot be opened: \(why); install \(packages)")
  }
}
