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
  init(_ path: String) throws(DrawingRefusal) {
    self.path = path
    let file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard file >= 0 else {
      throw EmojiFontName(typed: path).map { .notInstalled($0) }
        ?? .noFont(at: path, SystemError.text(of: errno))
    }
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

/// Opened fonts; an error is thrown when a colour font is needed.
public struct OpenFonts {
  /// The files of the colour fonts, the first choice first, or why they cannot be opened.
  let colors: [Result<FontFile, DrawingRefusal>]
  /// The fonts for letters.
  let letters: OpenLetterFonts

  /// Opens the colour fonts at these paths, the first choice first, and the fonts for letters in these folders, and maps them into memory
  /// without reading them.
  public init(colors paths: [String], letterFolders: [String] = []) {
    colors = paths.map { path in Result { () throws(DrawingRefusal) in try FontFile(path) } }
    letters = OpenLetterFonts(folders: letterFolders)
  }
}

// MARK: - Errors

extension DrawingRefusal {
  /// A design that was named is not on this machine.
  static func notInstalled(_ name: EmojiFontName) -> DrawingRefusal {
    DrawingRefusal(.noFont, "no font of \(name.rawValue) is installed; \(name.remedy)")
  }

  /// The font has no emoji in colours.
  static func badFont(_ path: String) -> DrawingRefusal {
    DrawingRefusal(
      .badFont,
      "\(path) is not a font with emoji in colours, as Noto Color Emoji is (package fonts-noto-color-emoji)")
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
