// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtStore

/// What is in the way of saves, as refreshes find it. Every method tells whether what was found is a reason to save at
/// once what is unsaved:
///
///     found                     a reason to save at once
///     known, or taken in        when something was in the way, and is gone
///     another state             when no save is held up, or when one is by something else
///     what cannot be read       the first time: the save tells why
///     busy                      never: whoever holds it has not written yet, and what was in the way may be still
///
/// A save that succeeds ends it.
struct SaveBlocker: Equatable {
  /// Why the store could not be read; nil when it could be, or was saved since.
  private(set) var readError: ArtError.Code?
  /// The state of the store that a save was to take in.
  private(set) var base: DocumentBase?

  private var wasUnreadable: Bool { readError != nil && readError != .busy }

  mutating func foundNothing(isHeldUp: Bool) -> Bool {
    defer { self = SaveBlocker() }
    return wasUnreadable || isHeldUp && base != nil
  }

  mutating func found(_ found: DocumentBase, isHeldUp: Bool) -> Bool {
    defer { self = SaveBlocker(base: found) }
    return !isHeldUp || wasUnreadable || found != base
  }

  mutating func failed(_ code: ArtError.Code) -> Bool {
    if code == .busy {
      readError = readError ?? .busy
      return false
    }
    defer { readError = code }
    return !wasUnreadable
  }
}

extension SaveBlocker {
  private init(base: DocumentBase) { self.base = base }
}
