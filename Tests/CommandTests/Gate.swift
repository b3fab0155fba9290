// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Runs a few bodies at a time. Tests that wait for other programs would otherwise all begin at once.
actor Gate {
  /// How many programs run at a time: they mostly wait. scripts/common has the same number for tests.
  static let processes = max(4, 2 * ProcessInfo.processInfo.activeProcessorCount)

  private var free: Int
  private var waiting: [CheckedContinuation<Void, Never>] = []

  init(_ places: Int) { free = places }

  func pass<Result: Sendable>(_ body: @Sendable () async throws -> Result) async rethrows -> Result {
    if free > 0 { free -= 1 } else { await withCheckedContinuation { waiting.append($0) } }
    defer { if waiting.isEmpty { free += 1 } else { waiting.removeFirst().resume() } }
    return try await body()
  }
}
