// SPDX-License-Identifier: Apache-2.0

import ArtModel
import Foundation
import TestSupport

@testable import ArtDrawing

/// A short way to describe a drawing.
struct Sheet {
  /// Debian's fonts-noto-color-emoji.
  static let font = "/usr/share/fonts/truetype/noto/NotoColorEmoji.ttf"

  var canvas: Canvas
  var labels: [DrawingScene.Label] = []
  var picture: [UInt8]?
  var isTransparent = false
  var fonts = [Sheet.font]

  /// An empty sheet with a canvas of that size.
  init(
    _ width: Int, _ height: Int, picture: [UInt8]? = nil, isTransparent: Bool = false,
    fonts: [String] = [Sheet.font]
  ) throws {
    self.fonts = fonts
    canvas = try Canvas(width: width, height: height)
    self.picture = picture
    self.isTransparent = isTransparent
  }

  /// Adds a label on top.
  mutating func add(_ text: String, _ x: Double, _ y: Double, _ size: Double) throws {
    labels.append(
      DrawingScene.Label(text: try EmojiText(text), position: try Point(x: x, y: y), size: try FontSize(size))
    )
  }

  /// A drawing of the sheet; by default of the whole canvas, a pixel for each of its own.
  func drawing(_ region: CanvasRect? = nil, width: Int? = nil, height: Int? = nil) throws -> Drawing {
    var drawing = try drawing(region, width: width, height: height, font: nil)
    drawing.fonts = fonts
    return drawing
  }

  /// The same with another font, or none.
  func drawing(_ region: CanvasRect? = nil, width: Int? = nil, height: Int? = nil, font: String?)
    throws
    -> Drawing
  {
    let size = try PixelSize(width: width ?? canvas.width, height: height ?? canvas.height)
    return Drawing(
      scene: DrawingScene(canvas: canvas, labels: labels, picture: picture),
      region: region ?? CanvasRect(canvas),
      format: .png(size), isTransparent: isTransparent, fonts: [font].compactMap(\.self))
  }

  /// The report and the bytes of a PNG file.
  static func png(_ drawing: Drawing) throws -> (drawn: Drawn, bytes: [UInt8]) {
    var bytes: [UInt8] = []
    let drawn = try Renderings.draw(drawing) { bytes += $0 }
    return (drawn, bytes)
  }

  /// The painted pixels.
  func painted(_ region: CanvasRect? = nil, width: Int? = nil, height: Int? = nil) throws -> Painted {
    let drawing = try drawing(region, width: width, height: height)
    guard case .png(let size) = drawing.format else { throw ArtError(.badValue, "no PNG") }
    let painter = try Painter(drawing, size: size, Typesetter(OpenFonts(colors: fonts)))
    return Painted(try painter.whole(), painter.drawn)
  }
}

/// Pixels as they are painted: blue, green, red, alpha, premultiplied.
struct Painted {
  let width: Int
  let height: Int
  let bytes: [UInt8]
  let drawn: Drawn

  init(_ pixels: PixelBuffer, _ drawn: Drawn = Drawn()) {
    (width, height) = (pixels.width, pixels.height)
    bytes = Array(UnsafeBufferPointer(start: pixels.pixels, count: pixels.count))
    self.drawn = drawn
  }

  /// One pixel: red, green, blue, alpha.
  subscript(x: Int, y: Int) -> [UInt8] {
    let start = 4 * (y * width + x)
    return [bytes[start + 2], bytes[start + 1], bytes[start], bytes[start + 3]]
  }

  /// The centre of all pixels, weighted by alpha; nil if all are transparent.
  var center: (x: Double, y: Double)? {
    var (sum, x, y) = (0, 0, 0)
    for row in 0..<height {
      for column in 0..<width {
        let alpha = Int(bytes[4 * (row * width + column) + 3])
        sum += alpha
        x += alpha * (2 * column + 1)
        y += alpha * (2 * row + 1)
      }
    }
    guard sum > 0 else { return nil }
    return (Double(x) / Double(2 * sum), Double(y) / Double(2 * sum))
  }
}
