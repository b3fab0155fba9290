// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtStore

/// What is in the way of saves, as looks at the file find it. Every method tells whether what was found is a reason to
/// save at once what is unsaved:
///
///     found                     a reason to save at once
///     known, or taken in        when something was in the way, and is gone
///     another state             when no save is held up, or when one is by something else
///     what cannot be read       the first time: the save tells why
///     busy                      never: whoever holds it has not written yet, and what was in the way may be still
///
/// A save that succeeds ends it.
struct Obstacle: Equatable {
  /// Why the file could not be looked at; nil when it could be, or was saved since.
  private(set) var blindness: ArtError.Code?
  /// The state of the file that a save was to take in.
  private(set) var base: DocumentBase?

  private var wasBlind: Bool { blindness != nil && blindness != .busy }

  mutating func foundNothing(isHeldUp: Bool) -> Bool {
    defer { self = Obstacle() }
    return wasBlind || isHeldUp && base != nil
  }

  mutating func found(_ found: DocumentBase, isHeldUp: Bool) -> Bool {
    defer { self = Obstacle(base: found) }
    return !isHeldUp || wasBlind || found != base
  }

  mutating func failed(_ code: ArtError.Code) -> Bool {
    if code == .busy {
      blindness = blindness ?? .busy
      return false
    }
    defer { blindness = code }
    return !wasBlind
  }
}

extension Obstacle {
  private init(base: DocumentBase) { self.base = base }
}
