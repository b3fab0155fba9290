// SPDX-License-Identifier: Apache-2.0

import ArtFolder
import ArtModel
import Synchronization

/// Events on their way from the folders to the thread that writes. It holds few: while stdout takes nothing they wait
/// in the folders, each of which keeps so many and then asks for a new look.
final class WatchInbox: Sendable {
  private struct Contents {
    var events: [(folder: Int, event: FolderEvent)] = []
    var waiters: [CheckedContinuation<Void, Never>] = []
  }

  let bell: Bell
  private let contents = Mutex(Contents())
  private let capacity: Int

  /// Throws `inputOutput`.
  init(capacity: Int = 64) throws(ArtError) {
    self.capacity = capacity
    bell = try Bell()
  }

  /// Puts an event of a folder in, and wakes the one who writes; waits while there is no room.
  func put(_ event: FolderEvent, from folder: Int) async {
    await withCheckedContinuation { continuation in
      let hasRoom = contents.withLock { contents in
        contents.events.append((folder, event))
        if contents.events.count >= capacity { contents.waiters.append(continuation) }
        return contents.events.count < capacity
      }
      bell.ring()
      if hasRoom { continuation.resume() }
    }
  }

  /// Takes all out, in their order.
  func take() -> [(folder: Int, event: FolderEvent)] {
    let taken = contents.withLock { contents in
      defer { contents = Contents() }
      return contents
    }
    for waiter in taken.waiters { waiter.resume() }
    return taken.events
  }
}
