// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtSystem

/// A secret of the user, for pages of the studio that have proved themselves: with it a page seals the edits that it keeps in its browser.
///
///     STATE/studio-secret    32 bytes, mode 0600; one for all folders, and for all runs of servers
package enum PageSecret {
  /// The bytes of the secret.
  private static let length = 32

  /// The secret, which is made with the first use; in the state folder unless another one is given. `random` gives that many
  /// cryptographically random bytes. Throws what finding the folder, reading and writing throw.
  package static func read(
    in folder: String? = nil, random: (Int) -> [UInt8]
  ) throws(ArtError) -> [UInt8] {
    let place = if let folder { folder } else { try StateFolder.create() }
    let file = ReplacedFile(path: place + "/studio-secret", limit: length, isPrivate: true)
    return try file.update { (former) throws(ArtError) in
      if let former, former.count == length { return (former, former) }
      let new = random(length)
      return (new, new)
    }
  }
}
