// SPDX-License-Identifier: Apache-2.0

import ArtModel
import CGraphics
import CWorker
import Glibc

/// The files of the fonts for letters, opened by their names: Noto Sans, its sisters for other scripts, and symbols. No other font is
/// read, so that a text looks the same whatever else is installed.
public struct OpenLetterFonts {
  /// Mapped files by name, without their ending.
  let files: [String: Result<FontFile, DrawingRefusal>]

  /// Opens those that are in these folders, and maps them into memory without reading them.
  public init(folders: [String]) {
    var files: [String: Result<FontFile, DrawingRefusal>] = [:]
    for folder in folders {
      for name in LetterFonts.names where files[name] == nil {
        let path = "\(folder)/\(name)" + (name.hasSuffix("CJK") ? "-Regular.ttc" : "-Regular.ttf")
        guard access(path, R_OK) == 0 else { continue }
        do throws(DrawingRefusal) {
          files[name] = .success(try FontFile(path))
        } catch {
          // A damaged file is as good as a missing one: its letters are drawn as boxes, which is reported.
          if error.reason == .noMemory { files[name] = .failure(error) }
        }
      }
    }
    self.files = files
    if !files.isEmpty { cwords_prepare() }
  }
}

/// Shapes words, and has the outlines of their letters.
final class LetterFonts {
  /// A glyph of a line, with its origin in ems right of the line's start and below its baseline.
  struct Shaped {
    enum Glyph {
      /// A letter, in outlines; its font, and its number in that.
      case letter(Outline, of: FontFile, UInt32)
      /// An emoji: the index of its colour font, and its number in that.
      case emoji(font: Int, UInt32)
      /// A character that no font has.
      case missing(UInt32)
      /// A sequence of emoji that the colour fonts have in pieces only.
      case unjoined([UInt32])
    }
    var glyph: Glyph
    var x: Double
    var y: Double
    /// The distance to the origin of the next glyph.
    var advance: Double
    /// The bytes of its characters in the line's text.
    var bytes: Range<Int>
  }

  /// A shaped line, from left to right. Lengths are in ems.
  struct Line {
    var text: String
    var glyphs: [Shaped] = []
    var width = 0.0
    var ascent = 0.0
    var descent = 0.0
  }

  private final class Font {
    private let opened: HarfBuzzFont
    let outlines: GlyphOutlines
    var font: OpaquePointer { opened.font }
    var file: FontFile { opened.file }

    /// Nil for a file without glyphs.
    init?(_ file: FontFile) {
      guard let opened = HarfBuzzFont(file) else { return nil }
      self.opened = opened
      outlines = GlyphOutlines(opened.font, unitsPerEm: opened.unitsPerEm)
    }

    func has(_ scalar: Unicode.Scalar) -> Bool {
      var glyph: UInt32 = 0
      return hb_font_get_nominal_glyph(font, scalar.value, &glyph) != 0
    }
  }

  private let opened: OpenLetterFonts
  private let colors: ColorFonts
  private var parsed: [String: Font?] = [:]

  /// The fonts for letters, and the colour fonts.
  init(_ opened: OpenLetterFonts, color: ColorFonts) {
    self.opened = opened
    colors = color
  }

  /// Whether letters can be laid out.
  var areUsable: Bool { get throws(DrawingRefusal) { try font(Self.first) != nil } }

  /// Shapes a line without line breaks. Nil without fonts for letters. Throws `noMemory`.
  func shape(_ line: Substring) throws(DrawingRefusal) -> Line? {
    let fonts = try fonts(for: line)
    guard !fonts.isEmpty else { return nil }
    var list = fonts.map { cwords_font(font: $0.font, is_color: false) }
    list.append(cwords_font(font: colors.first.shaper.font, is_color: true))
    var shaped = cwords_line()
    var text = String(line)
    let isShaped = text.withUTF8 { bytes in
      bytes.withMemoryRebound(to: CChar.self) {
        cwords_shape(list, list.count, $0.baseAddress, $0.count, &shaped)
      }
    }
    guard isShaped else { throw .noMemory }
    defer { free(shaped.glyphs) }
    let glyphs = UnsafeBufferPointer(start: shaped.glyphs, count: shaped.count)
    var line = Line(text: text, width: shaped.width, ascent: shaped.ascent, descent: shaped.descent)
    // The bytes of the line where its characters end.
    var ends: [Int] = []
    let characters = Array(text)
    for character in characters { ends.append((ends.last ?? 0) + character.utf8.count) }
    let clusters = ClusterBytes(glyphs.map { Int($0.start) }, of: text.utf8.count)
    var index = 0
    var dropped = 0.0
    while index < glyphs.count {
      let glyph = glyphs[index]
      var next = index + 1
      var advance = glyph.advance
      var kind: Shaped.Glyph
      var bytes = clusters.bytes(from: Int(glyph.start))
      if !glyph.is_missing, fonts.indices.contains(Int(glyph.font)) {
        let font = fonts[Int(glyph.font)]
        kind = .letter(font.outlines.outline(glyph.glyph), of: font.file, glyph.glyph)
      } else {
        kind = glyph.is_missing ? .missing(glyph.glyph) : .emoji(font: 0, glyph.glyph)
        let number = Self.character(at: Int(glyph.start), ends)
        if characters.indices.contains(number), EmojiText.isEmoji(characters[number]) {
          // All glyphs of a sequence that the font does not join become one.
          while next < glyphs.count, Self.character(at: Int(glyphs[next].start), ends) == number { next += 1 }
          bytes = (number > 0 ? ends[number - 1] : 0)..<ends[number]
          (kind, advance) = try emoji(characters[number], kind, isOnly: next == index + 1, advance)
        }
      }
      line.glyphs.append(
        Shaped(glyph: kind, x: glyph.x - dropped, y: glyph.y, advance: advance, bytes: bytes))
      dropped += glyphs[(index + 1)..<next].reduce(0) { $0 + $1.advance } + (glyph.advance - advance)
      index = next
    }
    line.width -= dropped
    return line
  }

  /// What is set for an emoji, and its advance: the first glyph of the first colour font if that is all; else a glyph of another font, or a box
  /// for the whole.
  private func emoji(_ character: Character, _ first: Shaped.Glyph, isOnly: Bool, _ advance: Double)
    throws(DrawingRefusal) -> (Shaped.Glyph, Double)
  {
    let scalars = Array(character.unicodeScalars)
    let font = colors.first
    if isOnly, case .emoji(_, let glyph) = first, !font.shaper.isStandIn(glyph, for: scalars) {
      return (first, font.hasFixedAdvance ? ColorFont.advance : advance)
    }
    if let (font, number, glyph) = try colors.joined(String(character)) {
      return (.emoji(font: number, glyph.glyph), font.hasFixedAdvance ? ColorFont.advance : glyph.advance)
    }
    return (scalars.count == 1 ? first : .unjoined(Glyph.shownScalars(of: scalars)), advance)
  }

  /// The number of the character that has a byte of the text.
  private static func character(at byte: Int, _ ends: [Int]) -> Int {
    var (low, high) = (0, max(ends.count - 1, 0))
    while low < high {
      let middle = (low + high) / 2
      if ends[middle] > byte { high = middle } else { low = middle + 1 }
    }
    return low
  }

  /// The fonts for a text, the first one first: those of its scripts, those for symbols where they are needed, and for a character that none
  /// of these has, such as a sign of money, the first of all others that has it.
  private func fonts(for text: Substring) throws(DrawingRefusal) -> [Font] {
    guard let first = try font(Self.first) else { return [] }
    var fonts = [first]
    var names: [String] = []
    func add(_ name: String) throws(DrawingRefusal) {
      guard !names.contains(name), let font = try font(name) else { return }
      names.append(name)
      fonts.append(font)
    }
    let functions = hb_unicode_funcs_get_default()
    for scalar in text.unicodeScalars where !fonts.contains(where: { $0.has(scalar) }) {
      if let name = Self.scripts[hb_unicode_script(functions, scalar.value).rawValue] { try add(name) }
    }
    for scalar in text.unicodeScalars where !fonts.contains(where: { $0.has(scalar) }) && !isEmoji(scalar) {
      for name in Self.symbols + Self.names where !names.contains(name) {
        guard let font = try font(name), font.has(scalar) else { continue }
        try add(name)
        break
      }
    }
    return fonts
  }

  /// Whether a character is shown as an emoji, and the colour font has it; or no font needs to have it.
  private func isEmoji(_ scalar: Unicode.Scalar) -> Bool {
    var glyph: UInt32 = 0
    return scalar.properties.isDefaultIgnorableCodePoint
      || scalar.properties.isEmojiPresentation
        && hb_font_get_nominal_glyph(colors.first.shaper.font, scalar.value, &glyph) != 0
  }

  private func font(_ name: String) throws(DrawingRefusal) -> Font? {
    if let known = parsed[name] { return known }
    let font = try opened.files[name]?.get()
    let made = font.flatMap(Font.init)
    parsed[name] = .some(made)
    return made
  }
}

/// The bytes of clusters: each ends where the next one begins.
private struct ClusterBytes {
  private let starts: [Int]
  private let count: Int

  /// Clusters of a text of that many bytes, in any order and several times.
  init(_ starts: [Int], of count: Int) {
    // What stands before all clusters, and has no glyph, belongs to the first one.
    self.starts = Set(starts).sorted()
    self.count = count
  }

  func bytes(from start: Int) -> Range<Int> {
    var (low, high) = (0, starts.count)
    while low < high {
      let middle = (low + high) / 2
      if starts[middle] <= start { low = middle + 1 } else { high = middle }
    }
    let end = low < starts.count ? starts[low] : count
    return (low <= 1 ? 0 : start)..<max(end, start)
  }
}

// MARK: - Names

extension LetterFonts {
  /// The font for Latin, Greek and Cyrillic letters, for digits and punctuation.
  static let first = "NotoSans"
  /// The fonts for characters that belong to no script.
  private static let symbols = [
    "NotoSansSymbols", "NotoSansSymbols2", "NotoSansMath", "NotoMusic", "NotoSansCJK",
  ]
  /// The names of all files.
  static let names = Set(scripts.values).union(symbols).union([first]).sorted()

  /// Fonts by the tag of their script (ISO 15924), as HarfBuzz has it: the packages fonts-noto-core and fonts-noto-cjk of Debian.
  static let scripts: [UInt32: String] = {
    let pairs = table.split(separator: " ").compactMap { entry -> (UInt32, String)? in
      let parts = entry.split(separator: ":")
      guard parts.count == 2 else { return nil }
      return (parts[0].utf8.reduce(0) { $0 << 8 | UInt32($1) }, "Noto\(parts[1])")
    }
    return Dictionary(pairs) { first, _ in first }
  }()

  private static let table = """
    Adlm:SansAdlam Aghb:SansCaucasianAlbanian Ahom:SerifAhom Arab:SansArabic Armi:SansImperialAramaic \
    Armn:SansArmenian Avst:SansAvestan Bali:SansBalinese Bamu:SansBamum Bass:SansBassaVah Batk:SansBatak \
    Beng:SansBengali Bhks:SansBhaiksuki Bopo:SansCJK Brah:SansBrahmi Bugi:SansBuginese Buhd:SansBuhid \
    Cakm:SansChakma Cans:SansCanadianAboriginal Cari:SansCarian Cham:SansCham Cher:SansCherokee Copt:SansCoptic \
    Cprt:SansCypriot Deva:SansDevanagari Dogr:SerifDogra Dsrt:SansDeseret Dupl:SansDuployan \
    Egyp:SansEgyptianHieroglyphs Elba:SansElbasan Elym:SansElymaic Ethi:SansEthiopic Geor:SansGeorgian \
    Glag:SansGlagolitic Gong:SansGunjalaGondi Gonm:SansMasaramGondi Goth:SansGothic Gran:SansGrantha \
    Gujr:SansGujarati Guru:SansGurmukhi Hang:SansCJK Hani:SansCJK Hano:SansHanunoo Hatr:SansHatran Hebr:SansHebrew \
    Hira:SansCJK Hluw:SansAnatolianHieroglyphs Hmng:SansPahawhHmong Hmnp:SerifNyiakengPuachueHmong \
    Hung:SansOldHungarian Ital:SansOldItalic Java:SansJavanese Kali:SansKayahLi Kana:SansCJK Khar:SansKharoshthi \
    Khmr:SansKhmer Khoj:SansKhojki Knda:SansKannada Kthi:SansKaithi Lana:SansTaiTham Laoo:SansLao Lepc:SansLepcha \
    Limb:SansLimbu Lina:SansLinearA Linb:SansLinearB Lisu:SansLisu Lyci:SansLycian Lydi:SansLydian Mahj:SansMahajani \
    Mand:SansMandaic Mani:SansManichaean Marc:SansMarchen Medf:SansMedefaidrin Mend:SansMendeKikakui \
    Merc:SansMeroitic Mero:SansMeroitic Mlym:SansMalayalam Modi:SansModi Mong:SansMongolian Mroo:SansMro \
    Mtei:SansMeeteiMayek Mult:SansMultani Mymr:SansMyanmar Narb:SansOldNorthArabian Nbat:SansNabataean Newa:SansNewa \
    Nkoo:SansNKo Nshu:SansNushu Ogam:SansOgham Olck:SansOlChiki Orkh:SansOldTurkic Orya:SansOriya Osge:SansOsage \
    Osma:SansOsmanya Palm:SansPalmyrene Pauc:SansPauCinHau Perm:SansOldPermic Phag:SansPhagsPa \
    Phli:SansInscriptionalPahlavi Phlp:SansPsalterPahlavi Phnx:SansPhoenician Plrd:SansMiao \
    Prti:SansInscriptionalParthian Rjng:SansRejang Rohg:SansHanifiRohingya Runr:SansRunic Samr:SansSamaritan \
    Sarb:SansOldSouthArabian Saur:SansSaurashtra Sgnw:SansSignWriting Shaw:SansShavian Shrd:SansSharada \
    Sidd:SansSiddham Sind:SansKhudawadi Sinh:SansSinhala Sogd:SansSogdian Sogo:SansOldSogdian Sora:SansSoraSompeng \
    Soyo:SansSoyombo Sund:SansSundanese Sylo:SansSylotiNagri Syrc:SansSyriac Tagb:SansTagbanwa Takr:SansTakri \
    Tale:SansTaiLe Talu:SansNewTaiLue Taml:SansTamil Tang:SerifTangut Tavt:SansTaiViet Telu:SansTelugu \
    Tfng:SansTifinagh Tglg:SansTagalog Thaa:SansThaana Thai:SansThai Tibt:SerifTibetan Tirh:SansTirhuta \
    Ugar:SansUgaritic Vaii:SansVai Wara:SansWarangCiti Wcho:SansWancho Xpeo:SansOldPersian Xsux:SansCuneiform \
    Yezi:SerifYezidi Yiii:SansYi Zanb:SansZanabazarSquare
    """
}
