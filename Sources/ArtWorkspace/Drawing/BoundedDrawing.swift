// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtWorker
import Synchronization

/// A drawing whose file has at most so many bytes.
public struct BoundedDrawing: Sendable {
  /// The bounds of the number of bytes: all of a file is in memory.
  public static let limits = 100...100_000_000

  /// The report.
  public let drawn: Drawn
  /// The file.
  public let bytes: [UInt8]
  /// The drawing that fits.
  public let drawing: Drawing
  /// Whether it has less quality, or fewer pixels, than was asked for.
  public let isReduced: Bool

  /// Parses a number of bytes: `100000`, `100k` or `100kB` for thousands, `100KiB` for times 1,024, `1.5M`, `1MiB`. Throws `badValue`.
  public static func limit(typed: String) throws(ArtError) -> Int {
    let text = typed.lowercased()
    let units: [(String, Double)] = [
      ("kib", 1024), ("mib", 1_048_576), ("ki", 1024), ("mi", 1_048_576), ("kb", 1_000), ("mb", 1e6),
      ("k", 1_000), ("m", 1e6), ("b", 1), ("", 1),
    ]
    guard let (unit, factor) = units.first(where: { text.hasSuffix($0.0) }),
      let number = decimal(text.dropLast(unit.count)), number >= 0, number * factor < 1e12
    else {
      throw ArtError(
        .badValue, "\(typed.isEmpty ? "\"\"" : typed) is no number of bytes; give one such as 100k or 1MiB")
    }
    let bytes = Int(number * factor)
    guard limits.contains(bytes) else {
      throw ArtError(
        .badValue, "\(typed) is no limit for a file; give 100 bytes to 100 million")
    }
    return bytes
  }
}

/// Finds the best file of a drawing that has at most so many bytes: first by quality, where the format has one, then by size.
///
///     as asked ──too many──▶ the highest quality that fits ──none──▶ a smaller size, at the lowest quality ──none──▶ nil
public struct BoundedSearch: Sendable {
  /// The least quality where the size can shrink instead.
  private static let leastQuality = 40
  /// The most sizes that are tried.
  private static let sizes = 12
  /// The least pixels of the longer side.
  private static let leastSide = 16

  private let limit: Int
  private let canShrink: Bool
  private let renderer: Renderer

  /// A search for at most `limit` bytes; the size is exact unless `canShrink`.
  public init(limit: Int, canShrink: Bool, renderer: Renderer = Renderer()) {
    (self.limit, self.canShrink, self.renderer) = (limit, canShrink, renderer)
  }

  /// What was found.
  public enum Outcome: Sendable {
    case found(BoundedDrawing)
    /// None fits: the smallest one that was drawn has so many bytes.
    case tooLarge(least: Int)
  }

  /// A file that was drawn: with its bytes, or with their number where these are too many.
  fileprivate enum Attempt {
    case fits(Drawn, [UInt8])
    case exceeds(Int)
  }

  /// Searches; every attempt is a drawing. Throws what drawing throws.
  public func run(_ drawing: Drawing) async throws(DrawingFailure) -> Outcome {
    var drawing = drawing
    // Without loss only the effort is left to spare bytes.
    drawing.details.isSmall = drawing.format.quality == nil
    let (first, isReduced) = try await firstAttempt(&drawing)
    if let found = first.found(drawing, isReduced: isReduced) { return .found(found) }
    if let (best, least) = try await byQuality(drawing) {
      if let best { return .found(best) }
      drawing.format = drawing.format.with(quality: least.quality)
      return try await bySize(drawing, bytes: least.bytes)
    }
    return try await bySize(drawing, bytes: first.bytes)
  }

  /// The drawing as it was asked for; where the format has no picture as large, and the size can shrink, the half until it has.
  private func firstAttempt(_ drawing: inout Drawing) async throws(DrawingFailure) -> (
    Attempt, isReduced: Bool
  ) {
    var isReduced = false
    while true {
      do throws(DrawingFailure) {
        return (try await attempt(drawing), isReduced)
      } catch {
        guard canShrink, case .refused(let refusal) = error, refusal.reason == .tooLarge,
          let size = drawing.format.raster, min(size.width, size.height) >= 2 * Self.leastSide
        else { throw error }
        drawing.format = drawing.format.with(size: size.scaled(by: 0.5))
        isReduced = true
      }
    }
  }

  private func attempt(_ drawing: Drawing) async throws(DrawingFailure) -> Attempt {
    let collector = BoundedCollector(limit: limit)
    let drawn = try await renderer.draw(drawing) { collector.append($0) }
    return collector.bytes.map { .fits(drawn, $0) } ?? .exceeds(collector.count)
  }

  /// The highest quality that fits, by bisection; and the bytes of the lowest one, if none does. Nil for a format without quality, and
  /// where there is no lower one.
  private func byQuality(_ drawing: Drawing) async throws(DrawingFailure) -> (
    best: BoundedDrawing?, least: (quality: Int, bytes: Int)
  )? {
    guard let asked = drawing.format.quality else { return nil }
    let least = canShrink ? min(Self.leastQuality, asked) : 1
    guard least < asked else { return nil }
    var (low, high) = (least, asked)
    var tried = drawing
    tried.format = drawing.format.with(quality: low)
    let lowest = try await attempt(tried)
    guard var best = lowest.found(tried, isReduced: true) else { return (nil, (low, lowest.bytes)) }
    while high - low > 1 {
      let middle = (low + high) / 2
      tried.format = drawing.format.with(quality: middle)
      if let found = try await attempt(tried).found(tried, isReduced: true) {
        (best, low) = (found, middle)
      } else {
        high = middle
      }
    }
    return (best, (least, lowest.bytes))
  }

  /// A smaller size: the bytes are about as many as the pixels. The next size follows from the bytes of the last one, between those that are
  /// known to be too large and to fit, until a size is nearly as large as it may be.
  private func bySize(_ drawing: Drawing, bytes: Int) async throws(DrawingFailure) -> Outcome {
    guard canShrink, let whole = drawing.format.raster else { return .tooLarge(least: bytes) }
    var (bytes, scale, least) = (bytes, 1.0, bytes)
    var (fits, exceeds) = (0.0, 1.0)
    var best: BoundedDrawing?
    var tried = drawing
    for _ in 0..<Self.sizes {
      let wanted = scale * (Double(limit) / Double(max(1, bytes))).squareRoot() * 0.98
      scale = max(fits + (exceeds - fits) * 0.1, min(wanted, exceeds - (exceeds - fits) * 0.1))
      guard Double(max(whole.width, whole.height)) * scale >= Double(Self.leastSide) else { break }
      tried.format = drawing.format.with(size: whole.scaled(by: scale))
      let attempt = try await attempt(tried)
      bytes = attempt.bytes
      guard let found = attempt.found(tried, isReduced: true) else {
        (exceeds, least) = (scale, min(least, bytes))
        continue
      }
      (best, fits) = (found, scale)
      if Double(bytes) > 0.9 * Double(limit) { break }
    }
    return best.map { .found($0) } ?? .tooLarge(least: least)
  }
}

extension BoundedSearch.Attempt {
  fileprivate var bytes: Int {
    switch self {
    case .fits(_, let bytes): bytes.count
    case .exceeds(let count): count
    }
  }

  fileprivate func found(_ drawing: Drawing, isReduced: Bool) -> BoundedDrawing? {
    guard case .fits(let drawn, let bytes) = self else { return nil }
    return BoundedDrawing(drawn: drawn, bytes: bytes, drawing: drawing, isReduced: isReduced)
  }
}

/// Counts the bytes of a drawing, and keeps them while they are not too many.
private final class BoundedCollector: Sendable {
  private let limit: Int
  private let state = Mutex<(count: Int, bytes: [UInt8])>((0, []))

  init(limit: Int) { self.limit = limit }

  var count: Int { state.withLock(\.count) }
  /// All bytes; nil if they are too many.
  var bytes: [UInt8]? { state.withLock { $0.count > limit ? nil : $0.bytes } }

  func append(_ part: [UInt8]) -> Bool {
    state.withLock { state in
      state.count += part.count
      if state.count > limit { state.bytes = [] } else { state.bytes += part }
      return true
    }
  }
}

extension Drawing.Format {
  /// The quality of a format that has one.
  public var quality: Int? {
    switch self {
    case .jpeg(_, let quality), .webp(_, let quality), .avif(_, let quality): quality
    default: nil
    }
  }

  fileprivate func with(quality: Int) -> Drawing.Format {
    switch self {
    case .jpeg(let size, _): .jpeg(size, quality: quality)
    case .webp(let size, _): .webp(size, quality: quality)
    case .avif(let size, _): .avif(size, quality: quality)
    default: self
    }
  }

  fileprivate func with(size: PixelSize) -> Drawing.Format {
    switch self {
    case .png: .png(size)
    case .jpeg(_, let quality): .jpeg(size, quality: quality)
    case .webp(_, let quality): .webp(size, quality: quality)
    case .losslessWebP: .losslessWebP(size)
    case .avif(_, let quality): .avif(size, quality: quality)
    default: self
    }
  }
}

extension OutputFile {
  /// Draws a file of at most so many bytes and puts it at its path; `name` is what messages call the drawing. Throws the error, and
  /// `tooLarge` where none has so few; then the path is unchanged.
  public func finish(
    _ drawing: Drawing, within limit: Int, canShrink: Bool, of name: String,
    by renderer: Renderer = Renderer(),
    waiter: some DrawingWaiter
  ) throws(ArtError) -> BoundedDrawing {
    let outcome: BoundedSearch.Outcome
    do throws(DrawingFailure) {
      outcome = try waiter.wait { () async throws(DrawingFailure) in
        try await BoundedSearch(limit: limit, canShrink: canShrink, renderer: renderer).run(drawing)
      }
    } catch {
      throw ArtError(error, drawing: name)
    }
    switch outcome {
    case .tooLarge(let least):
      let help =
        canShrink || drawing.format.quality != nil
        ? "a smaller size takes less" : "a smaller size, or WebP with loss, takes less"
      throw ArtError(
        .tooLarge, "\(name) cannot be drawn within \(limit) bytes: it takes \(least) at least; \(help)",
        about: name)
    case .found(let found):
      guard write(found.bytes) else {
        try check()
        throw ArtError(.inputOutput, "\(name) cannot be written", about: name)
      }
      try finish()
      return found
    }
  }
}
