// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtSystem
import Glibc

/// A font file, mapped into memory.
final class FontFile {
  /// The size limit in bytes.
  static let limit = 1 << 28
  /// The bytes of the file.
  let bytes: UnsafeRawBufferPointer
  /// Its path.
  let path: String

  /// Throws `noFont` and `badFont`.
  init(_ path: String?) throws(DrawingRefusal) {
    guard let path else { throw .noFont() }
    self.path = path
    let file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard file >= 0 else { throw .noFont(at: path, SystemError.text(of: errno)) }
    defer { close(file) }
    var status = stat()
    guard fstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG,
      (1...Self.limit).contains(status.st_size)
    else { throw .badFont(path) }
    let size = status.st_size
    guard let memory = mmap(nil, size, PROT_READ, MAP_PRIVATE, file, 0), memory != MAP_FAILED else {
      throw .noMemory
    }
    bytes = UnsafeRawBufferPointer(start: memory, count: size)
  }

  deinit { munmap(UnsafeMutableRawPointer(mutating: bytes.baseAddress), bytes.count) }
}

/// Opened fonts; an error is thrown when the colour font is needed.
public struct OpenFonts {
  private let opened: Result<FontFile, DrawingRefusal>
  /// Whether the path of the colour font is known.
  let hasColorPath: Bool
  /// The fonts for letters.
  let letters: OpenLetterFonts

  /// Opens the colour font at a path, and the fonts for letters in these folders, and maps them into memory without reading them.
  public init(color path: String?, letterFolders: [String] = []) {
    hasColorPath = path != nil
    opened = Result { () throws(DrawingRefusal) in try FontFile(path) }
    letters = OpenLetterFonts(folders: letterFolders)
  }

  /// The file of the colour font. Throws `noFont` and `badFont`.
  func color() throws(DrawingRefusal) -> FontFile { try opened.get() }
}

// MARK: - Errors

extension DrawingRefusal {
  /// The font has no colour bitmaps.
  static func badFont(_ path: String) -> DrawingRefusal {
    DrawingRefusal(
      .badFont,
      "\(path) is no font with colour emoji as bitmaps, as Noto Color Emoji is (package fonts-noto-color-emoji)"
    )
  }

  /// A bitmap of the font cannot be decoded.
  static func brokenGlyph(_ glyph: UInt32, of path: String) -> DrawingRefusal {
    DrawingRefusal(
      .badFont,
      "the font \(path) is damaged: the bitmap of its glyph \(glyph) cannot be decoded; install it again (package fonts-noto-color-emoji)"
    )
  }

  /// No font for letters is installed.
  static func noLetters() -> DrawingRefusal {
    DrawingRefusal(
      .noFont,
      "no font for letters was found; install fonts-noto-core (Debian, Ubuntu), noto-fonts (Arch) or google-noto-sans-fonts (Fedora)"
    )
  }

  /// No font has these characters.
  static func noLetters(for scalars: [UInt32]) -> DrawingRefusal {
    let different = Set(scalars).sorted().compactMap { Unicode.Scalar($0).map { String($0) } }
    let shown = different.prefix(5).joined(separator: " ") + (different.count > 5 ? " and others" : "")
    return DrawingRefusal(
      .noFont,
      "no installed font has \(shown); leave it out, or install fonts-noto-core, and fonts-noto-cjk for Chinese, Japanese and Korean (Debian, Ubuntu)"
    )
  }
}
