// SPDX-License-Identifier: Apache-2.0

/// Kinds of files that are not taken, for the sentence that says so.
enum ForeignKind {
  private static let marks: [(offset: Int, mark: StaticString, name: String)] = [
    (0, "BM", "a BMP picture"), (0, "II*\0", "a TIFF picture"), (0, "MM\0*", "a TIFF picture"),
    (0, "8BPS", "a Photoshop document"), (0, "%PDF-", "a PDF document"), (0, "%!PS", "a PostScript document"),
    (0, "\0\0\u{1}\0", "an icon (ICO)"), (0, "\0\0\0\u{0C}JXL ", "a JPEG XL picture"),
    (0, "\0\0\0\u{0C}jP  ", "a JPEG 2000 picture"), (0, "qoif", "a QOI picture"),
    (0, "/* XPM", "an XPM picture"),
    (0, "PK\u{3}\u{4}", "a ZIP archive"), (0, "SQLite format 3\0", "an SQLite file"),
  ]

  /// What it is, as the rest of "this is"; nil for what is not known.
  static func name(_ file: PictureBytes) -> String? {
    if file.count == 0 { return "an empty file" }
    if file.has([0xFF, 0x0A], at: 0) { return "a JPEG XL picture" }
    if file.has([0x1F, 0x8B], at: 0) { return "compressed data (gzip)" }
    if let known = marks.first(where: { file.has($0.mark, at: $0.offset) }) { return known.name }
    if file.has("ftyp", at: 4) { return box(file.brands) }
    return text(file)
  }

  private static func box(_ brands: [String]) -> String {
    let isHEIC = brands.contains {
      ["heic", "heix", "hevc", "hevx", "heim", "heis", "mif1", "msf1"].contains($0)
    }
    return isHEIC ? "a HEIC picture" : "a film"
  }

  /// Texts begin with a tag, after a byte order mark and white space.
  private static func text(_ file: PictureBytes) -> String? {
    let start = file.slice.prefix(1024).drop { [0xEF, 0xBB, 0xBF, 0x20, 0x09, 0x0A, 0x0D].contains($0) }
    let text = String(decoding: start, as: UTF8.self).lowercased()
    guard text.hasPrefix("<") else { return nil }
    if text.hasPrefix("<svg") || text.contains("<svg") && text.hasPrefix("<?xml") { return "an SVG picture" }
    if text.hasPrefix("<!doctype svg") || text.hasPrefix("<!--") && text.contains("<svg") {
      return "an SVG picture"
    }
    if text.hasPrefix("<!doctype html") || text.hasPrefix("<html") || text.hasPrefix("<head") {
      return "a web page"
    }
    return text.contains("<html") ? "a web page" : "text"
  }
}
