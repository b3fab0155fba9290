// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtSystem

// The wording of what can go wrong with the program that fetches.

extension ArtError {
  static func otherVersion(_ path: String, _ version: Int) -> ArtError {
    ArtError(
      .unavailable,
      "\(path) belongs to another emojiart (it speaks version \(version), this one \(WorkerRequest.version)); "
        + "install emojiart again")
  }

  static func nonsense(_ path: String, _ what: String) -> ArtError {
    ArtError(.unavailable, "\(path) wrote what was not agreed on: \(what); install emojiart again")
  }

  static func ended(_ path: String, _ end: HelperEnd) -> ArtError {
    ArtError(.unavailable, "\(path) gave no answer that counts; it \(end.text); try again")
  }

  static func hangs(_ path: String, _ seconds: Int64) -> ArtError {
    ArtError(.unavailable, "\(path) gave no answer within \(seconds) s, and was killed; try again")
  }
}
