// SPDX-License-Identifier: Apache-2.0

extension Document {
  /// What happens from now on, as far as it is wanted, for one listener of any number. It is told to resync when more than
  /// `capacity` events wait for it.
  package nonisolated func events(
    capacity: Int, where isWanted: @escaping @Sendable (DocumentEvent) -> Bool
  ) -> DocumentEvents {
    broadcast.subscribe(capacity: capacity, where: isWanted)
  }
}
