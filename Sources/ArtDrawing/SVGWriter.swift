// SPDX-License-Identifier: Apache-2.0

import ArtModel

/// Writes a drawing as SVG 1.1: the background file, and the emoji as editable text, or as pictures that are
/// stored once.
///
/// Content of a document appears only as escaped text or Base64, and never as markup.
struct SVGWriter {
  private let drawing: Drawing
  /// Nil for text output where no font was found.
  private let typesetter: Typesetter?
  private let sink: ByteSink
  /// What the names of elements begin with, so that two drawings on one page do not refer to each other's.
  private let prefix: String
  /// Pixels of the result for each pixel of the canvas.
  private let scale: Double
  private var missing = MissingGlyphTexts()
  private var enlarging: Enlarging?

  /// Writes the file. Throws `noFont`, `badFont` and `noMemory`; the bytes passed until then are incomplete.
  static func write(
    _ drawing: Drawing, _ fonts: OpenFonts, _ size: PixelSize, embedsGlyphs: Bool,
    _ receive: @escaping ([UInt8]) -> Void
  ) throws(DrawingRefusal) -> Drawn {
    // The viewer draws text. A font only gives positions, and shows which glyphs are missing.
    let isFontless = !embedsGlyphs && fonts.colors.isEmpty
    let typesetter = isFontless ? nil : try Typesetter(fonts)
    let prefix = try SVGPrefix(drawing, size, embedsGlyphs ? typesetter : nil).text
    var writer = SVGWriter(
      drawing: drawing, typesetter: typesetter, sink: ByteSink(receive), prefix: prefix,
      scale: Double(size.width) / drawing.region.width)
    if embedsGlyphs, let typesetter {
      writer.enlarging = Enlarging(typesetter.fonts, pixels: writer.scale)
    }
    writer.begin(size)
    let fault = try writer.writeBackground(size)
    try writer.writeLabels(embedsGlyphs)
    writer.sink.write("</g>\n")
    if embedsGlyphs { writer.writeCredits() }
    writer.sink.write("</svg>\n")
    writer.sink.flush()
    return Drawn(
      lacking: writer.missing.first, lackingCount: writer.missing.count, pictureFault: fault,
      enlarged: writer.enlarging?.most)
  }

  /// The licences of fonts that have to be named, as Inkscape writes and shows them.
  private func writeCredits() {
    guard let words = (typesetter?.fonts.rights).map(XMLText.escaped) else { return }
    sink.write(
      """
      <metadata><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:dc="http://purl.org/dc/elements/1.1/">\
      <rdf:Description rdf:about=""><dc:rights>\(words)</dc:rights></rdf:Description></rdf:RDF></metadata>

      """)
  }

  private func begin(_ size: PixelSize) {
    let canvas = drawing.scene.canvas
    let region = drawing.region
    let drawn = DrawnArea(canvas, crop: drawing.details.crop)
    let clip = [drawn.left, drawn.top, drawn.width, drawn.height].map(XMLText.number)
    let sides = drawing.details.page.map {
      ["\(XMLText.number($0.width))pt", "\(XMLText.number($0.height))pt"]
    }
    let box = [region.x, region.y, region.width, region.height].map(XMLText.number)
    let words = SVGWords(drawing.details, prefix: prefix)
    sink.write(
      """
      <?xml version="1.0" encoding="UTF-8"?>
      <svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" \
      width="\(sides?[0] ?? "\(size.width)")" height="\(sides?[1] ?? "\(size.height)")" \
      viewBox="\(box.joined(separator: " "))" preserveAspectRatio="none"\(words.attributes)>
      \(words.elements)\
      <clipPath id="\(prefix)canvas"><rect x="\(clip[0])" y="\(clip[1])" width="\(clip[2])" height="\(clip[3])"/></clipPath>

      """)
    if !drawing.isTransparent {
      sink.write(
        "<rect x=\"\(box[0])\" y=\"\(box[1])\" width=\"\(box[2])\" height=\"\(box[3])\" fill=\"#fff\"/>\n")
    }
    sink.write("<g clip-path=\"url(#\(prefix)canvas)\">\n")
    if let fill = drawing.scene.fill {
      sink.write("<rect width=\"\(canvas.width)\" height=\"\(canvas.height)\" \(fill.attributes)/>\n")
    }
  }

  /// Writes the background; hatching instead of a damaged one, and returns the reason.
  private func writeBackground(_ size: PixelSize) throws(DrawingRefusal) -> String? {
    guard let bytes = drawing.scene.picture else { return nil }
    let picture: StrippedPicture
    do throws(Refusal) {
      picture = try StrippedPicture(bytes, PictureLimits())
    } catch {
      writeHatching(size)
      return error.detail
    }
    let map = Affine.cover(
      drawing.scene.canvas, width: picture.width, height: picture.height, orientation: picture.orientation)
    sink.write(
      "<image width=\"\(picture.width)\" height=\"\(picture.height)\" preserveAspectRatio=\"none\""
        + " transform=\"\(map.matrix)\" xlink:href=\"data:\(picture.mediaType);base64,")
    var base64 = Base64Writer(sink)
    do throws(Refusal) {
      try picture.write { base64.write($0) }
    } catch {
      throw DrawingRefusal(.noMemory, error.detail)
    }
    base64.end()
    sink.write("\"/>\n")
    return nil
  }

  /// The same hatching as in the other formats: stripes in pixels of the result.
  private func writeHatching(_ size: PixelSize) {
    let (canvas, region) = (drawing.scene.canvas, drawing.region)
    let scale = [region.width / Double(size.width), region.height / Double(size.height)].map(XMLText.number)
    sink.write(
      """
      <pattern id="\(prefix)hatching" width="16" height="16" patternUnits="userSpaceOnUse" \
      patternTransform="scale(\(scale[0]) \(scale[1]))">\
      <path d="M0,0H16V16H0Z" fill="#dcdcdc"/><path d="M0,0H8L0,8ZM16,0V8L8,16H0Z" fill="#c8c8c8"/></pattern>
      <rect width="\(canvas.width)" height="\(canvas.height)" fill="url(#\(prefix)hatching)"/>

      """)
  }

  private mutating func writeLabels(_ embedsGlyphs: Bool) throws(DrawingRefusal) {
    if embedsGlyphs { return try writeGlyphs() }
    sink.write(
      "<g font-family=\"'Noto Color Emoji','Apple Color Emoji','Segoe UI Emoji',sans-serif\""
        + " text-anchor=\"middle\" xml:space=\"preserve\">\n")
    let visible = VisibleArea(drawing)
    for label in drawing.scene.labels {
      let layout = try typesetter?.layout(label.text) ?? .unknown(label.text)
      guard visible.touches(label, layout) else { continue }
      if layout.hasMissingGlyphs { missing.insert(label.text) }
      writeText(label, layout)
    }
    sink.write("</g>\n")
  }

  /// A text element for each line; those of a caption are in the font of letters, and in its colour.
  private func writeText(_ label: DrawingScene.Label, _ layout: GlyphLayout) {
    let size = label.size.pixels
    let lines = label.text.string.split(separator: "\n", omittingEmptySubsequences: false)
    let style =
      label.text.isCaption
      ? " font-family=\"'Noto Sans',sans-serif\" style=\"unicode-bidi:plaintext\" \(label.ink.attributes)"
      : ""
    for (line, baseline) in zip(lines, layout.baselines) where !line.isEmpty {
      let text = "\(style)>\(XMLText.escaped(String(line)))</text>\n"
      guard label.isUpright else {
        var map = label.map
        (map.a, map.b, map.c, map.d) = (map.a / size, map.b / size, map.c / size, map.d / size)
        let numbers = [baseline * size, size].map(XMLText.number)
        sink.write(
          "<text transform=\"\(map.matrix)\" y=\"\(numbers[0])\" font-size=\"\(numbers[1])\"" + text)
        continue
      }
      let numbers = [label.position.x, label.position.y + baseline * size, size].map(XMLText.number)
      sink.write(
        "<text x=\"\(numbers[0])\" y=\"\(numbers[1])\" font-size=\"\(numbers[2])\"" + text)
    }
  }

  private mutating func writeGlyphs() throws(DrawingRefusal) {
    guard let typesetter else { return }
    let visible = VisibleArea(drawing)
    var numbers: [Glyph: Int] = [:]
    sink.write("<defs>\n")
    let largest = try largestUses(typesetter, visible)
    for label in drawing.scene.labels {
      let layout = try typesetter.layout(label.text)
      guard visible.touches(label, layout) else { continue }
      if layout.hasMissingGlyphs { missing.insert(label.text) }
      try enlarging?.add(label, layout)
      guard !isText(label) else { continue }
      for placed in layout.glyphs where numbers[placed.glyph] == nil {
        numbers[placed.glyph] = numbers.count + 1
        try writeDefinition(
          placed, "\(prefix)g\(numbers.count)", typesetter.fonts, em: largest[placed.glyph] ?? 0)
      }
    }
    sink.write("</defs>\n")
    for label in drawing.scene.labels {
      let layout = try typesetter.layout(label.text)
      guard visible.touches(label, layout) else { continue }
      if isText(label) {
        sink.write("<g text-anchor=\"middle\" xml:space=\"preserve\">\n")
        writeText(label, layout)
        sink.write("</g>\n")
        continue
      }
      sink.write("<g role=\"img\" aria-label=\"\(XMLText.escaped(name(of: label)))\">\n")
      writeLetters(layout.letters, label)
      for placed in layout.glyphs {
        guard let number = numbers[placed.glyph] else { continue }
        try writeUse("\(prefix)g\(number)", of: placed, label, typesetter.fonts)
      }
      sink.write("</g>\n")
    }
  }

  /// Whether a label is a caption that the viewer sets.
  private func isText(_ label: DrawingScene.Label) -> Bool {
    drawing.details.hasTextCaptions && label.text.isCaption
  }

  /// What a label is called where it is not seen: its words, the emoji's name, or the emoji.
  private func name(of label: DrawingScene.Label) -> String {
    let text = label.text.string
    guard label.text.isCaption else { return drawing.details.names[text] ?? text }
    return text.split(whereSeparator: \.isNewline).joined(separator: " ")
  }

  /// The largest font size of each glyph of outlines that has to be a picture, in pixels of the canvas.
  private func largestUses(_ typesetter: Typesetter, _ visible: VisibleArea) throws(DrawingRefusal) -> [Glyph:
    Double]
  {
    var largest: [Glyph: Double] = [:]
    for label in drawing.scene.labels {
      let layout = try typesetter.layout(label.text)
      guard visible.touches(label, layout) else { continue }
      for placed in layout.glyphs where placed.ink != nil {
        guard largest[placed.glyph].map({ $0 < label.size.pixels }) ?? true,
          try typesetter.fonts.outlines(placed.glyph)?.glyph.isVector == false
        else { continue }
        largest[placed.glyph] = label.size.pixels
      }
    }
    return largest
  }

  /// A glyph's outlines, its picture in its own size, or the strokes of the box for a missing one. `em` is the size of its largest use where
  /// outlines become a picture.
  private func writeDefinition(_ placed: GlyphLayout.Placed, _ name: String, _ fonts: ColorFonts, em: Double)
    throws(DrawingRefusal)
  {
    if let outlines = try fonts.outlines(placed.glyph) {
      let units = try fonts.unitsPerEm(placed.glyph)
      guard !outlines.glyph.isVector else {
        return sink.write(ColorGlyphSVG.elements(outlines.glyph, name: name, unitsPerEm: units))
      }
      let pixels = OutlineBitmap.sharpness * em * scale
      guard let bitmap = try OutlineBitmap(outlines.glyph, pixelsPerEm: pixels) else { return }
      let (across, down) = (bitmap.pixels.width, bitmap.pixels.height)
      var map = bitmap.map
      (map.a, map.d, map.e, map.f) = (map.a * units, map.d * units, map.e * units, map.f * units)
      return try writeImage(
        " id=\"\(name)\" width=\"\(across)\" height=\"\(down)\" transform=\"\(map.matrix)\"",
        PNGWriter.png(of: bitmap.pixels, isTransparent: true))
    }
    let em = try fonts.pixelsPerEm(placed.glyph)
    let size = [placed.width, placed.height].map { ($0 * em).rounded() }
    if case .missing(let scalars) = placed.glyph {
      let box = TofuBox(scalars: scalars, width: Int(size[0]), height: Int(size[1]))
      return sink.write("<g id=\"\(name)\" \(box.elements)</g>\n")
    }
    let sides = size.map(XMLText.number)
    try writeImage(" id=\"\(name)\" width=\"\(sides[0])\" height=\"\(sides[1])\"", fonts.glyphFile(placed))
  }

  private func writeImage(_ attributes: String, _ png: [UInt8]) throws(DrawingRefusal) {
    sink.write("<image\(attributes) xlink:href=\"data:image/png;base64,")
    var base64 = Base64Writer(sink)
    png.withUnsafeBytes { base64.write($0) }
    base64.end()
    sink.write("\"/>\n")
  }

  private func writeLetters(_ letters: Outline, _ label: DrawingScene.Label) {
    guard !letters.isEmpty else { return }
    sink.write(
      "<path transform=\"\(label.map.matrix)\" \(label.ink.attributes) d=\"\(letters.pathData)\"/>\n")
  }

  private func writeUse(
    _ name: String, of placed: GlyphLayout.Placed, _ label: DrawingScene.Label, _ fonts: ColorFonts
  ) throws(DrawingRefusal) {
    let box = Affine(a: 1, b: 0, c: 0, d: 1, e: placed.x, f: placed.y)
    let map: Affine
    if let outlines = try fonts.outlines(placed.glyph) {
      let unit = 1 / (try fonts.unitsPerEm(placed.glyph))
      map = Affine(a: unit, b: 0, c: 0, d: unit, e: 0, f: 0).then(outlines.inBox).then(box).then(label.map)
    } else {
      let em = 1 / (try fonts.pixelsPerEm(placed.glyph))
      map = Affine(a: em, b: 0, c: 0, d: em, e: placed.x, f: placed.y).then(label.map)
    }
    sink.write("<use xlink:href=\"#\(name)\" transform=\"\(map.matrix)\"/>\n")
  }
}

extension Color {
  /// The attributes that fill with the colour.
  fileprivate var attributes: String {
    let opaque = Color(red: red, green: green, blue: blue)
    return "fill=\"\(opaque)\"" + (isOpaque ? "" : " fill-opacity=\"\(XMLText.number(Double(alpha) / 255))\"")
  }
}

extension Affine {
  /// The value of a `transform` attribute.
  var matrix: String {
    "matrix(\([a, b, c, d, e, f].map(XMLText.number).joined(separator: " ")))"
  }
}

extension TofuBox {
  /// The rest of the start tag, and the content.
  fileprivate var elements: String {
    func color(_ color: UInt32) -> String { "#" + String(color & 0xFF_FFFF, radix: 16) }
    func numbers(_ values: Double...) -> String { values.map(XMLText.number).joined(separator: " ") }
    let strokes = lines.map { "M\(numbers($0.x0, $0.y0, $0.x1, $0.y1))" }.joined()
    let (edge, width) = (frame, XMLText.number(lineWidth))
    return """
      fill="none" stroke="\(color(Self.ink))" stroke-width="\(width)" stroke-linecap="round" stroke-linejoin="round">\
      <path fill="\(color(Self.paper))" d="M\(numbers(edge.x, edge.y))h\(numbers(edge.width))v\(numbers(edge.height))\
      h\(numbers(-edge.width))z"/><path d="\(strokes)"/>
      """
  }
}

extension Outline {
  /// The value of the `d` attribute of a path.
  fileprivate var pathData: String {
    var data = ""
    forEach { step, points in
      switch step {
      case .move: data += "M"
      case .line: data += "L"
      case .quadratic: data += "Q"
      case .cubic: data += "C"
      case .close: data += "z"
      }
      // Without an array of texts: a page of small letters has millions of points.
      for (index, point) in points.enumerated() {
        if index > 0 { data += " " }
        data += XMLText.number(point.x)
        data += " "
        data += XMLText.number(point.y)
      }
    }
    return data
  }
}

extension GlyphLayout {
  /// The layout with the metrics of Noto Color Emoji, one box for each character; of a caption, with its box.
  fileprivate static func unknown(_ text: EmojiText) -> GlyphLayout {
    if let box = text.box {
      let count = text.string.count { $0 == "\n" } + 1
      let line = box.height / Double(count)
      // Noto Sans: 1.069 ems above the baseline, of 1.362.
      let baselines = (0..<count).map { (Double($0) + 1.069 / 1.362) * line - box.height / 2 }
      return GlyphLayout(width: box.width, height: box.height, baselines: baselines)
    }
    return GlyphLayout(
      width: 136 / 109 * Double(text.string.count), height: 128 / 109, baselines: [37 / 109])
  }
}

// MARK: - Names of elements

/// What the names of a drawing's elements begin with: a digest of all that these depend on. Two drawings on one web page have different names, or
/// names for the same.
struct SVGPrefix {
  /// A letter and eight hexadecimal digits, with a hyphen.
  let text: String

  /// Throws what laying texts out throws. Without a typesetter no glyph has a name.
  init(_ drawing: Drawing, _ size: PixelSize, _ typesetter: Typesetter?) throws(DrawingRefusal) {
    let (scene, region, details) = (drawing.scene, drawing.region, drawing.details)
    let drawn = DrawnArea(scene.canvas, crop: details.crop)
    // Only what elements with a name depend on.
    let numbers = [
      drawn.left, drawn.top, drawn.width, drawn.height, region.x, region.y, region.width, region.height,
      Double(size.width), Double(size.height),
    ]
    var words = numbers.map(XMLText.number) + [details.title ?? "", details.alternative ?? ""]
    if let typesetter {
      // Names of glyphs are numbers in the order of their first visible use.
      let visible = VisibleArea(drawing)
      var glyphs: Set<Glyph> = []
      for label in scene.labels {
        let layout = try typesetter.layout(label.text)
        guard visible.touches(label, layout) else { continue }
        for placed in layout.glyphs where glyphs.insert(placed.glyph).inserted {
          words.append(try typesetter.fonts.name(of: placed.glyph))
        }
      }
      words.append(details.hasTextCaptions ? "text" : "paths")
    }
    // FNV-1a.
    var digest: UInt64 = 0xcbf2_9ce4_8422_2325
    for word in words {
      for byte in word.utf8 { digest = (digest ^ UInt64(byte)) &* 0x100_0000_01b3 }
      digest = (digest ^ 0xFF) &* 0x100_0000_01b3
    }
    let digits = String(UInt32(truncatingIfNeeded: digest ^ digest >> 32), radix: 16)
    text = "a" + String(repeating: "0", count: 8 - digits.count) + digits + "-"
  }
}

// MARK: - Title and description

/// The title and the description of an SVG file, by which those who cannot see it know what it shows (SVG 1.1, 5.4). The role of the
/// drawing is `graphics-document`, since that of a picture would hide the names of what is in it (WAI-ARIA Graphics 1.0, 4; WAI-ARIA 1.2, 5.3.4);
/// `document` is for readers that do not know it.
struct SVGWords {
  /// Attributes of the root element, each after a blank.
  let attributes: String
  /// The first elements in it, with their line break.
  let elements: String

  /// Emoji that are text are read without names.
  init(_ details: DrawingDetails, prefix: String) {
    let parts = [("title", details.title), ("desc", details.alternative)].compactMap { name, text in
      text.map { (name, $0) }
    }
    guard !parts.isEmpty else {
      (attributes, elements) = ("", "")
      return
    }
    let names = parts.map { prefix + $0.0 }.joined(separator: " ")
    attributes = " role=\"graphics-document document\" aria-labelledby=\"\(names)\""
    elements =
      parts.map { "<\($0.0) id=\"\(prefix)\($0.0)\">\(XMLText.escaped($0.1))</\($0.0)>" }.joined(
        separator: "\n")
      + "\n"
  }
}

// MARK: - Text

/// Texts and numbers in XML.
enum XMLText {
  /// Escapes text for an element or an attribute. Characters that XML 1.0 (section 2.2) forbids become U+FFFD.
  static func escaped(_ text: String) -> String {
    var result = String.UnicodeScalarView()
    for scalar in text.unicodeScalars {
      switch scalar {
      case "&": result.append(contentsOf: "&amp;".unicodeScalars)
      case "<": result.append(contentsOf: "&lt;".unicodeScalars)
      case ">": result.append(contentsOf: "&gt;".unicodeScalars)
      case "\"": result.append(contentsOf: "&quot;".unicodeScalars)
      case "'": result.append(contentsOf: "&#39;".unicodeScalars)
      case "\u{FFFE}", "\u{FFFF}", "\u{0}"..."\u{1F}", "\u{7F}"..."\u{9F}": result.append("\u{FFFD}")
      default: result.append(scalar)
      }
    }
    return String(result)
  }

  /// A number with few digits: four decimals, and more for small numbers.
  static func number(_ value: Double) -> String {
    let magnitude = value.magnitude
    guard magnitude > 0, magnitude.isFinite else { return "0" }
    var unit = 10_000.0
    while magnitude * unit < 1000, unit < 1e12 { unit *= 10 }
    let rounded = (value * unit).rounded() / unit
    if let whole = Int(exactly: rounded) { return String(whole) }
    return rounded.description
  }
}
