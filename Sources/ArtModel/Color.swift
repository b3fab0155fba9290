// SPDX-License-Identifier: Apache-2.0

/// A colour of sRGB with an opacity, eight bits each.
public struct Color: Hashable, Sendable {
  /// A byte for each, red the highest.
  private let bits: UInt32

  /// Red, from 0 to 255.
  public var red: UInt8 { UInt8(truncatingIfNeeded: bits >> 24) }
  /// Green, from 0 to 255.
  public var green: UInt8 { UInt8(truncatingIfNeeded: bits >> 16) }
  /// Blue, from 0 to 255.
  public var blue: UInt8 { UInt8(truncatingIfNeeded: bits >> 8) }
  /// The opacity: 0 is transparent, 255 is opaque.
  public var alpha: UInt8 { UInt8(truncatingIfNeeded: bits) }

  /// A colour with these values.
  public init(red: UInt8, green: UInt8, blue: UInt8, alpha: UInt8 = 255) {
    bits = UInt32(red) << 24 | UInt32(green) << 16 | UInt32(blue) << 8 | UInt32(alpha)
  }

  /// Opaque black, the usual colour of letters.
  public static let black = Color(red: 0, green: 0, blue: 0)

  /// The colour of letters as it is stored: nil for black, which is left out.
  public var ofLetters: Color? { self == .black ? nil : self }

  /// Parses user input: `#fc0`, `#fc08`, `#ffcc00`, `#ffcc0080`, CSS's `rgb(255, 204, 0)` and `hsl(48, 100%, 50%)`, or one of CSS's names,
  /// in any case. Throws `badValue`.
  public init(typed: String) throws(ArtError) {
    let word = typed.lowercased()
    if let color = Self(digits: word, lengths: [3, 4, 6, 8]) ?? Self.names[word] ?? Self(function: word) {
      self = color
    } else {
      throw .badColor(typed, like: nearest(to: word, among: Self.names.keys.sorted()))
    }
  }

  /// Parses the stored form: `#ffcc00`, or `#ffcc0080` for a colour that is not opaque. Throws `badValue`.
  init(stored: String) throws(ArtError) {
    guard let color = Self(digits: stored, lengths: [6, 8]), color.description == stored else {
      throw .badColor(stored)
    }
    self = color
  }

  /// Parses `#` and that many hexadecimal digits; nil for anything else. With 3 or 4 digits, each one stands for two.
  private init?(digits text: String, lengths: [Int]) {
    let digits = text.utf8.dropFirst()
    guard text.utf8.first == UInt8(ascii: "#"), lengths.contains(digits.count) else { return nil }
    var values: [UInt8] = []
    for byte in digits {
      guard let value = Character(Unicode.Scalar(byte)).hexDigitValue else { return nil }
      values.append(UInt8(value))
    }
    if values.count <= 4 { values = values.flatMap { [$0, $0] } }
    let bytes = stride(from: 0, to: values.count, by: 2).map { values[$0] << 4 | values[$0 + 1] }
    self.init(red: bytes[0], green: bytes[1], blue: bytes[2], alpha: bytes.count == 4 ? bytes[3] : 255)
  }

  /// Whether nothing behind it is seen.
  public var isOpaque: Bool { alpha == 255 }
}

extension Color: CustomStringConvertible {
  /// The stored form: `#ffcc00`, or `#ffcc0080` for a colour that is not opaque.
  public var description: String {
    "#" + [red, green, blue].map(Self.hexadecimal).joined() + (isOpaque ? "" : Self.hexadecimal(alpha))
  }

  private static func hexadecimal(_ value: UInt8) -> String {
    let digits = String(value, radix: 16)
    return digits.count == 1 ? "0\(digits)" : digits
  }
}

// MARK: - Functions

extension Color {
  /// Parses `rgb(255 204 0 / 50%)`, `hsl(48, 100%, 50%)` and the like, as CSS has them
  /// (https://www.w3.org/TR/css-color-4/#rgb-functions); nil for anything else.
  fileprivate init?(function text: String) {
    guard let open = text.firstIndex(of: "("), text.last == ")" else { return nil }
    let arguments = text[open...].dropFirst().dropLast().split { " ,/".contains($0) }
    guard (3...4).contains(arguments.count) else { return nil }
    let alpha = arguments.count == 4 ? Self.part(arguments[3], of: 1) : 1
    let channels: [Double?]
    switch text[..<open] {
    case "rgb", "rgba": channels = arguments.prefix(3).map { Self.part($0, of: 255).map { $0 / 255 } }
    case "hsl", "hsla":
      let hue = decimal(arguments[0].hasSuffix("deg") ? arguments[0].dropLast(3) : arguments[0])
      let (saturation, lightness) = (Self.part(arguments[1], of: 100), Self.part(arguments[2], of: 100))
      guard let hue, let saturation, let lightness else { return nil }
      channels = Self.channels(hue: hue, saturation: saturation / 100, lightness: lightness / 100)
    default: return nil
    }
    let bytes = (channels + [alpha]).compactMap { $0.map { UInt8(($0 * 255).rounded()) } }
    guard bytes.count == 4 else { return nil }
    self.init(red: bytes[0], green: bytes[1], blue: bytes[2], alpha: bytes[3])
  }

  /// A number, or a percentage of the whole, within 0 and the whole; nil for anything else.
  private static func part(_ typed: Substring, of whole: Double) -> Double? {
    let isPercent = typed.hasSuffix("%")
    return decimal(isPercent ? typed.dropLast() : typed).map {
      min(max(isPercent ? $0 / 100 * whole : $0, 0), whole)
    }
  }

  /// Red, green and blue from 0 to 1 (https://www.w3.org/TR/css-color-4/#hsl-to-rgb).
  private static func channels(hue: Double, saturation: Double, lightness: Double) -> [Double] {
    let turn = hue.truncatingRemainder(dividingBy: 360) + 360
    return [0.0, 8, 4].map { offset in
      let place = (offset + turn / 30).truncatingRemainder(dividingBy: 12)
      let most = saturation * min(lightness, 1 - lightness)
      return min(max(lightness - most * max(-1, min(place - 3, 9 - place, 1)), 0), 1)
    }
  }
}

// MARK: - Names

extension Color {
  /// The named colours of CSS (https://www.w3.org/TR/css-color-4/#named-colors), and `transparent`.
  static let names: [String: Color] = {
    var names = ["transparent": Color(red: 0, green: 0, blue: 0, alpha: 0)]
    let words = table.split(whereSeparator: \.isWhitespace)
    for index in stride(from: 0, to: words.count - 1, by: 2) {
      names[String(words[index])] = Color(digits: "#\(words[index + 1])", lengths: [6])
    }
    return names
  }()

  private static let table = """
    aliceblue f0f8ff antiquewhite faebd7 aqua 00ffff aquamarine 7fffd4 azure f0ffff beige f5f5dc bisque ffe4c4
    black 000000 blanchedalmond ffebcd blue 0000ff blueviolet 8a2be2 brown a52a2a burlywood deb887
    cadetblue 5f9ea0 chartreuse 7fff00 chocolate d2691e coral ff7f50 cornflowerblue 6495ed cornsilk fff8dc
    crimson dc143c cyan 00ffff darkblue 00008b darkcyan 008b8b darkgoldenrod b8860b darkgray a9a9a9
    darkgreen 006400 darkgrey a9a9a9 darkkhaki bdb76b darkmagenta 8b008b darkolivegreen 556b2f
    darkorange ff8c00 darkorchid 9932cc darkred 8b0000 darksalmon e9967a darkseagreen 8fbc8f
    darkslateblue 483d8b darkslategray 2f4f4f darkslategrey 2f4f4f darkturquoise 00ced1 darkviolet 9400d3
    deeppink ff1493 deepskyblue 00bfff dimgray 696969 dimgrey 696969 dodgerblue 1e90ff firebrick b22222
    floralwhite fffaf0 forestgreen 228b22 fuchsia ff00ff gainsboro dcdcdc ghostwhite f8f8ff gold ffd700
    goldenrod daa520 gray 808080 green 008000 greenyellow adff2f grey 808080 honeydew f0fff0 hotpink ff69b4
    indianred cd5c5c indigo 4b0082 ivory fffff0 khaki f0e68c lavender e6e6fa lavenderblush fff0f5
    lawngreen 7cfc00 lemonchiffon fffacd lightblue add8e6 lightcoral f08080 lightcyan e0ffff
    lightgoldenrodyellow fafad2 lightgray d3d3d3 lightgreen 90ee90 lightgrey d3d3d3 lightpink ffb6c1
    lightsalmon ffa07a lightseagreen 20b2aa lightskyblue 87cefa lightslategray 778899 lightslategrey 778899
    lightsteelblue b0c4de lightyellow ffffe0 lime 00ff00 limegreen 32cd32 linen faf0e6 magenta ff00ff
    maroon 800000 mediumaquamarine 66cdaa mediumblue 0000cd mediumorchid ba55d3 mediumpurple 9370db
    mediumseagreen 3cb371 mediumslateblue 7b68ee mediumspringgreen 00fa9a mediumturquoise 48d1cc
    mediumvioletred c71585 midnightblue 191970 mintcream f5fffa mistyrose ffe4e1 moccasin ffe4b5
    navajowhite ffdead navy 000080 oldlace fdf5e6 olive 808000 olivedrab 6b8e23 orange ffa500
    orangered ff4500 orchid da70d6 palegoldenrod eee8aa palegreen 98fb98 paleturquoise afeeee
    palevioletred db7093 papayawhip ffefd5 peachpuff ffdab9 peru cd853f pink ffc0cb plum dda0dd
    powderblue b0e0e6 purple 800080 rebeccapurple 663399 red ff0000 rosybrown bc8f8f royalblue 4169e1
    saddlebrown 8b4513 salmon fa8072 sandybrown f4a460 seagreen 2e8b57 seashell fff5ee sienna a0522d
    silver c0c0c0 skyblue 87ceeb slateblue 6a5acd slategray 708090 slategrey 708090 snow fffafa
    springgreen 00ff7f steelblue 4682b4 tan d2b48c teal 008080 thistle d8bfd8 tomato ff6347
    turquoise 40e0d0 violet ee82ee wheat f5deb3 white ffffff whitesmoke f5f5f5 yellow ffff00
    yellowgreen 9acd32
    """
}
