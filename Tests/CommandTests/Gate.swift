// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Runs a few bodies at a time. Tests that wait for other programs would otherwise all begin at once.
actor Gate {
  /// How many programs run at a time: as many as tests.
  static let processes =
    ProcessInfo.processInfo.environment["SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH"].flatMap(Int.init)
    .map { max(1, $0) } ?? 4

  private var free: Int
  private var waiting: [CheckedContinuation<Void, Never>] = []

  init(_ places: Int) { free = places }

  func pass<Result: Sendable>(_ body: @Sendable () async throws -> Result) async rethrows -> Result {
    if free > 0 { free -= 1 } else { await withCheckedContinuation { waiting.append($0) } }
    defer { if waiting.isEmpty { free += 1 } else { waiting.removeFirst().resume() } }
    return try await body()
  }
}
