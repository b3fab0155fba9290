// SPDX-License-Identifier: Apache-2.0

import ArtModel
import Glibc

/// A lock on a folder, held by `flock` while this lives: small files in it are replaced by one program after the other.
struct FolderLock: ~Copyable {
  private let descriptor: Int32
  private let pass = FileGate.Pass()

  /// Waits for it so long. Throws `busy`, and what opening the folder throws.
  init(_ folder: String, timeout: Duration) throws(ArtError) {
    let file = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard file >= 0 else { throw .system("open the folder", folder) }
    let deadline = Deadline(timeout)
    var tries = 0
    while flock(file, LOCK_EX | LOCK_NB) != 0 {
      let number = errno
      guard number == EINTR || number == EWOULDBLOCK && deadline.wait(tries) else {
        close(file)
        throw number == EWOULDBLOCK ? .busy(folder) : .system("lock", folder, number)
      }
      tries += 1
    }
    descriptor = file
  }

  deinit { close(descriptor) }
}
