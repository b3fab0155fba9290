// SPDX-License-Identifier: Apache-2.0

/// A reason to refresh: another program may have written to the store.
public struct RefreshHint: Sendable {
  /// Whether no program is writing to the store. If so, a store that cannot be read is an error.
  public let isQuiet: Bool
  /// Called after the refresh with true if the store could be read. Otherwise the source has to give the hint again.
  public let done: @Sendable (Bool) async -> Void

  /// A hint with these values.
  public init(isQuiet: Bool = true, done: @escaping @Sendable (Bool) async -> Void = { _ in }) {
    self.isQuiet = isQuiet
    self.done = done
  }
}
