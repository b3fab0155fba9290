// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtProcess

// The wording of what can go wrong with the program that fetches.

extension ArtError {
  static func noWorker() -> ArtError {
    ArtError(
      .unavailable,
      "no emojiart-worker beside this program, nor in libexec/emojiart beside its folder; install emojiart again"
    )
  }

  static func otherVersion(_ path: String, _ version: Int) -> ArtError {
    ArtError(
      .unavailable,
      "\(path) belongs to another emojiart (it speaks version \(version), this one \(WorkerRequest.version)); "
        + "install emojiart again")
  }

  static func nonsense(_ path: String, _ what: String) -> ArtError {
    ArtError(.unavailable, "\(path) wrote what was not agreed on: \(what); install emojiart again")
  }

  static func ended(_ path: String, _ end: WorkerEnd) -> ArtError {
    ArtError(.unavailable, "\(path) gave no answer that counts; it \(end); try again")
  }

  static func hangs(_ path: String, _ seconds: Int64) -> ArtError {
    ArtError(.unavailable, "\(path) gave no answer within \(seconds) s, and was killed; try again")
  }
}
