// SPDX-License-Identifier: Apache-2.0

/// Where a worker's program lies.
public struct WorkerProgram: Sendable, Hashable {
  /// Its path.
  public let path: String

  /// The program at a path.
  public init(path: String) { self.path = path }

  /// The program of that name beside this one, or in `libexec/emojiart` beside its folder; nil when it lies in neither.
  public static func find(_ name: String) -> WorkerProgram? { nil }
}
