// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtStore
import ArtWorker

/// What `render` writes.
enum PictureFormat: String, CaseIterable {
  case png, svg, pdf

  var mediaType: String {
    switch self {
    case .png: "image/png"
    case .svg: "image/svg+xml"
    case .pdf: "application/pdf"
    }
  }

  /// That of a file's ending, in any case; nil for another one.
  init?(endingOf path: String) {
    let name = PathParts(path).name
    guard let point = name.lastIndex(of: ".") else { return nil }
    self.init(rawValue: name[point...].dropFirst().lowercased())
  }
}

/// What the words of `render` ask for, read before any file is touched.
struct RenderWords {
  /// How large the result is.
  enum Size: Equatable {
    case scale(Double, typed: String)
    case width(Int)
  }

  let output: String
  let format: PictureFormat
  let size: Size
  let region: String?
  let isTransparent: Bool
  let embedsGlyphs: Bool
  let font: String?

  /// Throws `usage` and `badValue`.
  init(_ words: Render) throws(ArtError) {
    output = words.output
    format = try Self.format(words)
    size = try Self.size(words)
    region = words.region
    isTransparent = words.transparent
    embedsGlyphs = words.embed
    font = words.font
    if embedsGlyphs, format != .svg {
      throw ArtError(
        .usage, "--embed is about SVG, and \(format.rawValue.uppercased()) is to be written; leave it out")
    }
    if font?.isEmpty == true { throw ArtError(.badValue, "an empty name is no font file; give one") }
    if output == "-", words.common.json {
      throw ArtError(.usage, "--output - or --json: stdout takes one of them")
    }
  }

  private static func format(_ words: Render) throws(ArtError) -> PictureFormat {
    let ending = words.output == "-" ? .png : PictureFormat(endingOf: words.output)
    guard let typed = words.format else {
      guard let ending else {
        throw ArtError(
          .usage, "\(shown(words.output)) ends neither in .png nor .svg nor .pdf; say which one with --format"
        )
      }
      return ending
    }
    guard let format = PictureFormat(rawValue: typed.lowercased()) else {
      throw ArtError(.badValue, "\(shown(typed)) is no format; give png, svg or pdf")
    }
    if let ending, ending != format, words.output != "-" {
      throw ArtError(.usage, "\(words.output) and --format \(format.rawValue) do not go together")
    }
    return format
  }

  private static func size(_ words: Render) throws(ArtError) -> Size {
    guard let typed = words.width else { return try scale(words.scale ?? "1") }
    guard words.scale == nil else { throw ArtError(.usage, "--scale or --width: give one of them") }
    guard typed.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let width = Int(typed),
      PixelSize.sides.contains(width)
    else {
      throw ArtError(
        .badValue, "\(shown(typed)) is no width; give a whole number of pixels, from 1 to 10,000,000")
    }
    return .width(width)
  }

  private static func scale(_ typed: String) throws(ArtError) -> Size {
    guard let scale = decimal(typed), scale > 0 else {
      throw ArtError(.badValue, "\(shown(typed)) is no scale; give a number above 0, such as 2")
    }
    return .scale(scale, typed: typed)
  }

  /// The drawing, and how large it is. Throws `badValue` for a region or a size out of bounds.
  func drawing(of scene: Scene) throws(ArtError) -> (drawing: Drawing, size: PixelSize) {
    let rect = if let region { try Rect(typed: region, on: scene.canvas) } else { Rect(scene.canvas) }
    let pixels = try size.pixels(of: rect)
    let format: Drawing.Format =
      switch self.format {
      case .png: .png(pixels)
      case .svg: .svg(pixels, embedsGlyphs: embedsGlyphs)
      case .pdf: .pdf(pixels)
      }
    let drawing = Drawing(
      scene: scene, region: rect, format: format, isTransparent: isTransparent, font: EmojiFont.find(font))
    return (drawing, pixels)
  }
}

extension RenderWords.Size {
  /// A side has at least one pixel. Throws `badValue` for one of too many.
  func pixels(of region: Rect) throws(ArtError) -> PixelSize {
    switch self {
    case .width(let width):
      let height = try Self.side(region.height * Double(width) / region.width, "--width \(width)", region)
      return try PixelSize(width: width, height: height)
    case .scale(let scale, let typed):
      return try PixelSize(
        width: Self.side(region.width * scale, "--scale \(typed)", region),
        height: Self.side(region.height * scale, "--scale \(typed)", region))
    }
  }

  private static func side(_ length: Double, _ option: String, _ region: Rect) throws(ArtError) -> Int {
    let most = PixelSize.sides.upperBound
    guard length < Double(most) + 0.5 else {
      let scale = (Double(most) / max(region.width, region.height) * 100).rounded(.down) / 100
      throw ArtError(
        .badValue,
        "\(option) makes a side of more than 10,000,000 pixels; --scale \(numberText(scale)) does not")
    }
    return max(1, Int(length.rounded()))
  }
}
