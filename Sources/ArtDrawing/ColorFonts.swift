// SPDX-License-Identifier: Apache-2.0

import ArtModel

/// The fonts with emoji in colours. What the first one lacks comes from the next.
final class ColorFonts {
  /// The font of the user's choice.
  let first: ColorFont
  private let opened: [Result<FontFile, DrawingRefusal>]
  /// The others that were needed; nil for those that cannot be read.
  private var others: [Int: ColorFont?] = [:]

  /// Reads the first font; the others are read when they are needed. Throws `noFont` and `badFont`.
  init(_ opened: [Result<FontFile, DrawingRefusal>]) throws(DrawingRefusal) {
    guard let first = opened.first else { throw .noFont() }
    self.first = try ColorFont(first.get())
    self.opened = opened
  }

  /// The fonts that a layout has glyphs of.
  private var used: Set<Int> = []

  /// What whoever publishes a drawing in these fonts has to say, once for each design.
  var credits: [String] {
    var credits: [String] = []
    for index in used.sorted() {
      guard let font = index == 0 ? first : others[index] ?? nil,
        let credit = EmojiFontName(family: font.shaper.family)?.credit, !credits.contains(credit)
      else { continue }
      credits.append(credit)
    }
    return credits
  }

  /// The same in one text; nil for nothing.
  var rights: String? { credits.isEmpty ? nil : credits.joined(separator: "; ") }

  /// Notes that a layout has a glyph.
  func use(_ glyph: Glyph) {
    if case .color(let index, _) = glyph { used.insert(index) }
  }

  /// The font at an index; nil where it cannot be read. Throws `noMemory`.
  func font(_ index: Int) throws(DrawingRefusal) -> ColorFont? {
    if index == 0 { return first }
    if let known = others[index] { return known }
    guard opened.indices.contains(index) else { return nil }
    var font: ColorFont?
    do throws(DrawingRefusal) {
      font = try ColorFont(opened[index].get())
    } catch {
      // What a damaged font would have is drawn as boxes, which is reported.
      if error.reason == .noMemory { throw error }
    }
    others[index] = .some(font)
    return font
  }

  /// The glyph of a sequence in the first font that has one for all of it, with U+FE0F put in where the font wants it; nil where none has.
  /// Throws `noMemory`.
  func joined(_ text: String) throws(DrawingRefusal) -> (font: ColorFont, index: Int, glyph: Shaper.Shaped)? {
    let full = text.withEmojiSelectors
    for index in opened.indices {
      guard let font = try font(index) else { continue }
      guard let glyph = font.only(text) ?? (full == text ? nil : font.only(full)) else { continue }
      let isUsable = index == 0 ? true : try isReadable(glyph.glyph, in: font)
      if isUsable { return (font, index, glyph) }
    }
    return nil
  }

  /// Whether a glyph of a fallback font can be read. Throws `noMemory`.
  private func isReadable(_ glyph: UInt32, in font: ColorFont) throws(DrawingRefusal) -> Bool {
    do throws(DrawingRefusal) {
      _ = try font.outlines(glyph)
      return true
    } catch {
      if error.reason == .noMemory { throw error }
      return false
    }
  }

  /// The outlines of a glyph, mapped to ems from the top left corner of its box; nil for a bitmap or a box. Throws `badFont` and `noMemory`.
  func outlines(_ glyph: Glyph) throws(DrawingRefusal) -> (glyph: ColorGlyph, inBox: Affine)? {
    guard case .color(let index, let number) = glyph else { return nil }
    return try font(index)?.outlines(number)
  }

  /// The pixels of a bitmap or of a box; not cached. Throws `noMemory` and `badFont`.
  func bitmap(_ glyph: Glyph) throws(DrawingRefusal) -> PixelBuffer {
    switch glyph {
    case .color(let index, let number):
      guard let font = try font(index), case .bitmaps(let strike) = font.glyphs else {
        throw .brokenGlyph(number, of: first.path)
      }
      return try strike.bitmap(number)
    case .missing(let scalars):
      return try TofuBox(scalars: scalars, width: first.ordinary.width, height: first.ordinary.height)
        .bitmap()
    }
  }

  /// The size of an em in the pixels of a glyph's extent. Throws `noMemory`.
  func pixelsPerEm(_ glyph: Glyph) throws(DrawingRefusal) -> Double {
    guard case .color(let index, _) = glyph, let font = try font(index) else { return first.pixelsPerEm }
    return font.pixelsPerEm
  }

  /// The units of a glyph's font for an em. Throws `noMemory`.
  func unitsPerEm(_ glyph: Glyph) throws(DrawingRefusal) -> Double {
    guard case .color(let index, _) = glyph, let font = try font(index) else { return 1 }
    return font.shaper.unitsPerEm
  }

  /// What tells a glyph from all others, in this font or another one. Throws `noMemory`.
  func name(of glyph: Glyph) throws(DrawingRefusal) -> String {
    switch glyph {
    case .missing(let scalars): return scalars.map { String($0, radix: 16) }.joined(separator: "-")
    case .color(let index, let number):
      guard let font = try font(index) else { return "" }
      return "\(font.shaper.family) \(font.hasBitmaps) \(number)"
    }
  }

  /// Whether a glyph is a picture of pixels in its font. Throws `noMemory`.
  func isBitmap(_ glyph: Glyph) throws(DrawingRefusal) -> Bool {
    guard case .color(let index, _) = glyph else { return false }
    return try font(index)?.hasBitmaps ?? false
  }
}

extension String {
  /// The text with U+FE0F after each character that is an emoji only with it, as in the fully-qualified sequences of Unicode's emoji-test. Not after
  /// a character with a skin tone. A lone digit stays one.
  var withEmojiSelectors: String {
    let scalars = Array(unicodeScalars)
    var result = UnicodeScalarView()
    for (index, scalar) in scalars.enumerated() {
      result.append(scalar)
      let next = index + 1 < scalars.count ? scalars[index + 1] : nil
      let isSelected =
        next.map { $0.value == 0xFE0F || $0.value == 0xFE0E || $0.properties.isEmojiModifier } ?? false
      if scalar.properties.isEmoji, !scalar.properties.isEmojiPresentation, !isSelected,
        !scalar.isASCII || next != nil
      {
        result.append("\u{FE0F}")
      }
    }
    return String(result)
  }
}
