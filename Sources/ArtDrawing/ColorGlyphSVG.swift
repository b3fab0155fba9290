// SPDX-License-Identifier: Apache-2.0

import ArtModel

/// A glyph of outlines in SVG 1.1: gradients and clips for `defs`, and paths. Lengths are the font's units, so that most numbers are whole.
///
/// The glyph must be one of shapes: `ColorGlyph.isVector`.
struct ColorGlyphSVG {
  private let name: String
  private let unitsPerEm: Double
  private var definitions = ""
  private var body = ""
  private var parts = 0

  /// The elements: what the glyph refers to, and a `g` of that name, whose parts have names that begin with it.
  static func elements(_ glyph: ColorGlyph, name: String, unitsPerEm: Double) -> String {
    var writer = ColorGlyphSVG(name: name, unitsPerEm: unitsPerEm)
    writer.write(glyph.steps)
    return "\(writer.definitions)<g id=\"\(name)\">\(writer.body)</g>\n"
  }

  private init(name: String, unitsPerEm: Double) { (self.name, self.unitsPerEm) = (name, unitsPerEm) }

  private mutating func write(_ steps: [ColorGlyph.Step]) {
    for (index, step) in steps.enumerated() {
      switch step {
      case .fill(let outline, let map, let paint):
        guard let fill = fill(paint, of: map) else { continue }
        body += "<path\(fill)\(transform(map)) d=\"\(SVGPath.data(of: outline, unit: unitsPerEm))\"/>\n"
      case .beginClip(let outline, let map):
        let id = nextPart()
        definitions +=
          "<clipPath id=\"\(id)\"><path\(transform(map)) d=\"\(SVGPath.data(of: outline, unit: unitsPerEm))\"/></clipPath>\n"
        body += "<g clip-path=\"url(#\(id))\">\n"
      case .beginGroup:
        body += "<g opacity=\"\(XMLText.number(Self.opacity(ofGroupAt: index, in: steps)))\">\n"
      case .endClip, .endGroup: body += "</g>\n"
      case .paint: break
      }
    }
  }

  /// The opacity that the end of a group has.
  private static func opacity(ofGroupAt start: Int, in steps: [ColorGlyph.Step]) -> Double {
    var depth = 0
    for step in steps[start...] {
      switch step {
      case .beginGroup: depth += 1
      case .endGroup(let blending):
        depth -= 1
        if depth == 0, case .over(let opacity) = blending { return Self.rounded(opacity) }
      default: break
      }
    }
    return 1
  }

  private mutating func nextPart() -> String {
    parts += 1
    return "\(name)-\(parts)"
  }

  /// The attributes that fill a path of that map; nil where nothing is seen.
  private mutating func fill(_ paint: ColorGlyph.Paint, of map: Affine) -> String? {
    switch paint {
    case .solid(let tint):
      guard tint.alpha > 0 else { return nil }
      return Self.color(tint, "fill", "fill-opacity")
    case .gradient(let gradient):
      guard let back = map.inverse else { return nil }
      let id = nextPart()
      let own = gradient.map.then(back)
      let stops: [Gradient.Stop]
      let element: String
      if let radial = gradient.svgRadial {
        let (circle, focus) = (radial.circle, radial.focus)
        var places = [("cx", circle.center.x), ("cy", circle.center.y), ("r", circle.radius)]
        if focus != circle.center { places += [("fx", focus.x), ("fy", focus.y)] }
        (element, stops) = ("radialGradient", radial.stops)
        definitions += start(element, id, places)
      } else if case .linear(let start, let end) = gradient.shape {
        (element, stops) = ("linearGradient", gradient.stops)
        definitions += self.start(
          element, id, [("x1", start.x), ("y1", start.y), ("x2", end.x), ("y2", end.y)])
      } else {
        return nil
      }
      let spread = gradient.extend == .pad ? "" : " spreadMethod=\"\(gradient.extend)\""
      definitions += "\(spread)\(transform(own, "gradientTransform"))>"
      for stop in stops {
        let color = Self.color(stop.tint, "stop-color", "stop-opacity")
        definitions += "<stop offset=\"\(XMLText.number(Self.rounded(stop.at)))\"\(color)/>"
      }
      definitions += "</\(element)>\n"
      return " fill=\"url(#\(id))\""
    }
  }

  private func start(_ element: String, _ id: String, _ places: [(String, Double)]) -> String {
    let attributes = places.map { "\($0.0)=\"\(XMLText.number($0.1 * unitsPerEm))\"" }.joined(separator: " ")
    return "<\(element) id=\"\(id)\" gradientUnits=\"userSpaceOnUse\" \(attributes)"
  }

  /// The attribute for a map of ems; nothing for one that changes nothing.
  private func transform(_ map: Affine, _ attribute: String = "transform") -> String {
    guard map != .identity else { return "" }
    var units = map
    (units.e, units.f) = (map.e * unitsPerEm, map.f * unitsPerEm)
    return " \(attribute)=\"\(units.matrix)\""
  }

  private static func color(_ tint: ColorGlyph.Tint, _ color: String, _ opacity: String) -> String {
    let solid = " \(color)=\"\(Color(red: tint.red, green: tint.green, blue: tint.blue))\""
    return tint.alpha < 1 ? "\(solid) \(opacity)=\"\(XMLText.number(rounded(tint.alpha)))\"" : solid
  }

  private static func rounded(_ value: Double) -> Double { (value * 10_000).rounded() / 10_000 }
}

/// The data of a path with relative steps, which have few digits.
struct SVGPath {
  /// Parts of a unit: coordinates have four decimals.
  private static let parts = 10_000

  private let unit: Double
  private var data: [UInt8] = []
  /// The last point, in parts.
  private var last = (x: 0, y: 0)

  /// The value of a `d` attribute, whose lengths are in that part of an em.
  static func data(of outline: Outline, unit: Double) -> String {
    var path = SVGPath(unit: unit)
    path.data.reserveCapacity(8 * outline.points.count)
    var start = path.last
    outline.forEach { step, points in
      switch step {
      case .move: path.add("m", points)
      case .line: path.addLine(points)
      case .quadratic: path.add("q", points)
      case .cubic: path.add("c", points)
      case .close:
        path.data.append(UInt8(ascii: "z"))
        path.last = start
      }
      if step == .move { start = path.last }
    }
    return String(decoding: path.data, as: UTF8.self)
  }

  private init(unit: Double) { self.unit = unit }

  private func parts(_ point: Outline.Point) -> (x: Int, y: Int) {
    // Outlines lie within some ems; a damaged one does not.
    func part(_ value: Double) -> Int {
      Int(max(-1e15, min((value * unit * Double(Self.parts)).rounded(), 1e15)))
    }
    return (part(point.x), part(point.y))
  }

  private mutating func add(_ letter: Character, _ points: ArraySlice<Outline.Point>) {
    data.append(letter.asciiValue ?? 0)
    var end = last
    var isFirst = true
    for point in points {
      end = parts(point)
      append(end.x - last.x, isFirst: isFirst)
      append(end.y - last.y, isFirst: false)
      isFirst = false
    }
    last = end
  }

  private mutating func addLine(_ points: ArraySlice<Outline.Point>) {
    guard let point = points.first else { return }
    let end = parts(point)
    if end.y == last.y {
      data.append(UInt8(ascii: "h"))
      append(end.x - last.x, isFirst: true)
    } else if end.x == last.x {
      data.append(UInt8(ascii: "v"))
      append(end.y - last.y, isFirst: true)
    } else {
      return add("l", points)
    }
    last = end
  }

  /// Appends a number of parts, after a blank where it needs one.
  private mutating func append(_ number: Int, isFirst: Bool) {
    if number < 0 {
      data.append(UInt8(ascii: "-"))
    } else if !isFirst {
      data.append(UInt8(ascii: " "))
    }
    let (whole, rest) = number.magnitude.quotientAndRemainder(dividingBy: UInt(Self.parts))
    if whole > 0 || rest == 0 { data += "\(whole)".utf8 }
    guard rest > 0 else { return }
    var digits = "\(UInt(Self.parts) + rest)".utf8.dropFirst()
    while digits.last == UInt8(ascii: "0") { digits = digits.dropLast() }
    data.append(UInt8(ascii: "."))
    data += digits
  }
}
