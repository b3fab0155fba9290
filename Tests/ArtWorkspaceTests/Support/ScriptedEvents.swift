// SPDX-License-Identifier: Apache-2.0

import ArtWatch

@testable import ArtWorkspace

/// A watcher that says what a test says.
actor ScriptedEvents: EventSource {
  private var waiting: [WatchEvent] = []
  private var asker: CheckedContinuation<WatchEvent?, Never>?
  private var idlers: [CheckedContinuation<Void, Never>] = []
  private var closers: [CheckedContinuation<Void, Never>] = []
  private(set) var isClosed = false
  /// What the folder wants to look at again, and after how long.
  private(set) var again: [(path: String, delay: Duration)] = []

  init(first: WatchEvent) { waiting = [first] }

  init(files: [String]) { self.init(first: .scanned(FolderScan("", files: files, reason: nil))) }

  func next() async -> WatchEvent? {
    if isClosed { return nil }
    if !waiting.isEmpty { return waiting.removeFirst() }
    idlers.forEach { $0.resume() }
    idlers = []
    return await withCheckedContinuation { asker = $0 }
  }

  func recheck(at path: String, after delay: Duration) { again.append((path, delay)) }

  func close() {
    isClosed = true
    asker?.resume(returning: nil)
    asker = nil
    (idlers + closers).forEach { $0.resume() }
    idlers = []
    closers = []
  }

  /// Waits until it is closed.
  func closed() async {
    if isClosed { return }
    await withCheckedContinuation { closers.append($0) }
  }

  func say(_ news: WatchEvent) {
    if let asker {
      self.asker = nil
      asker.resume(returning: news)
    } else {
      waiting.append(news)
    }
  }

  /// Waits until all that was said has been dealt with.
  func settled() async {
    if isClosed || asker != nil && waiting.isEmpty { return }
    await withCheckedContinuation { idlers.append($0) }
  }

  /// What the folder wants to look at again, taken away.
  func takeAgain() -> [(path: String, delay: Duration)] {
    defer { again = [] }
    return again
  }
}
