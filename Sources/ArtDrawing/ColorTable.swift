// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The glyphs in colours that a font has as outlines: its tables COLR, versions 0 and 1, and CPAL (OpenType 1.9.1).
///
/// A glyph is read into a list of steps of a limited length, in which nothing refers to the font any more. Variable fonts have their default
/// shapes. The foreground colour is black.
final class ColorTable {
  /// The largest numbers that are accepted of a glyph; the largest in OpenMoji, Twemoji and Noto Color Emoji are in brackets.
  enum Limit {
    /// Paints within each other (9).
    static let depth = 64
    /// Steps, transformations and layers that are read (3,291).
    static let nodes = 16_384
    /// Stops of a gradient (13).
    static let stops = 256
    /// Points of an outline (14,697).
    static let outlinePoints = 32_768
    /// Points of all outlines (40,313).
    static let points = 131_072
    /// Layers of their own within each other (1), and in all (4). A composite has one or two.
    static let groups = (depth: 16, count: 128)
  }

  /// Why a glyph cannot be read.
  enum Fault: String, Error {
    case offset = "an offset leads out of its table"
    case depth = "its paints are too deep within each other"
    case cycle = "a paint contains itself"
    case nodes = "it has too many parts"
    case stops = "the colour line of a gradient is damaged or too long"
    case points = "its outlines have too many points"
    case groups = "it has too many layers to be blended"
    case layer = "it has a layer that is not there"
    case color = "it has a colour that is not there"
    case paint = "it has a paint of an unknown kind"
  }

  private let colors: PictureBytes
  private let palette: [ColorGlyph.Tint]
  private let outlines: GlyphOutlines
  private let unitsPerEm: Double
  private let oldBases: Records
  private let oldLayers: Records
  private let newBases: Records
  private let newLayers: Records
  private let clips: Records
  private var glyphs: [UInt32: ColorGlyph] = [:]
  /// The points of `glyphs`.
  private var held = 0

  /// Records of equal size, and the start of their table, from which their offsets count.
  private struct Records {
    var table = 0
    var start = 0
    var size = 1
    var count = 0

    func record(_ index: Int) -> Int? {
      (0..<count).contains(index) ? start + index * size : nil
    }
  }

  /// Reads the tables of a font, which must live as long. Nil where it has no glyphs in colours as outlines.
  init?(_ font: Shaper) {
    let bytes = PictureBytes(font.table("COLR"))
    guard let version = bytes.big(0, 2), version <= 1 else { return nil }
    colors = bytes
    palette = Self.palette(PictureBytes(font.table("CPAL")))
    outlines = GlyphOutlines(font.font, unitsPerEm: font.unitsPerEm)
    unitsPerEm = font.unitsPerEm
    oldBases = Self.records(in: bytes, at: bytes.big(4, 4), size: 6, count: bytes.big(2, 2))
    oldLayers = Self.records(in: bytes, at: bytes.big(8, 4), size: 4, count: bytes.big(12, 2))
    if version == 1 {
      newBases = Self.list(in: bytes, at: bytes.big(14, 4), size: 6)
      newLayers = Self.list(in: bytes, at: bytes.big(18, 4), size: 4)
      let clips = bytes.big(22, 4).flatMap { $0 > 0 && bytes.byte($0) == 1 ? $0 : nil }
      self.clips = Self.list(in: bytes, at: clips, size: 7, header: 1)
    } else {
      (newBases, newLayers, clips) = (Records(), Records(), Records())
    }
    guard oldBases.count > 0 || newBases.count > 0 else { return nil }
  }

  /// Whether a glyph has colours.
  func has(_ glyph: UInt32) -> Bool { newBase(glyph) != nil || oldBase(glyph) != nil }

  /// A glyph that has colours; nil for any other.
  func glyph(_ number: UInt32) throws(Fault) -> ColorGlyph? {
    if let known = glyphs[number] { return known }
    guard has(number) else { return nil }
    var reading = Reading(table: self)
    let read = try reading.read(number)
    // A document may use all glyphs of a font, and a font may have huge ones.
    held += read.points
    if glyphs.count >= 4_096 || held > GlyphOutlines.points { (glyphs, held) = ([:], read.points) }
    glyphs[number] = read
    return read
  }
}

// MARK: - Tables

extension ColorTable {
  /// The first palette.
  private static func palette(_ table: PictureBytes) -> [ColorGlyph.Tint] {
    guard let entries = table.big(2, 2), let start = table.big(8, 4), let first = table.big(12, 2),
      let records = table.big(6, 2), first + entries <= records,
      let colors = table.part(start + 4 * first, 4 * entries)
    else { return [] }
    return (0..<entries).compactMap { entry in
      let parts = (0..<4).compactMap { colors.byte(4 * entry + $0) }
      guard parts.count == 4 else { return nil }
      // In the order of blue, green, red and alpha.
      return ColorGlyph.Tint(
        red: UInt8(parts[2]), green: UInt8(parts[1]), blue: UInt8(parts[0]), alpha: Double(parts[3]) / 255)
    }
  }

  private static func records(in table: PictureBytes, at start: Int?, size: Int, count: Int?) -> Records {
    guard let start, start > 0, let count, table.part(start, count * size) != nil else { return Records() }
    return Records(table: start, start: start, size: size, count: count)
  }

  /// Records after their number, which is after a header.
  private static func list(in bytes: PictureBytes, at start: Int?, size: Int, header: Int = 0) -> Records {
    guard let start, start > 0, let count = bytes.big(start + header, 4) else { return Records() }
    let first = start + header + 4
    guard bytes.part(first, count * size) != nil else { return Records() }
    return Records(table: start, start: first, size: size, count: count)
  }

  /// The position of a record whose key is that glyph; records are sorted by it.
  private func search(_ records: Records, _ glyph: UInt32) -> Int? {
    var (low, high) = (0, records.count)
    while low < high {
      let middle = (low + high) / 2
      guard let record = records.record(middle), let key = colors.big(record, 2) else { return nil }
      if key == glyph { return record }
      if key < glyph { low = middle + 1 } else { high = middle }
    }
    return nil
  }

  /// The position of a glyph's paint, which may lie outside of the table.
  private func newBase(_ glyph: UInt32) -> Int? {
    guard let record = search(newBases, glyph), let offset = colors.big(record + 2, 4), offset > 0 else {
      return nil
    }
    return newBases.table + offset
  }

  /// The layers of a glyph of version 0.
  private func oldBase(_ glyph: UInt32) -> Range<Int>? {
    guard let record = search(oldBases, glyph), let first = colors.big(record + 2, 2),
      let count = colors.big(record + 4, 2)
    else { return nil }
    return first..<first + count
  }

  /// The rectangle beyond which nothing of a glyph is drawn; nil if it has none.
  private func clipBox(_ glyph: UInt32) -> Outline.Bounds? {
    var (low, high) = (0, clips.count)
    while low < high {
      let middle = (low + high) / 2
      guard let record = clips.record(middle), let first = colors.big(record, 2),
        let last = colors.big(record + 2, 2)
      else { return nil }
      if last < glyph {
        low = middle + 1
      } else if first > glyph {
        high = middle
      } else {
        guard let offset = colors.big(record + 4, 3), offset > 0,
          let format = colors.byte(clips.table + offset),
          (1...2).contains(format)
        else { return nil }
        let sides = (0..<4).compactMap { colors.signed(clips.table + offset + 1 + 2 * $0) }
        guard sides.count == 4 else { return nil }
        let ems = sides.map { Double($0) / unitsPerEm }
        return Outline.Bounds(left: ems[0], top: -ems[3], right: ems[2], bottom: -ems[1])
      }
    }
    return nil
  }
}

// MARK: - Glyphs

extension ColorTable {
  /// Reads one glyph.
  fileprivate struct Reading {
    let table: ColorTable
    private var glyph = ColorGlyph()
    private var nodes = 0
    private var groups = 0
    private var groupCount = 0
    /// The paints that are being read, each within the one before.
    private var path: [Int] = []

    init(table: ColorTable) { self.table = table }

    mutating func read(_ number: UInt32) throws(Fault) -> ColorGlyph {
      let box = table.newBase(number) == nil ? nil : table.clipBox(number)
      try paintGlyph(number, .identity)
      glyph.clip(to: box)
      return glyph
    }

    /// The paints of a glyph, mapped.
    private mutating func paintGlyph(_ number: UInt32, _ map: Affine) throws(Fault) {
      if let start = table.newBase(number) { return try paint(start, map) }
      guard let layers = table.oldBase(number) else { throw .layer }
      for layer in layers {
        try count()
        guard let record = table.oldLayers.record(layer), let number = table.colors.big(record, 2) else {
          throw .layer
        }
        let tint = try tint(table.colors.big(record + 2, 2), alpha: 1)
        if tint.alpha > 0 { try fill(number, map, .solid(tint)) }
      }
    }

    private mutating func count() throws(Fault) {
      nodes += 1
      guard nodes <= Limit.nodes else { throw .nodes }
    }

    /// A paint at a position of the table.
    private mutating func paint(_ start: Int, _ map: Affine) throws(Fault) {
      try count()
      guard path.count < Limit.depth else { throw .depth }
      guard !path.contains(start) else { throw .cycle }
      path.append(start)
      defer { path.removeLast() }
      guard let format = table.colors.byte(start) else { throw .offset }
      if let transform = try transform(start, format) {
        return try paint(child(of: start, at: start + 1), transform.then(map))
      }
      if let source = try source(start, format, map) {
        if let source { glyph.steps.append(.paint(source)) }
        return
      }
      switch format {
      case 1: try layers(start, map)
      case 10: try clipped(start, map)
      case 11: try colorGlyph(start, map)
      case 32: try composite(start, map)
      default: throw .paint
      }
    }

    /// PaintColrLayers.
    private mutating func layers(_ start: Int, _ map: Affine) throws(Fault) {
      let (bytes, list) = (table.colors, table.newLayers)
      guard let count = bytes.byte(start + 1), let first = bytes.big(start + 2, 4) else { throw .offset }
      for layer in first..<first + count {
        guard let record = list.record(layer) else { throw .layer }
        guard let offset = bytes.big(record, 4), offset > 0 else { throw .offset }
        try paint(list.table + offset, map)
      }
    }

    /// PaintGlyph: an outline that clips a paint; where that is a fill, the outline is filled.
    private mutating func clipped(_ start: Int, _ map: Affine) throws(Fault) {
      guard let number = table.colors.big(start + 4, 2) else { throw .offset }
      let inner = try child(of: start, at: start + 1)
      var (fill, outer, depth) = (inner, map, 0)
      // A fill may be transformed.
      while let format = table.colors.byte(fill), let transform = try transform(fill, format) {
        try count()
        depth += 1
        guard path.count + depth < Limit.depth else { throw .depth }
        outer = transform.then(outer)
        fill = try child(of: fill, at: fill + 1)
      }
      guard let format = table.colors.byte(fill) else { throw .offset }
      if let source = try source(fill, format, outer) {
        try count()
        if let source { try self.fill(number, map, source) }
        return
      }
      let outline = try outline(number)
      // What is clipped by nothing is not painted, but has to be intact.
      glyph.steps.append(.beginClip(map.isDrawable ? outline : Outline(), map))
      try paint(inner, map)
      glyph.steps.append(.endClip)
    }

    /// PaintColrGlyph: another glyph, within its clip box.
    private mutating func colorGlyph(_ start: Int, _ map: Affine) throws(Fault) {
      guard let number = table.colors.big(start + 1, 2).map({ UInt32($0) }) else { throw .offset }
      guard table.newBase(number) != nil, let box = table.clipBox(number) else {
        return try paintGlyph(number, map)
      }
      glyph.steps.append(.beginClip(map.isDrawable ? Outline(box) : Outline(), map))
      try paintGlyph(number, map)
      glyph.steps.append(.endClip)
    }

    /// PaintComposite. Those that need no blending are taken apart, so that SVG and PDF have shapes.
    private mutating func composite(_ start: Int, _ map: Affine) throws(Fault) {
      guard let number = table.colors.byte(start + 4) else { throw .offset }
      guard let mode = UInt8(exactly: number).flatMap(CompositeMode.init) else { throw .paint }
      let source = try child(of: start, at: start + 1)
      let backdrop = try child(of: start, at: start + 5)
      switch mode {
      case .clear: break
      case .source: try paint(source, map)
      case .destination: try paint(backdrop, map)
      case .sourceOver:
        try paint(backdrop, map)
        try paint(source, map)
      case .destinationOver:
        try paint(source, map)
        try paint(backdrop, map)
      default:
        if mode == .sourceIn, let opacity = try opacity(backdrop) {
          return try group(.over(opacity: opacity)) { reading throws(Fault) in try reading.paint(source, map)
          }
        }
        try group(.over(opacity: 1)) { reading throws(Fault) in
          try reading.paint(backdrop, map)
          try reading.group(.mode(mode)) { inner throws(Fault) in try inner.paint(source, map) }
        }
      }
    }

    private mutating func group(
      _ blending: ColorGlyph.Blending, _ body: (inout Reading) throws(Fault) -> Void
    )
      throws(Fault)
    {
      groups += 1
      groupCount += 1
      guard groups <= Limit.groups.depth, groupCount <= Limit.groups.count else { throw .groups }
      glyph.steps.append(.beginGroup)
      try body(&self)
      glyph.steps.append(.endGroup(blending))
      groups -= 1
    }

    /// The alpha of a solid colour that fills everything.
    private func opacity(_ start: Int) throws(Fault) -> Double? {
      guard let format = table.colors.byte(start),
        case .solid(let tint)?? = try source(start, format, .identity)
      else {
        return nil
      }
      return tint.alpha
    }

    private mutating func fill(_ number: Int, _ map: Affine, _ paint: ColorGlyph.Paint) throws(Fault) {
      let outline = try outline(number)
      guard !outline.isEmpty, map.isDrawable else { return }
      glyph.steps.append(.fill(outline, map, paint))
    }

    private mutating func outline(_ number: Int) throws(Fault) -> Outline {
      let outline = table.outlines.outline(UInt32(clamping: number))
      glyph.points += outline.points.count
      guard outline.points.count <= Limit.outlinePoints, glyph.points <= Limit.points else { throw .points }
      return outline
    }
  }
}

// MARK: - Paints

extension ColorTable.Reading {
  private var bytes: PictureBytes { table.colors }

  /// The position that an offset of 24 bits leads to.
  private func child(of start: Int, at position: Int) throws(ColorTable.Fault) -> Int {
    guard let offset = bytes.big(position, 3), offset > 0 else { throw .offset }
    return start + offset
  }

  /// A number of 2 bytes with a sign.
  private func integer(_ position: Int) throws(ColorTable.Fault) -> Double {
    guard let value = bytes.signed(position) else { throw .offset }
    return Double(value)
  }

  /// F2DOT14.
  private func fraction(_ position: Int) throws(ColorTable.Fault) -> Double { try integer(position) / 16_384 }

  /// Fixed: 16.16.
  private func fixed(_ position: Int) throws(ColorTable.Fault) -> Double {
    guard let value = bytes.big(position, 4) else { throw .offset }
    return Double(Int32(truncatingIfNeeded: value)) / 65_536
  }

  /// Two numbers of the font's units, as a point.
  private func point(_ position: Int) throws(ColorTable.Fault) -> Outline.Point {
    Outline.Point(
      x: try integer(position) / table.unitsPerEm, y: -(try integer(position + 2)) / table.unitsPerEm)
  }

  private func radius(_ position: Int) throws(ColorTable.Fault) -> Double {
    guard let value = bytes.big(position, 2) else { throw .offset }
    return Double(value) / table.unitsPerEm
  }

  /// A colour of the palette, with that part of its alpha.
  private func tint(_ index: Int?, alpha: Double) throws(ColorTable.Fault) -> ColorGlyph.Tint {
    guard let index else { throw .offset }
    let part = max(0, min(alpha, 1))
    // The colour of the text.
    if index == 0xFFFF { return ColorGlyph.Tint(red: 0, green: 0, blue: 0, alpha: part) }
    guard table.palette.indices.contains(index) else { throw .color }
    var tint = table.palette[index]
    tint.alpha *= part
    return tint
  }

  /// The map of a paint that transforms another one; nil for other paints. Variable paints have the number after that of those that are not,
  /// and the same fields first.
  private func transform(_ start: Int, _ format: Int) throws(ColorTable.Fault) -> Affine? {
    let map: Affine
    var center: Int?
    switch format {
    case 12, 13:
      let values = try child(of: start, at: start + 4)
      let scale = try [fixed(values), fixed(values + 4), fixed(values + 8), fixed(values + 12)]
      return Affine(
        a: scale[0], b: -scale[1], c: -scale[2], d: scale[3], e: try fixed(values + 16) / table.unitsPerEm,
        f: -(try fixed(values + 20)) / table.unitsPerEm)
    case 14, 15:
      let offset = try point(start + 4)
      return Affine(a: 1, b: 0, c: 0, d: 1, e: offset.x, f: offset.y)
    case 16...19:
      map = Affine(a: try fraction(start + 4), b: 0, c: 0, d: try fraction(start + 6), e: 0, f: 0)
      if format >= 18 { center = start + 8 }
    case 20...23:
      let scale = try fraction(start + 4)
      map = Affine(a: scale, b: 0, c: 0, d: scale, e: 0, f: 0)
      if format >= 22 { center = start + 6 }
    case 24...27:
      // Counter-clockwise, in half turns.
      let angle = try fraction(start + 4) * .pi
      map = Affine(a: cos(angle), b: -sin(angle), c: sin(angle), d: cos(angle), e: 0, f: 0)
      if format >= 26 { center = start + 6 }
    case 28...31:
      let (x, y) = (try fraction(start + 4) * .pi, try fraction(start + 6) * .pi)
      map = Affine(a: 1, b: -tan(y), c: tan(x), d: 1, e: 0, f: 0)
      if format >= 30 { center = start + 8 }
    default: return nil
    }
    guard let center else { return map }
    let point = try point(center)
    return Affine(a: 1, b: 0, c: 0, d: 1, e: -point.x, f: -point.y).then(map)
      .then(Affine(a: 1, b: 0, c: 0, d: 1, e: point.x, f: point.y))
  }

  /// What a paint without others in it fills with, mapped; nil within where it fills nothing. Nil for other paints.
  private func source(_ start: Int, _ format: Int, _ map: Affine) throws(ColorTable.Fault) -> ColorGlyph
    .Paint??
  {
    let shape: Gradient.Shape
    switch format {
    case 2, 3:
      let tint = try tint(bytes.big(start + 1, 2), alpha: fraction(start + 3))
      return .some(tint.alpha > 0 ? .solid(tint) : nil)
    case 4, 5:
      let (first, last, third) = (try point(start + 4), try point(start + 8), try point(start + 12))
      shape = .linear(first, Self.end(first, last, third))
    case 6, 7:
      let inner = Gradient.Circle(center: try point(start + 4), radius: try radius(start + 8))
      shape = .radial(inner, Gradient.Circle(center: try point(start + 10), radius: try radius(start + 14)))
    case 8, 9:
      // Angles are in half turns, less one.
      shape = .sweep(
        try point(start + 4), from: try fraction(start + 8) / 2 + 0.5, to: try fraction(start + 10) / 2 + 0.5)
    default: return nil
    }
    let line = try child(of: start, at: start + 1)
    guard let number = bytes.byte(line), let extend = UInt8(exactly: number).flatMap(Gradient.Extend.init),
      let count = bytes.big(line + 1, 2), (1...ColorTable.Limit.stops).contains(count)
    else { throw .stops }
    var stops: [Gradient.Stop] = []
    for index in 0..<count {
      let stop = line + 3 + index * (format % 2 == 0 ? 6 : 10)
      stops.append(
        Gradient.Stop(
          at: try fraction(stop), tint: try tint(bytes.big(stop + 2, 2), alpha: fraction(stop + 4))))
    }
    return .some(Gradient(shape, extend, stops: stops, map).map { .gradient($0) })
  }

  /// The end of a linear gradient: its lines of equal colour are parallel to the line from the first to the third point.
  private static func end(_ first: Outline.Point, _ last: Outline.Point, _ third: Outline.Point)
    -> Outline.Point
  {
    let (x, y) = (third.x - first.x, third.y - first.y)
    let length = x * x + y * y
    guard length > 0 else { return last }
    let along = ((last.x - first.x) * x + (last.y - first.y) * y) / length
    return Outline.Point(x: last.x - along * x, y: last.y - along * y)
  }
}

extension PictureBytes {
  /// A big-endian number of two bytes with a sign.
  fileprivate func signed(_ offset: Int) -> Int? { big(offset, 2).map { Int(Int16(truncatingIfNeeded: $0)) } }
}
