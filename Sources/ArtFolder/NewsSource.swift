// SPDX-License-Identifier: Apache-2.0

import ArtWatch

/// Where an open folder hears that it should look: the watcher, or a test that says so itself.
protocol NewsSource: Sendable {
  /// Waits for the next news; nil after `close`. The first that is told of files is a scan of all of the folder.
  func next() async -> WatchNews?
  /// Has a file come again as one to look at.
  func lookAgain(at path: String, after delay: Duration) async
  /// Ends it.
  func close() async
}

extension FolderWatcher: NewsSource {}
