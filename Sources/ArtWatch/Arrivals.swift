// SPDX-License-Identifier: Apache-2.0

import ArtSystem
import Synchronization

/// Tells at once which files have come to a path, on the thread that reads the helper's output: before they are debounced, and while the
/// reader of the watcher is busy. What must not be missed is held open then.
final class Arrivals: Sendable {
  private struct State {
    var tree = WatchTree()
    var receive: (@Sendable (FilePath) -> Void)?
  }

  private let state = Mutex(State())
  private let walk: FolderWalk

  init(_ walk: FolderWalk) { self.walk = walk }

  /// Has a function called with each path from now on; nil ends that. It must not wait.
  func forward(to receive: (@Sendable (FilePath) -> Void)?) { state.withLock { $0.receive = receive } }

  /// Notes which folders are watched.
  func know(_ tree: WatchTree) { state.withLock { $0.tree = tree } }

  /// Passes an event on, if it says that a file has come to a wanted path.
  func tell(_ event: HelperEvent) {
    guard !event.mask.isDisjoint(with: [.movedTo, .created]) else { return }
    let (folder, receive) = state.withLock { ($0.tree.path(of: event.watch), $0.receive) }
    guard let folder, let receive, let file = walk.wanted(event.name, in: folder) else { return }
    receive(file)
  }
}
