// SPDX-License-Identifier: Apache-2.0

/// What a drawing has for print and for readers, beside its scene and its format. Without any, files are as small as they can be.
public struct DrawingDetails: Hashable, Sendable {
  /// The bounds of a resolution, in dots per inch.
  public static let resolutions = 1...9_600
  /// The bounds of a quality.
  public static let qualities = 1...100
  /// The most pages of a file.
  public static let pages = 1_000
  /// The most drawings that are painted side by side.
  public static let panels = 2
  /// The pixels between two of them.
  public static let panelGap = 20
  /// The most highlights of a drawing; they fit into a line of the worker's words.
  public static let highlights = 5_000
  /// The bounds of a bleed, in points: up to 50 mm.
  public static let bleeds = 0.0...142.0
  /// The most emoji that have a name.
  public static let namedTexts = 2_000
  /// The most scalars of a title, and of a description.
  public static let textLength = 2_000

  /// The part of the canvas that is drawn; the rest is empty. Nil for all of it.
  public var crop: CanvasRect?
  /// The dots per inch: recorded in PNG and JPEG files, and the most that pictures in PDF have. Nil to say nothing.
  public var resolution: Int?
  /// The title of a file.
  public var title: String?
  /// What a file shows, in words: for those who cannot see it.
  public var alternative: String?
  /// For PDF: the exact size of the page in points; nil for that of the format.
  public var page: PageSize?
  /// For PDF: how many pages of the same file follow.
  public var pagesLeft: Int
  /// For PDF: whether the next drawing of the file is on the same page.
  public var sharesPage = false
  /// For PDF: how far the drawing goes on beyond the edges of the page, which is to be cut, in points; nil for a page that is not cut.
  public var bleed: Double?
  /// For SVG with emoji as pictures: whether captions are text.
  public var hasTextCaptions = false
  /// For SVG: the names of emoji by their texts, at most `namedTexts`.
  public var names: [String: String] = [:]
  /// For pictures made of pixels: how many drawings follow that are painted beside this one, into the same picture.
  public var panelsLeft = 0
  /// For pictures made of pixels: the lines around what differs. At most `highlights`.
  public var highlights: [DrawingHighlight] = []
  /// For PNG and WebP without loss: whether it is compressed as well as possible, which takes several times as long.
  public var isSmall = false

  /// Details with these values. Texts are cut to their length.
  public init(
    crop: CanvasRect? = nil, resolution: Int? = nil, title: String? = nil, alternative: String? = nil,
    page: PageSize? = nil, pagesLeft: Int = 0
  ) {
    (self.crop, self.resolution, self.page, self.pagesLeft) = (crop, resolution, page, pagesLeft)
    (self.title, self.alternative) = (title.map(Self.cut), alternative.map(Self.cut))
  }

  private static func cut(_ text: String) -> String {
    String(String.UnicodeScalarView(text.unicodeScalars.lazy.filter { $0 != "\0" }.prefix(textLength)))
  }
}

/// The size of a page in points, which need not be whole.
public struct PageSize: Hashable, Sendable {
  /// The bounds of a side in points: PDF 1.7, annex C.
  public static let sides = 1.0...14_400.0
  /// The width.
  public let width: Double
  /// The height.
  public let height: Double

  /// Throws `badValue` for a side out of bounds.
  public init(width: Double, height: Double) throws(ArtError) {
    guard Self.sides.contains(width), Self.sides.contains(height) else {
      throw ArtError(.badValue, "no page has \(numberText(width)) x \(numberText(height)) points")
    }
    (self.width, self.height) = (width, height)
  }
}

// MARK: - JSON

extension DrawingDetails {
  /// Writes the keys that have a value:
  ///
  ///     {"alternative":"…","bleed":8.5,"crop":{…},"highlights":[{…}],"isSmall":true,"names":{"🐝":"bee"},"page":[595.28,841.89],"pagesLeft":2,"panelsLeft":1,
  ///      "resolution":300,"title":"…"}
  func write(to writer: inout JSONWriter) {
    writer.object { writer in
      if let alternative {
        writer.key("alternative")
        writer.string(alternative)
      }
      if let bleed {
        writer.key("bleed")
        writer.number(bleed)
      }
      if let crop {
        writer.key("crop")
        crop.write(to: &writer)
      }
      if hasTextCaptions {
        writer.key("hasTextCaptions")
        writer.boolean(true)
      }
      if !highlights.isEmpty {
        writer.key("highlights")
        writer.array { for highlight in highlights { highlight.write(to: &$0) } }
      }
      if isSmall {
        writer.key("isSmall")
        writer.boolean(true)
      }
      if !names.isEmpty {
        writer.key("names")
        writer.object { writer in
          for (text, name) in names.sorted(by: { $0.key < $1.key }) {
            writer.key(text)
            writer.string(name)
          }
        }
      }
      if let page {
        writer.key("page")
        writer.array {
          $0.number(page.width)
          $0.number(page.height)
        }
      }
      if pagesLeft > 0 {
        writer.key("pagesLeft")
        writer.integer(pagesLeft)
      }
      if panelsLeft > 0 {
        writer.key("panelsLeft")
        writer.integer(panelsLeft)
      }
      if let resolution {
        writer.key("resolution")
        writer.integer(resolution)
      }
      if sharesPage {
        writer.key("sharesPage")
        writer.boolean(true)
      }
      if let title {
        writer.key("title")
        writer.string(title)
      }
    }
  }

  /// Reads what `write` writes. Throws for a value out of bounds.
  init(from reader: inout JSONReader) throws(ArtError) {
    self.init()
    var found = DrawingDetails()
    try reader.object { (key, reader) throws(ArtError) in
      switch key {
      case "alternative": found.alternative = try reader.boundedText()
      case "bleed": found.bleed = try reader.bleed()
      case "crop": found.crop = try CanvasRect(from: &reader)
      case "highlights": found.highlights = try Self.highlights(from: &reader)
      case "isSmall": found.isSmall = try reader.boolean()
      case "hasTextCaptions": found.hasTextCaptions = try reader.boolean()
      case "names": found.names = try Self.names(from: &reader)
      case "page": found.page = try PageSize(from: &reader)
      case "pagesLeft": found.pagesLeft = try reader.count(0...Self.pages - 1, "pages")
      case "panelsLeft": found.panelsLeft = try reader.count(0...Self.panels - 1, "panels")
      case "resolution": found.resolution = try reader.count(Self.resolutions, "dots per inch")
      case "sharesPage": found.sharesPage = try reader.boolean()
      case "title": found.title = try reader.boundedText()
      default: throw reader.error("details with the key \"\(key.prefix(40))\"")
      }
    }
    self = found
  }

  private static func highlights(from reader: inout JSONReader) throws(ArtError) -> [DrawingHighlight] {
    var found: [DrawingHighlight] = []
    try reader.array { (reader) throws(ArtError) in
      guard found.count < highlights else { throw .badCount(found.count + 1, "highlights") }
      found.append(try DrawingHighlight(from: &reader))
    }
    return found
  }
}

extension DrawingDetails {
  fileprivate static func names(from reader: inout JSONReader) throws(ArtError) -> [String: String] {
    var found: [String: String] = [:]
    try reader.object { (text, reader) throws(ArtError) in
      guard found.count < namedTexts else { throw .badCount(found.count + 1, "names") }
      found[text] = try reader.boundedText()
    }
    return found
  }
}

extension PageSize {
  /// Reads `[595.28,841.89]`.
  fileprivate init(from reader: inout JSONReader) throws(ArtError) {
    try reader.open()
    let width = try reader.number()
    try reader.comma()
    let height = try reader.number()
    try reader.close()
    try self.init(width: width, height: height)
  }
}

extension JSONReader {
  /// Reads a bleed.
  fileprivate mutating func bleed() throws(ArtError) -> Double {
    let bleed = try number()
    guard DrawingDetails.bleeds.contains(bleed) else { throw error("a bleed of \(numberText(bleed)) points") }
    return bleed
  }

  /// Reads a text of a drawing's details.
  fileprivate mutating func boundedText() throws(ArtError) -> String {
    let text = try string()
    guard text.unicodeScalars.count <= DrawingDetails.textLength else {
      throw error("a text of more than \(DrawingDetails.textLength) characters")
    }
    return text
  }
}
