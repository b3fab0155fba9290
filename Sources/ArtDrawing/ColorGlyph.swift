// SPDX-License-Identifier: Apache-2.0

/// A glyph of outlines in colours: steps in the order of painting. Lengths are in ems; y points downwards, and the origin is the font's.
struct ColorGlyph {
  /// A step of painting. Clips and groups lie within each other, and each ends.
  enum Step {
    /// Fills a mapped outline.
    case fill(Outline, Affine, Paint)
    /// Fills all that the clips around it leave.
    case paint(Paint)
    /// All steps until its end are drawn within a mapped outline.
    case beginClip(Outline, Affine)
    case endClip
    /// All steps until its end are drawn on a transparent layer, which is then laid over what was drawn before.
    case beginGroup
    case endGroup(Blending)
  }

  /// How a layer is laid over what was drawn before.
  enum Blending: Equatable {
    /// Over it, with that opacity.
    case over(opacity: Double)
    /// With a mode of `PaintComposite`.
    case mode(CompositeMode)
  }

  /// What fills a shape.
  enum Paint {
    case solid(Tint)
    case gradient(Gradient)
  }

  /// A colour that is not premultiplied.
  struct Tint: Equatable {
    var red: UInt8
    var green: UInt8
    var blue: UInt8
    /// 0 to 1.
    var alpha: Double
  }

  /// The steps.
  var steps: [Step] = []
  /// The points of all outlines.
  var points = 0
  /// The area that is painted, in square ems: the boxes of all fills, and the ink once more for each layer.
  private(set) var area = 0.0
  /// How far all outlines go up and down and across, in ems: the scan lines that they cross.
  private(set) var length = 0.0
  /// The ink: the smallest rectangle around all that is filled, within the glyph's clip box; nil for a blank glyph.
  var ink: Outline.Bounds?

  /// Nothing is drawn farther from the origin: six emoji.
  private static let reach = Outline.Bounds(left: -6, top: -6, right: 6, bottom: 6)

  /// Finds the ink, and cuts off what is beyond a box or the farthest that anything is drawn.
  mutating func clip(to box: Outline.Bounds?) {
    let clip = box.map { $0.intersection(Self.reach) } ?? Self.reach
    let extents = steps.map { step -> (ink: Outline.Bounds?, length: Double)? in
      switch step {
      case .fill(let outline, let map, _), .beginClip(let outline, let map): outline.extent(map)
      default: nil
      }
    }
    guard let clip, let ink = foundInk(extents, within: box)?.intersection(clip) else {
      self = ColorGlyph()
      return
    }
    self.ink = ink
    // Sums up what painting takes.
    for (step, extent) in zip(steps, extents) {
      length += extent?.length ?? 0
      switch step {
      case .fill, .beginClip: area += extent?.ink?.intersection(ink)?.area ?? 0
      case .paint, .beginGroup: area += ink.area
      case .endClip, .endGroup: break
      }
    }
    guard ink != foundInk(extents, within: nil) else { return }
    steps = [.beginClip(Outline(clip), .identity)] + steps + [.endClip]
  }

  /// The rectangle around all that is filled, within a box and the clips around it. A fill without any of these has no ink.
  private func foundInk(_ extents: [(ink: Outline.Bounds?, length: Double)?], within box: Outline.Bounds?)
    -> Outline.Bounds?
  {
    var ink: Outline.Bounds?
    // Nil where everything is clipped.
    var clips: [Outline.Bounds?] = box.map { [$0] } ?? []
    for (step, extent) in zip(steps, extents) {
      let own = extent?.ink
      let filled: Outline.Bounds?
      switch step {
      case .beginClip:
        clips.append(
          clips.last.map { outer in outer.flatMap { outer in own.flatMap(outer.intersection) } } ?? own)
        continue
      case .endClip:
        clips.removeLast()
        continue
      case .beginGroup, .endGroup: continue
      case .fill:
        filled = clips.last.map { clip in clip.flatMap { clip in own.flatMap(clip.intersection) } } ?? own
      case .paint: filled = clips.last ?? nil
      }
      ink = filled.map { ink?.union($0) ?? $0 } ?? ink
    }
    return ink
  }

  /// Whether a gradient repeats: Cairo's PDF files have such ones for a part of the shape only.
  private var hasRepeats: Bool {
    steps.contains { step in
      switch step {
      case .fill(_, _, .gradient(let gradient)), .paint(.gradient(let gradient)): gradient.extend != .pad
      default: false
      }
    }
  }

  /// Whether PDF can express it as shapes.
  var isPDFVector: Bool { isVector && !hasRepeats }

  /// Whether SVG 1.1 can express it as shapes.
  var isVector: Bool {
    steps.allSatisfy { step in
      switch step {
      case .fill(_, _, let paint): paint.isVector
      case .endGroup(.over): true
      case .paint, .endGroup: false
      case .beginClip, .endClip, .beginGroup: true
      }
    }
  }
}

extension ColorGlyph.Paint {
  /// Whether SVG 1.1 can express it.
  fileprivate var isVector: Bool {
    switch self {
    case .solid: true
    case .gradient(let gradient): gradient.isVector
    }
  }
}

/// The modes of `PaintComposite` by their numbers (OpenType 1.9.1, COLR, "Composite mode enumeration").
enum CompositeMode: UInt8 {
  case clear, source, destination, sourceOver, destinationOver, sourceIn, destinationIn, sourceOut,
    destinationOut,
    sourceAtop, destinationAtop, xor, plus, screen, overlay, darken, lighten, colorDodge, colorBurn,
    hardLight,
    softLight, difference, exclusion, multiply, hue, saturation, color, luminosity
}

// MARK: - Gradients

/// A gradient whose colour line goes from 0 to 1. Colours are mixed without being premultiplied, as Cairo, PDF, SVG and browsers do.
struct Gradient {
  typealias Point = Outline.Point

  /// Where the colour line lies.
  enum Shape: Equatable {
    /// Between two points.
    case linear(Point, Point)
    /// Between two circles.
    case radial(Circle, Circle)
    /// Around a centre between two angles, in turns, counter-clockwise from the right.
    case sweep(Point, from: Double, to: Double)
  }

  struct Circle: Equatable {
    var center: Point
    var radius: Double
  }

  /// What is beyond the ends of the colour line, by the number in a font.
  enum Extend: UInt8 {
    case pad, `repeat`, reflect
  }

  /// A colour on the line.
  struct Stop: Equatable {
    /// 0 to 1.
    var at: Double
    var tint: ColorGlyph.Tint
  }

  private(set) var shape: Shape
  private(set) var extend: Extend
  /// At least one, ascending.
  private(set) var stops: [Stop]
  /// Maps the gradient's space to the glyph's.
  let map: Affine

  /// A gradient with a colour line that may begin and end anywhere: the shape is moved so that it goes from 0 to 1. Nil if it paints nothing.
  init?(_ shape: Shape, _ extend: Extend, stops unsorted: [Stop], _ map: Affine) {
    var stops = unsorted.enumerated().sorted { ($0.element.at, $0.offset) < ($1.element.at, $1.offset) }.map(
      \.element)
    guard var low = stops.first?.at, let high = stops.last?.at, map.isDrawable else { return nil }
    var span = high - low
    let isSweep = if case .sweep = shape { true } else { false }
    if extend == .pad, !isSweep, low >= 0, high <= 1 { (low, span) = (0, 1) }
    if span <= 0 {
      guard extend == .pad || isSweep else { return nil }
      span = 1
    }
    for index in stops.indices { stops[index].at = (stops[index].at - low) / span }
    (self.extend, self.stops, self.map) = (extend, stops, map)
    switch shape {
    case .linear(let start, let end):
      guard start != end else { return nil }
      self.shape = .linear(.between(start, end, low), .between(start, end, low + span))
    case .radial(let start, let end):
      guard start != end else { return nil }
      self.shape = .radial(.between(start, end, low), .between(start, end, low + span))
      guard cutNegativeRadius() else { return nil }
    case .sweep(let center, let start, let end):
      let from = start + low * (end - start)
      self.shape = .sweep(center, from: from, to: from + span * (end - start))
    }
  }

  /// No circle has a negative radius: the line is cut where it is 0. False if nothing is left.
  private mutating func cutNegativeRadius() -> Bool {
    guard case .radial(let start, let end) = shape else { return true }
    if start.radius < 0, end.radius < 0 { return false }
    guard extend == .pad, (start.radius < 0) != (end.radius < 0) else { return true }
    let cut = start.radius / (start.radius - end.radius)
    let edge = Circle(center: .between(start.center, end.center, cut), radius: 0)
    let tint = tint(at: cut)
    if start.radius < 0 {
      stops = [Stop(at: cut, tint: tint)] + stops.filter { $0.at > cut }
      for index in stops.indices { stops[index].at = (stops[index].at - cut) / (1 - cut) }
      shape = .radial(edge, end)
    } else {
      stops = stops.filter { $0.at < cut } + [Stop(at: cut, tint: tint)]
      for index in stops.indices { stops[index].at /= cut }
      shape = .radial(start, edge)
    }
    return stops.allSatisfy(\.at.isFinite)
  }

  /// The colour at a place of the line.
  func tint(at place: Double) -> ColorGlyph.Tint {
    guard let next = stops.firstIndex(where: { $0.at >= place }) else { return stops[stops.count - 1].tint }
    guard next > 0 else { return stops[0].tint }
    let (low, high) = (stops[next - 1], stops[next])
    return .between(low.tint, high.tint, (place - low.at) / (high.at - low.at))
  }

  /// Whether SVG 1.1 has such a gradient: it has none around a centre, and knows of a radial one's inner circle its centre only.
  var isVector: Bool { svgRadial != nil || { if case .linear = shape { true } else { false } }() }

  /// A radial gradient as SVG 1.1 has it: the inner circle is a point, the focus, within the outer one. Nil for any that it cannot express.
  var svgRadial: (focus: Point, circle: Circle, stops: [Stop])? {
    guard case .radial(var inner, var outer) = shape else { return nil }
    var stops = stops
    if inner.radius > outer.radius {
      guard extend == .pad else { return nil }
      swap(&inner, &outer)
      stops = stops.reversed().map { Stop(at: 1 - $0.at, tint: $0.tint) }
    }
    let apart = inner.center.distance(to: outer.center)
    // A focus on the edge makes a cone, which viewers draw differently.
    guard apart + inner.radius <= outer.radius * 0.9999 else { return nil }
    if inner.radius > 0 {
      // With one centre the stops move outwards.
      guard apart == 0, extend == .pad else { return nil }
      for index in stops.indices {
        stops[index].at = (inner.radius + stops[index].at * (outer.radius - inner.radius)) / outer.radius
      }
    }
    return (inner.center, outer, stops)
  }
}

extension ColorGlyph.Tint {
  /// The colour at a share of the way between two.
  static func between(_ a: Self, _ b: Self, _ share: Double) -> Self {
    func mix(_ a: UInt8, _ b: UInt8) -> UInt8 {
      let value = Double(a) + (Double(b) - Double(a)) * share
      return UInt8(max(0, min(255, value.rounded())))
    }
    return Self(
      red: mix(a.red, b.red), green: mix(a.green, b.green), blue: mix(a.blue, b.blue),
      alpha: a.alpha + (b.alpha - a.alpha) * share)
  }
}

extension Gradient.Circle {
  fileprivate static func between(_ a: Self, _ b: Self, _ share: Double) -> Self {
    Self(center: .between(a.center, b.center, share), radius: a.radius + share * (b.radius - a.radius))
  }
}

extension Outline.Point {
  /// The point at a share of the way between two.
  static func between(_ a: Self, _ b: Self, _ share: Double) -> Self {
    Self(x: a.x + share * (b.x - a.x), y: a.y + share * (b.y - a.y))
  }

  fileprivate func distance(to other: Self) -> Double {
    ((x - other.x) * (x - other.x) + (y - other.y) * (y - other.y)).squareRoot()
  }
}
