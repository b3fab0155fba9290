// SPDX-License-Identifier: Apache-2.0

import ArtModel
import CWorker

/// What a picture file says of its colours, where that may differ from sRGB. The decoders convert from it.
///
/// What browsers ignore is ignored: damaged profiles, profiles of another colour space, and values that are not defined. Such a picture
/// counts as one of sRGB, and is never refused.
enum PictureColors: Hashable {
  /// A colour profile (ICC.1:2022), of the picture's colour space.
  case profile([UInt8])
  /// Code points of ITU-T H.273.
  case codePoints(primaries: Int, transfer: Int)
  /// PNG's gAMA and cHRM: numbers times 100,000. Without cHRM the points are empty, and those of sRGB.
  case gamma(Int, points: [Int])
  /// The decoder of the format finds out.
  case ofDecoder

  /// The most bytes of a profile that is used. Those of presses with many colours have up to three million.
  static let largestProfile = 4 << 20

  /// The colours of a file; nil for those of sRGB.
  init?(_ bytes: [UInt8], _ kind: PictureKind) {
    let file = PictureBytes(bytes)
    let found: PictureColors? =
      switch kind {
      case .png: Self.png(file)
      case .jpeg: Self.profile(JPEGSegments.profile(file), ["RGB ", "GRAY", "CMYK"])
      case .webp: Self.webp(file)
      case .avif: .ofDecoder
      case .gif: nil
      }
    guard let found else { return nil }
    self = found
  }

  /// A profile of one of these colour spaces. The decoder compares it with the colours that it finds.
  private static func profile(_ bytes: [UInt8]?, _ spaces: Set<String>) -> PictureColors? {
    guard let bytes, bytes.count <= largestProfile, let space = PictureBytes(bytes).fourLetters(16),
      spaces.contains(space)
    else { return nil }
    return .profile(bytes)
  }

  // MARK: PNG (third edition, 4.3: cICP goes before iCCP, then sRGB, then gAMA and cHRM)

  private static func png(_ file: PictureBytes) -> PictureColors? {
    var chunks: [String: PictureBytes] = [:]
    var isBeforeData = true
    PNGChunks.each(file) { kind, data in
      if kind == "IDAT" { isBeforeData = false }
      if isBeforeData, chunks[kind] == nil { chunks[kind] = data }
    }
    if let found = chunks["cICP"].flatMap(codePoints) { return found }
    // Grey pictures may have profiles of either kind.
    let isGrey = file.byte(25).map { $0 & 2 == 0 } ?? false
    if let bytes = chunks["iCCP"].flatMap({ ColorProfile.expanded($0, largest: largestProfile) }),
      ColorProfile.isWhole(bytes)
    {
      return profile(bytes, isGrey ? ["RGB ", "GRAY"] : ["RGB "])
    }
    guard chunks["sRGB"] == nil, let gamma = chunks["gAMA"]?.big(0, 4), gamma > 0 else { return nil }
    let points = chunks["cHRM"].map { chunk in (0..<8).compactMap { chunk.big(4 * $0, 4) } } ?? []
    guard points.count == 8 else {
      // By itself such an exponent is meant for sRGB (PNG, 11.3.2.2): libpng's tolerance, which browsers have, too.
      return (43_182...47_727).contains(gamma) ? nil : .gamma(gamma, points: [])
    }
    return .gamma(gamma, points: points)
  }

  /// Nil for colour differences and for a limited range, which PNG does not have (11.3.2.6).
  private static func codePoints(_ chunk: PictureBytes) -> PictureColors? {
    guard let primaries = chunk.byte(0), let transfer = chunk.byte(1), chunk.byte(2) == 0,
      chunk.byte(3) == 1, cpicture_has_code_points(Int32(primaries), Int32(transfer))
    else { return nil }
    return .codePoints(primaries: primaries, transfer: transfer)
  }

  // MARK: WebP (RFC 9649, 2.7.1.4)

  private static func webp(_ file: PictureBytes) -> PictureColors? {
    guard let first = WebPChunks.first(file), first.kind == "VP8X", (first.data.byte(0) ?? 0) & 0x20 != 0
    else {
      return nil
    }
    var bytes: PictureBytes?
    WebPChunks.each(file.from(12)) { if $0.kind == "ICCP", bytes == nil { bytes = $0.data } }
    return profile(bytes.map { Array($0.slice) }, ["RGB "])
  }
}

extension PictureColors {
  /// Calls `body` with the colours in the form of the decoders.
  func withDecoderForm<Result>(_ body: (UnsafePointer<cpicture_colors>) -> Result) -> Result {
    var colors = cpicture_colors()
    switch self {
    case .profile(let bytes):
      return bytes.withUnsafeBufferPointer { bytes in
        (colors.profile, colors.profile_count) = (bytes.baseAddress, bytes.count)
        return body(&colors)
      }
    case .codePoints(let primaries, let transfer):
      (colors.primaries, colors.transfer) = (Int32(clamping: primaries), Int32(clamping: transfer))
    case .gamma(let gamma, let points):
      (colors.gamma, colors.has_points) = (UInt32(clamping: gamma), !points.isEmpty)
      withUnsafeMutableBytes(of: &colors.points) { buffer in
        let numbers = buffer.bindMemory(to: UInt32.self)
        for (index, point) in zip(numbers.indices, points) { numbers[index] = UInt32(clamping: point) }
      }
    case .ofDecoder: break
    }
    return body(&colors)
  }
}

// MARK: - Profiles in files

extension JPEGSegments {
  /// The most bytes of a profile in one segment (ICC.1:2022, B.4).
  static let largestProfilePart = 65_519

  /// The colour profile; nil for none, and for one whose parts are not all there. Decoders read what stands before the first scan.
  static func profile(_ file: PictureBytes) -> [UInt8]? {
    var parts: [Int: PictureBytes] = [:]
    var count = 0
    var segments = JPEGSegments(file)
    while let next = segments.next(), next.marker != scan, next.marker != end {
      guard next.isProfile, let number = next.data.byte(12), let all = next.data.byte(13),
        parts[number] == nil
      else { continue }
      (parts[number], count) = (next.data.from(14), all)
    }
    let all = (1...max(count, 1)).compactMap { parts[$0] }
    return count > 0 && all.count == count ? all.flatMap { Array($0.slice) } : nil
  }
}

extension JPEGSegments.Segment {
  /// Whether it is a part of a colour profile.
  var isProfile: Bool { marker == 0xE2 && data.has("ICC_PROFILE\0", at: 0) }
}

extension ColorProfile {
  /// The profile in an iCCP chunk: a name, the method, and the compressed profile (PNG, third edition, 11.3.2.3). Nil for an invalid one,
  /// and for one of more bytes.
  static func expanded(_ chunk: PictureBytes, largest: Int) -> [UInt8]? {
    guard let end = chunk.slice.firstIndex(of: 0), case let packed = Array(chunk.slice[end...].dropFirst(2)),
      let size = PictureBytes(inflated(packed, to: 4)).big(0, 4), size <= largest
    else { return nil }
    let profile = inflated(packed, to: size)
    return profile.count == size ? profile : nil
  }

  private static func inflated(_ packed: [UInt8], to size: Int) -> [UInt8] {
    [UInt8](unsafeUninitializedCapacity: size) { buffer, count in
      count = cpicture_inflate(packed, packed.count, buffer.baseAddress, size)
    }
  }

  /// Whether the bytes have the head of a profile, and all that it says.
  static func isWhole(_ bytes: [UInt8]) -> Bool {
    let file = PictureBytes(bytes)
    guard file.has("acsp", at: 36), let size = file.big(0, 4) else { return false }
    return size <= bytes.count
  }
}
