// SPDX-License-Identifier: Apache-2.0

/// What is to be drawn, and as what.
public struct Drawing: Hashable, Sendable {
  /// What comes of it.
  public enum Format: Hashable, Sendable {
    /// A PNG file of so many pixels.
    case png(PixelSize)
    /// An SVG file that says it is so large; with its glyphs as pictures, each once, or as text.
    case svg(PixelSize, embedsGlyphs: Bool)
    /// A PDF file with one page of so many points.
    case pdf(PixelSize)
    /// Sixels for a terminal, so many pixels.
    case sixel(PixelSize)
    /// Characters in colours for a terminal, so many cells.
    case symbols(columns: Int, rows: Int, TerminalColors)

    /// The bounds of columns, and of rows.
    public static let cells = 1...10_000
  }

  /// The emoji and the picture.
  public var scene: Scene
  /// Which part of the canvas, and what is around it, fills the format's size.
  public var region: Rect
  /// What comes of it.
  public var format: Format
  /// Whether there is nothing where nothing is drawn, instead of white.
  public var isTransparent: Bool
  /// The path of the font with colour glyphs; nil where none was found.
  public var font: String?

  /// A drawing of these.
  public init(scene: Scene, region: Rect, format: Format, isTransparent: Bool = false, font: String?) {
    self.scene = scene
    self.region = region
    self.format = format
    self.isTransparent = isTransparent
    self.font = font
  }
}

/// How large something drawn is: 1 to 10,000,000 pixels, or points, a side.
public struct PixelSize: Hashable, Sendable {
  /// The bounds of a side.
  public static let sides = 1...10_000_000
  /// Across.
  public let width: Int
  /// Down.
  public let height: Int

  /// Throws `badValue` for a side out of bounds.
  public init(width: Int, height: Int) throws(ArtError) {
    guard Self.sides.contains(width), Self.sides.contains(height) else {
      throw ArtError(.badValue, "nothing of \(width) x \(height) pixels can be drawn")
    }
    self.width = width
    self.height = height
  }
}

/// The colours that a terminal has.
public enum TerminalColors: String, Hashable, Sendable {
  case eight, indexed, direct
}

/// What came of a drawing beside its bytes.
public struct Drawn: Hashable, Sendable {
  /// Texts that are named at most.
  public static let namedTexts = 20
  /// Texts with something that the font has no colour glyph for, each once, the first ones; those are drawn as labelled boxes.
  public var lacking: [String]
  /// How many such texts there are, each counted once.
  public var lackingCount: Int
  /// Why the background could not be drawn; then its place is hatched.
  public var pictureFault: String?

  /// What came of it.
  public init(lacking: [String] = [], lackingCount: Int = 0, pictureFault: String? = nil) {
    self.lacking = lacking
    self.lackingCount = lackingCount
    self.pictureFault = pictureFault
  }
}

/// Why nothing was drawn.
public struct DrawingRefusal: Error, Hashable, Sendable {
  /// Why, in one word.
  public enum Reason: String, Sendable, CaseIterable {
    /// There is no font file, or none at that path.
    case noFont
    /// That file is no font with colour glyphs as bitmaps.
    case badFont
    /// It has too many pixels, or takes too long.
    case tooLarge
    /// Memory ran out.
    case noMemory
    /// Drawing it tried what the sandbox forbids.
    case forbidden
  }
  /// Why.
  public var reason: Reason
  /// What happened and what to do next, in one sentence; for `tooLarge` with the scale that works.
  public var detail: String

  /// A refusal.
  public init(_ reason: Reason, _ detail: String) {
    self.reason = reason
    self.detail = detail
  }
}

/// What is seen of a document: values only, for whoever draws them.
public struct Scene: Hashable, Sendable {
  /// An emoji as it is drawn: its centre at its place, its font size its size.
  public struct Label: Hashable, Sendable {
    /// The glyphs.
    public var text: EmojiText
    /// The centre of what is drawn.
    public var position: Point
    /// The font size.
    public var size: FontSize

    /// A label of these values.
    public init(text: EmojiText, position: Point, size: FontSize) {
      self.text = text
      self.position = position
      self.size = size
    }
  }

  /// The canvas, outside of which nothing is drawn.
  public var canvas: Canvas
  /// The emoji, bottom to top.
  public var labels: [Label]
  /// The background's bytes, as they came. It covers the canvas: scaled, if it must be, until both sides reach the canvas's, and
  /// centred.
  public var picture: [UInt8]?

  /// A scene of these.
  public init(canvas: Canvas, labels: [Label], picture: [UInt8]?) {
    self.canvas = canvas
    self.labels = labels
    self.picture = picture
  }

  /// What is seen of that content, with the bytes of its background.
  public init(_ content: DocumentContent, picture: [UInt8]?) {
    self.init(
      canvas: content.canvas,
      labels: content.emojisInOrder().map { Label(text: $0.text, position: $0.position, size: $0.size) },
      picture: picture)
  }
}

extension DrawingRefusal {
  /// Who brings Noto Color Emoji, of the distributions that people have.
  private static let packages =
    "fonts-noto-color-emoji (Debian, Ubuntu), noto-fonts-emoji (Arch) or google-noto-color-emoji-fonts (Fedora)"

  /// No font was found.
  public static func noFont() -> DrawingRefusal {
    DrawingRefusal(
      .noFont,
      "no font with colour emoji was found; install \(packages)")
  }

  /// The font at that path cannot be opened, and why.
  public static func noFont(at path: String, _ why: String) -> DrawingRefusal {
    DrawingRefusal(
      .noFont,
      "the font \(path) cannot be opened: \(why); install \(packages)")
  }
}
