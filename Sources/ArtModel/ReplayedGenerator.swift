// SPDX-License-Identifier: Apache-2.0

/// A generator that can give the same numbers again: an edit that is made once more, in another file, gives its emoji the ids that
/// they had.
public struct ReplayedGenerator<Source: RandomNumberGenerator>: RandomNumberGenerator {
  private var source: Source
  private var drawn: [UInt64] = []
  private var place = 0

  /// Draws from a source what was not drawn before.
  public init(_ source: Source) { self.source = source }

  /// From here on the numbers come again, from the first one.
  public mutating func restart() { place = 0 }

  /// The next number.
  public mutating func next() -> UInt64 {
    if place == drawn.count { drawn.append(source.next()) }
    place += 1
    return drawn[place - 1]
  }
}
