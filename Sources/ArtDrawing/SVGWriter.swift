// SPDX-License-Identifier: Apache-2.0

import ArtModel

/// A drawing as SVG 1.1: the background as it came, and the emoji as text that can be edited, or as pictures, each once.
///
/// What a document contains is text between tags and Base64, and never markup.
struct SVGWriter {
  private let drawing: Drawing
  /// Nil for text where no font was found.
  private let font: ColorFont?
  private let sink: ByteSink
  private var lacking = LackingTexts()

  /// Writes it. Throws `noFont` and `badFont`, and `noMemory`, after which what was taken is not all.
  static func write(
    _ drawing: Drawing, _ opened: OpenFont, _ size: PixelSize, embedsGlyphs: Bool,
    _ take: @escaping ([UInt8]) -> Void
  ) throws(DrawingRefusal) -> Drawn {
    // Text is drawn by whoever looks at it: a font only says where, and what is lacking.
    let isFontless = !embedsGlyphs && !opened.isNamed
    let font = isFontless ? nil : try ColorFont(opened.file())
    var writer = SVGWriter(drawing: drawing, font: font, sink: ByteSink(take))
    writer.begin(size)
    let fault = try writer.writeBackground(size)
    try writer.writeLabels(embedsGlyphs)
    writer.sink.write("</g>\n</svg>\n")
    writer.sink.flush()
    return Drawn(lacking: writer.lacking.named, lackingCount: writer.lacking.count, pictureFault: fault)
  }

  private func begin(_ size: PixelSize) {
    let canvas = drawing.scene.canvas
    let region = drawing.region
    let box = [region.x, region.y, region.width, region.height].map(XMLText.number)
    sink.write(
      """
      <?xml version="1.0" encoding="UTF-8"?>
      <svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" \
      width="\(size.width)" height="\(size.height)" viewBox="\(box.joined(separator: " "))" \
      preserveAspectRatio="none">
      <clipPath id="canvas"><rect width="\(canvas.width)" height="\(canvas.height)"/></clipPath>

      """)
    if !drawing.isTransparent {
      sink.write(
        "<rect x=\"\(box[0])\" y=\"\(box[1])\" width=\"\(box[2])\" height=\"\(box[3])\" fill=\"#fff\"/>\n")
    }
    sink.write("<g clip-path=\"url(#canvas)\">\n")
  }

  /// The background, or hatching in its place with the reason.
  private func writeBackground(_ size: PixelSize) throws(DrawingRefusal) -> String? {
    guard let bytes = drawing.scene.picture else { return nil }
    let picture: PlainPicture
    do throws(Refusal) {
      picture = try PlainPicture(bytes, PictureLimits())
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

  /// As the other formats have it: stripes in pixels of what comes out.
  private func writeHatching(_ size: PixelSize) {
    let (canvas, region) = (drawing.scene.canvas, drawing.region)
    let scale = [region.width / Double(size.width), region.height / Double(size.height)].map(XMLText.number)
    sink.write(
      """
      <pattern id="hatching" width="16" height="16" patternUnits="userSpaceOnUse" \
      patternTransform="scale(\(scale[0]) \(scale[1]))">\
      <path d="M0,0H16V16H0Z" fill="#dcdcdc"/><path d="M0,0H8L0,8ZM16,0V8L8,16H0Z" fill="#c8c8c8"/></pattern>
      <rect width="\(canvas.width)" height="\(canvas.height)" fill="url(#hatching)"/>

      """)
  }

  private mutating func writeLabels(_ embedsGlyphs: Bool) throws(DrawingRefusal) {
    if embedsGlyphs { return try writeGlyphs() }
    sink.write(
      "<g font-family=\"'Noto Color Emoji','Apple Color Emoji','Segoe UI Emoji',sans-serif\""
        + " text-anchor=\"middle\" xml:space=\"preserve\">\n")
    let seen = SeenPart(drawing)
    for label in drawing.scene.labels {
      let layout = font?.layout(label.text) ?? .unknown(label.text)
      guard seen.touches(label, layout) else { continue }
      if layout.isLacking { lacking.insert(label.text) }
      let size = label.size.pixels
      let place = [label.position.x, label.position.y + layout.baseline * size, size].map(XMLText.number)
      sink.write(
        "<text x=\"\(place[0])\" y=\"\(place[1])\" font-size=\"\(place[2])\">"
          + XMLText.escaped(label.text.string) + "</text>\n")
    }
    sink.write("</g>\n")
  }

  private mutating func writeGlyphs() throws(DrawingRefusal) {
    guard let font else { return }
    let seen = SeenPart(drawing)
    var names: [Glyph: Int] = [:]
    sink.write("<defs>\n")
    for label in drawing.scene.labels {
      let layout = font.layout(label.text)
      guard seen.touches(label, layout) else { continue }
      if layout.isLacking { lacking.insert(label.text) }
      for placed in layout.glyphs where names[placed.glyph] == nil {
        names[placed.glyph] = names.count
        try writeDefinition(placed, names.count, font)
      }
    }
    sink.write("</defs>\n")
    for label in drawing.scene.labels {
      let layout = font.layout(label.text)
      guard seen.touches(label, layout) else { continue }
      for placed in layout.glyphs {
        guard let name = names[placed.glyph] else { continue }
        writeUse(name + 1, of: placed, label, font)
      }
    }
  }

  /// A glyph's picture, as large as its pixels, or the strokes of what stands for it.
  private func writeDefinition(_ placed: GlyphLayout.Placed, _ name: Int, _ font: ColorFont)
    throws(DrawingRefusal)
  {
    let size = [placed.width, placed.height].map { ($0 * font.pixelsPerEm).rounded() }
    if case .missing(let scalars) = placed.glyph {
      let box = MissingBox(scalars: scalars, width: Int(size[0]), height: Int(size[1]))
      return sink.write("<g id=\"g\(name)\" \(box.elements)</g>\n")
    }
    let sides = size.map(XMLText.number)
    sink.write(
      "<image id=\"g\(name)\" width=\"\(sides[0])\" height=\"\(sides[1])\" xlink:href=\"data:image/png;base64,"
    )
    var base64 = Base64Writer(sink)
    try font.glyphFile(placed).withUnsafeBytes { base64.write($0) }
    base64.end()
    sink.write("\"/>\n")
  }

  private func writeUse(
    _ name: Int, of placed: GlyphLayout.Placed, _ label: DrawingScene.Label, _ font: ColorFont
  ) {
    let size = label.size.pixels
    let map = Affine(
      a: size / font.pixelsPerEm, b: 0, c: 0, d: size / font.pixelsPerEm,
      e: label.position.x + placed.x * size, f: label.position.y + placed.y * size)
    sink.write("<use xlink:href=\"#g\(name)\" transform=\"\(map.matrix)\"/>\n")
  }
}

extension Affine {
  /// As an attribute.
  fileprivate var matrix: String {
    "matrix(\([a, b, c, d, e, f].map(XMLText.number).joined(separator: " ")))"
  }
}

extension MissingBox {
  /// The end of a tag, and what is in it.
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

extension GlyphLayout {
  /// How Noto Color Emoji would have it, a box for each character.
  fileprivate static func unknown(_ text: EmojiText) -> GlyphLayout {
    GlyphLayout(
      glyphs: [], width: 136 / 109 * Double(text.string.count), height: 128 / 109, baseline: 37 / 109,
      isLacking: false)
  }
}

/// What a document says, and numbers, as XML writes them.
enum XMLText {
  /// A text that is no markup, in an element and in an attribute. What XML 1.0 (section 2.2) has no room for becomes U+FFFD.
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

  /// A number in few digits: to a ten-thousandth, small ones to as many digits.
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
