// SPDX-License-Identifier: Apache-2.0

/// A generator that can replay its numbers, so that an edit planned again, on another file, gives its emoji the same
/// ids.
public struct ReplayedGenerator<Source: RandomNumberGenerator>: RandomNumberGenerator {
  private var source: Source
  private var drawn: [UInt64] = []
  private var place = 0

  /// Draws new numbers from a source.
  public init(_ source: Source) { self.source = source }

  /// Replays the numbers from the first one on.
  public mutating func restart() { place = 0 }

  /// The next number.
  public mutating func next() -> UInt64 {
    if place == drawn.count { drawn.append(source.next()) }
    place += 1
    return drawn[place - 1]
  }
}
