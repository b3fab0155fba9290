// SPDX-License-Identifier: Apache-2.0

import ArtModel
import CGraphics

/// The largest colour bitmaps of a font, read by FreeType.
final class GlyphStrike {
  /// The position and size of a glyph's bitmap, in its own pixels.
  struct Extent: Hashable {
    /// From the pen to the left edge.
    var left: Int
    /// From the baseline up to the top edge.
    var top: Int
    /// The width.
    var width: Int
    /// The height.
    var height: Int
  }

  /// The valid sizes of a bitmap's side, in pixels.
  static let sides = 1...2048

  private let library: FT_Library
  private let face: FT_Face
  private let file: FontFile
  /// The size of an em in pixels.
  let pixelsPerEm: Double
  /// The extent of an ordinary glyph's bitmap.
  let ordinary: Extent

  /// The size of an em in Noto Color Emoji's bitmaps, in pixels, and the extent that all of them have.
  static let noto = (pixelsPerEm: 109.0, extent: Extent(left: 0, top: 101, width: 136, height: 128))

  /// Keeps the file alive. Throws `badFont` where it has no colour bitmaps.
  init(_ file: FontFile) throws(DrawingRefusal) {
    self.file = file
    var library: FT_Library?
    guard FT_Init_FreeType(&library) == 0, let library else { throw .noMemory }
    var face: FT_Face?
    let start = file.bytes.baseAddress?.assumingMemoryBound(to: UInt8.self)
    guard FT_New_Memory_Face(library, start, file.bytes.count, 0, &face) == 0, let face,
      let (index, size) = Self.largest(face), FT_Select_Size(face, index) == 0
    else {
      FT_Done_FreeType(library)
      throw .badFont(file.path)
    }
    self.library = library
    self.face = face
    pixelsPerEm = Double(size.y_ppem) / 64
    let (width, height) = (Int(size.width), Int(size.height))
    // The line of the strike is as high as its bitmaps; the ascender is rounded down to whole pixels.
    let top = Int(face.pointee.size.pointee.metrics.ascender >> 6)
    ordinary = Extent(left: 0, top: top, width: width, height: height)
  }

  deinit { FT_Done_FreeType(library) }

  /// The largest strike of a font with colours, and its index.
  private static func largest(_ face: FT_Face) -> (index: Int32, size: FT_Bitmap_Size)? {
    let font = face.pointee
    guard font.face_flags & FT_Long(FT_FACE_FLAG_COLOR) != 0, let sizes = font.available_sizes else {
      return nil
    }
    let all = UnsafeBufferPointer(start: sizes, count: Int(font.num_fixed_sizes))
    let usable = all.indices.filter { index in
      let size = all[index]
      return sides.contains(Int(size.width)) && sides.contains(Int(size.height))
        && sides.contains(Int(size.y_ppem >> 6))
    }
    return usable.max { all[$0].y_ppem < all[$1].y_ppem }.map { (Int32(clamping: $0), all[$0]) }
  }

  /// The extent of a glyph's bitmap, without decoding it; nil where it has none in colours.
  func extent(_ glyph: UInt32) -> Extent? {
    let flags = Int32(FT_LOAD_COLOR) | Int32(FT_LOAD_BITMAP_METRICS_ONLY)
    guard FT_Load_Glyph(face, glyph, flags) == 0 else { return nil }
    return loadedExtent
  }

  private var loadedExtent: Extent? {
    let slot = face.pointee.glyph.pointee
    let (width, height) = (Int(slot.bitmap.width), Int(slot.bitmap.rows))
    guard slot.format == FT_GLYPH_FORMAT_BITMAP,
      UInt32(slot.bitmap.pixel_mode) == FT_PIXEL_MODE_BGRA.rawValue,
      Self.sides.contains(width), Self.sides.contains(height), abs(slot.bitmap_left) <= 4096,
      abs(slot.bitmap_top) <= 4096
    else { return nil }
    return Extent(left: Int(slot.bitmap_left), top: Int(slot.bitmap_top), width: width, height: height)
  }

  /// The pixels of a glyph that has an extent. Throws `noMemory`, and `badFont` where the bitmap is damaged:
  /// leaving it out would go unnoticed.
  func bitmap(_ glyph: UInt32) throws(DrawingRefusal) -> PixelBuffer {
    guard FT_Load_Glyph(face, glyph, Int32(FT_LOAD_COLOR)) == 0, let extent = loadedExtent else {
      throw try broken(glyph)
    }
    let bitmap = face.pointee.glyph.pointee.bitmap
    guard let start = bitmap.buffer, Int(bitmap.pitch) >= 4 * extent.width else { throw try broken(glyph) }
    let result = try PixelBuffer(width: extent.width, height: extent.height)
    for row in 0..<extent.height {
      (result.pixels + row * result.stride).update(
        from: start + row * Int(bitmap.pitch), count: result.stride)
    }
    return result
  }

  /// FreeType reports a damaged bitmap and a lack of memory alike. Throws `noMemory` where memory is short.
  private func broken(_ glyph: UInt32) throws(DrawingRefusal) -> DrawingRefusal {
    // Twice what an intact bitmap needs can be allocated.
    let side = 2 * max(ordinary.width, ordinary.height)
    _ = try PixelBuffer(width: side, height: side)
    return .brokenGlyph(glyph, of: file.path)
  }
}
