// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtSystem
import Glibc

/// A font's file, mapped into memory.
final class FontFile {
  /// Bytes that a font may have.
  static let limit = 1 << 28
  /// What it holds.
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

/// A font that was opened before anything is drawn, or why that was not possible, which is said when it is needed.
public struct OpenFont {
  private let opened: Result<FontFile, DrawingRefusal>
  /// Whether a path was given.
  let isNamed: Bool

  /// Opens the font at that path, and maps it into memory; nothing of it is read.
  public init(path: String?) {
    isNamed = path != nil
    opened = Result { () throws(DrawingRefusal) in try FontFile(path) }
  }

  /// The font's file. Throws `noFont` and `badFont`.
  func file() throws(DrawingRefusal) -> FontFile { try opened.get() }
}

extension DrawingRefusal {
  /// It has no colour glyphs as bitmaps.
  static func badFont(_ path: String) -> DrawingRefusal {
    DrawingRefusal(
      .badFont,
      "\(path) is no font with colour emoji as bitmaps, as Noto Color Emoji is (package fonts-noto-color-emoji)"
    )
  }

  /// One of its bitmaps cannot be decoded.
  static func brokenGlyph(_ glyph: UInt32, of path: String) -> DrawingRefusal {
    DrawingRefusal(
      .badFont,
      "the font \(path) is damaged: the bitmap of its glyph \(glyph) cannot be decoded; install it again (package fonts-noto-color-emoji)"
    )
  }
}
