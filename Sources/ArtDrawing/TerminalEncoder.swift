// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtSystem
import CGraphics
import Glibc

/// Converts pixels to sixels or to coloured characters, using libchafa.
enum TerminalEncoder {
  /// The limit of pixels, which are held in memory twice.
  static let pixelLimit = 8_500_000
  /// The pixels painted for a cell: two squares, each of the resolution of libchafa's symbols.
  private static let cell = (width: 8, height: 16)
  /// Rows of pixels in a row of sixels.
  private static let sixelRows = 6

  /// The size to paint for sixels or symbols. Throws `tooLarge`.
  static func paintedSize(_ format: Drawing.Format) throws(DrawingRefusal) -> PixelSize {
    switch format {
    case .sixel(let size):
      guard size.width * size.height <= pixelLimit else {
        throw tooLarge("\(size.width) x \(size.height) pixels")
      }
      return size
    case .symbols(let columns, let rows, _):
      let words = "\(columns) x \(rows) cells"
      let sides = 1...10_000
      guard sides.contains(columns), sides.contains(rows),
        columns * rows <= pixelLimit / (cell.width * cell.height)
      else { throw tooLarge(words) }
      return try size(columns * cell.width, rows * cell.height, words)
    case .png, .jpeg, .webp, .losslessWebP, .avif, .svg, .pdf, .ink:
      throw tooLarge("what is no drawing for a terminal")
    }
  }

  private static func size(_ width: Int, _ height: Int, _ words: String) throws(DrawingRefusal) -> PixelSize {
    do throws(ArtError) { return try PixelSize(width: width, height: height) } catch { throw tooLarge(words) }
  }

  private static func tooLarge(_ words: String) -> DrawingRefusal {
    DrawingRefusal(.tooLarge, "no terminal is given \(words); make its window smaller, or its font larger")
  }

  /// Encodes pixels in Cairo's ARGB32, premultiplied, of the size that `paintedSize` returned, with rows
  /// `stride` bytes apart. Throws `noMemory`, `tooLarge`.
  static func encode(
    pixels: UnsafeRawBufferPointer, size: PixelSize, stride: Int, as format: Drawing.Format
  ) throws(DrawingRefusal) -> [UInt8] {
    switch format {
    case .sixel:
      // libchafa would scale the picture to whole rows of sixels: transparent rows are added instead.
      let rest = size.height % sixelRows
      guard rest > 0 else { return try sixels(pixels, size.width, size.height, stride) }
      let height = size.height + sixelRows - rest
      var padded = [UInt8](repeating: 0, count: height * stride)
      padded.withUnsafeMutableBytes {
        $0.copyMemory(from: UnsafeRawBufferPointer(rebasing: pixels.prefix(size.height * stride)))
      }
      let made = padded.withUnsafeBytes { bytes in
        Result { () throws(DrawingRefusal) in try sixels(bytes, size.width, height, stride) }
      }
      return try made.get()
    case .symbols(let columns, let rows, let colors):
      let canvas = try Canvas(columns, rows, mode: colors.mode)
      return try canvas.print(pixels, size.width, size.height, stride)
    case .png, .jpeg, .webp, .losslessWebP, .avif, .svg, .pdf, .ink:
      throw tooLarge("what is no drawing for a terminal")
    }
  }

  private static func sixels(
    _ pixels: UnsafeRawBufferPointer, _ width: Int, _ height: Int, _ stride: Int
  ) throws(DrawingRefusal) -> [UInt8] {
    try Canvas(sixelsOf: width, height).print(pixels, width, height, stride)
  }
}

extension TerminalColors {
  fileprivate var mode: ChafaCanvasMode {
    switch self {
    case .eight: CHAFA_CANVAS_MODE_INDEXED_8
    case .indexed: CHAFA_CANVAS_MODE_INDEXED_240
    case .direct: CHAFA_CANVAS_MODE_TRUECOLOR
    }
  }
}

// MARK: - libchafa

/// A canvas of libchafa, and the sequences of the terminal.
private struct Canvas: ~Copyable {
  private let canvas: OpaquePointer
  private let terminal: OpaquePointer

  /// Cells of characters. Every font has halves, quarters and eighths of a block; each is one column wide.
  init(_ columns: Int, _ rows: Int, mode: ChafaCanvasMode) throws(DrawingRefusal) {
    try self.init { config in
      chafa_canvas_config_set_geometry(config, gint(columns), gint(rows))
      chafa_canvas_config_set_cell_geometry(config, 8, 16)
      chafa_canvas_config_set_pixel_mode(config, CHAFA_PIXEL_MODE_SYMBOLS)
      chafa_canvas_config_set_canvas_mode(config, mode)
      let map = chafa_symbol_map_new()
      defer { chafa_symbol_map_unref(map) }
      for tag in [CHAFA_SYMBOL_TAG_SPACE, CHAFA_SYMBOL_TAG_SOLID, CHAFA_SYMBOL_TAG_BLOCK] {
        chafa_symbol_map_add_by_tags(map, tag)
      }
      chafa_symbol_map_remove_by_tags(map, CHAFA_SYMBOL_TAG_STIPPLE)
      chafa_canvas_config_set_symbol_map(config, map)
    }
  }

  /// Sixels for exactly that many pixels.
  init(sixelsOf width: Int, _ height: Int) throws(DrawingRefusal) {
    try self.init { config in
      chafa_canvas_config_set_geometry(config, gint(width), gint(height))
      chafa_canvas_config_set_cell_geometry(config, 1, 1)
      chafa_canvas_config_set_pixel_mode(config, CHAFA_PIXEL_MODE_SIXELS)
      chafa_canvas_config_set_canvas_mode(config, CHAFA_CANVAS_MODE_TRUECOLOR)
    }
  }

  private init(_ configure: (OpaquePointer) -> Void) throws(DrawingRefusal) {
    guard let config = chafa_canvas_config_new() else { throw .noMemory }
    defer { chafa_canvas_config_unref(config) }
    // Without repeated or skipped cells, which terminals may interpret differently.
    chafa_canvas_config_set_optimizations(config, CHAFA_OPTIMIZATION_REUSE_ATTRIBUTES)
    chafa_canvas_config_set_preprocessing_enabled(config, 0)
    chafa_canvas_config_set_work_factor(config, 0.5)
    configure(config)
    guard let canvas = chafa_canvas_new(config) else { throw .noMemory }
    guard let terminal = Self.sequences() else {
      chafa_canvas_unref(canvas)
      throw .noMemory
    }
    (self.canvas, self.terminal) = (canvas, terminal)
  }

  deinit {
    chafa_canvas_unref(canvas)
    chafa_term_info_unref(terminal)
  }

  /// The sequences of xterm with all colour modes and sixels.
  private static func sequences() -> OpaquePointer? {
    let surroundings: [String] = ["TERM=xterm-256color", "COLORTERM=truecolor"]
    var names: [UnsafeMutablePointer<CChar>?] = surroundings.map { strdup($0) }
    names.append(nil)
    defer { for name in names { free(name) } }
    guard let terminal = chafa_term_db_detect(chafa_term_db_get_default(), &names) else { return nil }
    chafa_term_info_set_seq(terminal, CHAFA_TERM_SEQ_BEGIN_SIXELS, "\u{1B}P%1;%2;%3q", nil)
    chafa_term_info_set_seq(terminal, CHAFA_TERM_SEQ_END_SIXELS, "\u{1B}\\", nil)
    return terminal
  }

  /// Whether one more thread can be started now; libchafa needs one.
  private static var canBeginThread: Bool {
    do throws(SystemError) {
      try Threads.check(1)
      return true
    } catch {
      return false
    }
  }

  func print(
    _ pixels: UnsafeRawBufferPointer, _ width: Int, _ height: Int, _ stride: Int
  ) throws(DrawingRefusal) -> [UInt8] {
    guard let bytes = pixels.bindMemory(to: guint8.self).baseAddress else { throw .noMemory }
    // libchafa does not check whether its threads were started, and waits for them.
    if !Self.canBeginThread { chafa_set_n_threads(1) }
    chafa_canvas_draw_all_pixels(
      canvas, CHAFA_PIXEL_BGRA8_PREMULTIPLIED, bytes, gint(width), gint(height), gint(stride))
    guard let text = chafa_canvas_print(canvas, terminal) else { throw .noMemory }
    defer { g_string_free(text, 1) }
    return Array(UnsafeRawBufferPointer(start: text.pointee.str, count: Int(text.pointee.len)))
  }
}
