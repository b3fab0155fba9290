// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A harness that tries numbered cases: a few of them in `scripts/test`, the requested number in `scripts/dev torture`.
///
/// `scripts/dev torture` passes the harness in `EMOJIART_CAMPAIGN`, its first case in `EMOJIART_SEED`, and the count in
/// `EMOJIART_COUNT`.
/// The number of a case determines what it does, so that a long run can be split and one case can be repeated.
package struct Campaign: Sendable {
  package let name: String
  /// Whether `scripts/dev torture` asks for this one.
  package let isRunning: Bool
  /// The number of the first case, from 1.
  package let seed: UInt64
  package let count: Int

  /// - Parameter smoke: The number of cases that `scripts/test` tries.
  package init(_ name: String, smoke: Int) {
    let environment = ProcessInfo.processInfo.environment
    self.name = name
    isRunning = environment["EMOJIART_CAMPAIGN"] == name
    seed = isRunning ? environment["EMOJIART_SEED"].flatMap(UInt64.init) ?? 1 : 1
    count = isRunning ? environment["EMOJIART_COUNT"].flatMap(Int.init) ?? smoke : smoke
  }

  /// The numbers of its cases.
  package var cases: Range<UInt64> { seed..<seed &+ UInt64(count) }

  /// The first cases, where a harness divides them among kinds of documents: this percentage of all.
  package func share(_ percent: Int) -> Range<UInt64> { seed..<seed &+ UInt64(count * percent / 100) }

  /// The generator of a case.
  package func random(_ number: UInt64, salt: UInt64 = 0) -> SplitMix64 {
    SplitMix64(seed: number &* 0x9E37_79B9_7F4A_7C15 ^ salt)
  }

  /// The places that a sweep tries: in a smoke test some of them, evenly spread, and otherwise those with the numbers of the cases.
  package func chosen<Place>(of all: [Place]) -> [Place] {
    isRunning ? numbered(all) : Self.spread(count, over: all, at: { ($0 * 2 + 1) * all.count / (2 * $1) })
  }

  /// The same, but in a smoke test one place of each of some states, evenly spread, the first and the last among them. It is the
  /// first place of every other state, and the last place of the rest.
  package func chosen<Place>(of all: [Place], state: KeyPath<Place, Int>) -> [Place] {
    if isRunning { return numbered(all) }
    let states = Dictionary(grouping: all) { $0[keyPath: state] }.sorted { $0.key < $1.key }.map(\.value)
    return Self.spread(count, over: states, at: { $0 * (states.count - 1) / max(1, $1 - 1) })
      .enumerated().map { $1[($1.count - 1) * ($0 % 2)] }
  }

  private func numbered<Place>(_ all: [Place]) -> [Place] {
    seed <= all.count ? Array(all[(Int(seed) - 1)...].prefix(count)) : []
  }

  private static func spread<Each>(_ count: Int, over all: [Each], at index: (Int, Int) -> Int) -> [Each] {
    count < all.count ? (0..<count).map { all[index($0, count)] } : all
  }

  /// Prints how many cases were tried, which `scripts/dev torture` adds to its tally.
  /// - Parameter places: The number of places of a sweep, where it ends.
  package func report(tried: Int, places: Int? = nil) {
    guard isRunning else { return }
    print("campaign \(name): \(tried) cases from \(seed)\(places.map { " of \($0) places" } ?? "")")
  }
}
