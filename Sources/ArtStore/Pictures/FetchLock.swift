// SPDX-License-Identifier: Apache-2.0

import ArtModel

/// Who on this machine fetches a pending background: one program, however many watch. The lock is a file in the state
/// folder that the system frees when its program is gone.
public final class FetchLock: Sendable {
  private let lock: JournalLock

  private init(_ lock: JournalLock) { self.lock = lock }

  /// Takes the lock of that document's pending background; nil while another program, or another one of this, holds it.
  /// `folder` is where all of them keep their locks, and nil for one in the state folder. Throws `inputOutput`,
  /// `notPermitted`, `diskFull`.
  public static func take(
    _ document: DocumentID, _ url: String, in folder: String? = nil
  ) throws(ArtError) -> FetchLock? {
    let folder = if let folder { folder } else { try StateFolder.made() + "/fetching" }
    try StateFolder.makeFolders(folder)
    let digest = Array(url.utf8).withUnsafeBufferPointer { ContentDigest.of($0) }
    let path = "\(folder)/\(document)-\(digest)"
    return try JournalLock.take(path, making: true, Deadline(.zero)).lock.map(FetchLock.init)
  }

  deinit {
    do throws(ArtError) { try lock.unlink() } catch {
      // An empty file is left, which is locked again the next time.
    }
  }
}
