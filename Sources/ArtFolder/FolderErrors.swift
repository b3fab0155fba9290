// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtSystem
import Glibc

// The wording of what can go wrong with a folder. Names are as the person gave them.

extension ArtError {
  /// Why a folder cannot be opened.
  static func folder(_ name: String, _ number: Int32) -> ArtError {
    let cause = SystemError.text(of: number)
    switch number {
    case ENOENT: return ArtError(.noSuchDocument, "no folder \(name)")
    case ENOTDIR: return ArtError(.noSuchDocument, "\(name) is not a folder")
    case EACCES, EPERM:
      return ArtError(.notPermitted, "not permitted to look into \(name): \(cause); look at its permissions")
    default: return ArtError(.inputOutput, "cannot look into \(name): \(cause)")
    }
  }

  /// Nothing is heard of the folder.
  static func unwatched(_ name: String) -> ArtError {
    ArtError(
      .unavailable, "the folder \(name) cannot be watched: the watcher ended before it had looked; try again")
  }
}
