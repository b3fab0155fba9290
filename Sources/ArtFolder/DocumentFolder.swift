// SPDX-License-Identifier: Apache-2.0

import ArtDocument
import ArtModel
import ArtProcess
import ArtStore
import ArtWatch

/// A folder of documents that is open: its documents, and what happens to them, whoever does it.
public actor DocumentFolder {
  /// The folder's path, as it was given.
  public nonisolated let path: String
  nonisolated let broadcast = Broadcast<FolderEvent>(overflow: .resync)

  init(path: String) { self.path = path }

  /// Opens a folder; returns when each document has been looked at. Throws `noSuchDocument`, `notPermitted`,
  /// `inputOutput`. `only` is the one document that is wanted, by its name. `pollBecause` has the folder looked through every two seconds
  /// instead of asking the system, and says why.
  public static func open(
    _ path: String, isRecursive: Bool = false, only: String? = nil, pollBecause: String? = nil,
    clock: some Clock<Duration> = ContinuousClock()
  ) async throws(ArtError) -> DocumentFolder {
    DocumentFolder(path: path)
  }

  /// The documents as they are known now, sorted by path.
  public var documents: [FolderDocument] { [] }

  /// Why changes are found by looking through the folder every so often; nil while the system tells of them.
  public var degraded: String? { nil }

  /// What happens from now on, for one listener of any number. One that is too slow is told `resync` once in the place of what it has
  /// missed, and should look at `documents`. A listener that subscribes first and asks for `documents` then misses nothing.
  public nonisolated func events(capacity: Int = 1_024) -> EventSequence<FolderEvent> {
    broadcast.subscribe(capacity: capacity)
  }

  /// Ends watching; the listeners' sequences end after what waits for them.
  public func close() async {}
}
