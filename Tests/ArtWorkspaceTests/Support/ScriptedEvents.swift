// SPDX-License-Identifier: Apache-2.0

import ArtSystem
import ArtWatch
import Synchronization
import TestSupport

@testable import ArtWorkspace

/// An event source that a test feeds.
actor ScriptedEvents: EventSource {
  private var waiting: [WatchEvent] = []
  private var reader: CheckedContinuation<WatchEvent?, Never>?
  private var idleWaiters: [CheckedContinuation<Void, Never>] = []
  private var closeWaiters: [CheckedContinuation<Void, Never>] = []
  private(set) var isClosed = false
  private nonisolated let arrivals = Mutex<(@Sendable (FilePath) -> Void)?>(nil)
  /// The files that the folder wants to check again, and after which delay.
  private(set) var rechecks: [(path: String, delay: Duration)] = []

  init(first: WatchEvent) { waiting = [first] }

  init(files: [String]) { self.init(first: .scanned(FolderScan("", files: files, reason: nil))) }

  func next() async -> WatchEvent? {
    if isClosed { return nil }
    if !waiting.isEmpty { return waiting.removeFirst() }
    idleWaiters.forEach { $0.resume() }
    idleWaiters = []
    return await withCheckedContinuation { reader = $0 }
  }

  nonisolated func forwardArrivals(to receive: (@Sendable (FilePath) -> Void)?) {
    arrivals.withLock { $0 = receive }
  }

  /// Says that a file has come to a path, before any event of it.
  nonisolated func arrive(_ path: String) { arrivals.withLock(\.self)?(FilePath(path)) }

  func recheck(at path: String, after delay: Duration) { rechecks.append((path, delay)) }

  func close() {
    isClosed = true
    reader?.resume(returning: nil)
    reader = nil
    (idleWaiters + closeWaiters).forEach { $0.resume() }
    idleWaiters = []
    closeWaiters = []
  }

  /// Waits until it is closed.
  func closed() async throws {
    if isClosed { return }
    try await result(for: "the end of an event source") { await self.waitUntilClosed() }
  }

  private func waitUntilClosed() async {
    if !isClosed { await withCheckedContinuation { closeWaiters.append($0) } }
  }

  func send(_ event: WatchEvent) {
    if let reader {
      self.reader = nil
      reader.resume(returning: event)
    } else {
      waiting.append(event)
    }
  }

  /// Waits until all events have been handled.
  func handled() async throws {
    if isIdle { return }
    try await result(for: "a folder that has handled all events") { await self.waitUntilIdle() }
  }

  private var isIdle: Bool { isClosed || reader != nil && waiting.isEmpty }

  private func waitUntilIdle() async {
    if !isIdle { await withCheckedContinuation { idleWaiters.append($0) } }
  }

  /// Returns and removes the files that the folder wants to check again.
  func takeRechecks() -> [(path: String, delay: Duration)] {
    defer { rechecks = [] }
    return rechecks
  }
}
