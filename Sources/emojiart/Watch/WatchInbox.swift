// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtSystem
import ArtWorkspace
import Synchronization

/// Events on their way from the folders to the thread that writes. It holds few: while stdout takes nothing they wait
/// in the folders, each of which keeps so many and then asks for a new look.
final class WatchInbox: Sendable {
  private struct Contents {
    var events: [(folder: Int, event: FolderEvent)] = []
    var backgrounds: [PendingBackgrounds.Event] = []
  }

  let wakeup: WakeupPipe
  private let waiters = Waiters()
  private let contents = Mutex(Contents())
  private let capacity: Int

  /// Throws `inputOutput`.
  init(capacity: Int = 64) throws(ArtError) {
    self.capacity = capacity
    wakeup = try WakeupPipe.made()
  }

  /// Tasks that wait for room.
  var waitingTasks: Int { waiters.count }

  /// Puts an event of a folder in, and wakes the one who writes; waits while there is no room, unless the task is cancelled.
  func put(_ event: FolderEvent, from folder: Int) async { await put { $0.events.append((folder, event)) } }

  /// The same for what became of a pending background.
  func put(_ event: PendingBackgrounds.Event) async { await put { $0.backgrounds.append(event) } }

  private func put(_ add: (inout Contents) -> Void) async {
    let ticket = waiters.ticket
    let hasCapacity = contents.withLock { contents in
      add(&contents)
      return contents.events.count + contents.backgrounds.count < capacity
    }
    wakeup.wake()
    if !hasCapacity { await waiters.wait(ticket) }
  }

  /// What was there when it was taken out, each kind in its order.
  struct Taken {
    let events: [(folder: Int, event: FolderEvent)]
    let backgrounds: [PendingBackgrounds.Event]
  }

  /// Takes all out.
  func take() -> Taken {
    let taken = contents.withLock { contents in
      defer { contents = Contents() }
      return contents
    }
    waiters.release()
    return Taken(events: taken.events, backgrounds: taken.backgrounds)
  }
}
