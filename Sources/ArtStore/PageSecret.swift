// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtSystem

/// A secret of the user, for pages of the studio that have proved themselves: with it a page seals the edits that it keeps in its browser.
///
///     STATE/studio-secret    32 bytes, mode 0600; one for all folders, and for all runs of servers
package enum PageSecret {
  /// The bytes of the secret.
  private static let length = 32

  /// The secret, which is made with the first use. `random` gives that many cryptographically random bytes. Throws what finding the state
  /// folder, reading and writing throw.
  package static func read(random: (Int) -> [UInt8]) throws(ArtError) -> [UInt8] {
    let file = ReplacedFile(path: try StateFolder.create() + "/studio-secret", limit: 64, isPrivate: true)
    return try file.update { (former) throws(ArtError) in
      if let former, former.count == length { return (former, former) }
      let new = random(length)
      return (new, new)
    }
  }
}
