// SPDX-License-Identifier: Apache-2.0

import ArtDocument
import ArtModel
import ArtSystem
import ArtWatch
import Synchronization

/// Passes the events of one watcher to the folder and to every open document in it, so that all share one watcher and one helper
/// process.
///
///     watcher ──next──▶ relay ──▶ DocumentFolder        the folder has processed an event when it asks for the next one
///                         └────▶ hints, by path ──▶ Document.refresh
///
/// Documents get their hints after the folder, so that a renamed document is refreshed at its new path.
final class WatchRelay: EventSource {
  private struct State {
    /// The open documents, with their paths in the folder.
    var followers: [Int: Follower] = [:]
    var next = 0
    /// The event that the folder is processing.
    var pending: WatchEvent?
    var isDegraded = false
    var isOver = false
  }

  private struct Follower {
    var path: FilePath
    let hints: AsyncStream<RefreshHint>.Continuation
    /// Called after each refresh.
    let refreshed: @Sendable () async -> Void
  }

  private let source: any EventSource
  private let state = Mutex(State())
  /// The delay after which a document gets its hint again when a refresh failed.
  private let retry: Duration
  private let report: @Sendable (SessionEvent) -> Void

  /// `report` receives changes of the quality of reporting.
  init(
    _ source: any EventSource, retry: Duration = .seconds(2),
    report: @escaping @Sendable (SessionEvent) -> Void
  ) {
    self.source = source
    self.retry = retry
    self.report = report
  }

  func next() async -> WatchEvent? {
    deliver()
    let event = await source.next()
    state.withLock { $0.pending = event }
    if event == nil { finish() }
    return event
  }

  func recheck(at path: String, after delay: Duration) async {
    await source.recheck(at: path, after: delay)
  }

  func forwardArrivals(to receive: (@Sendable (FilePath) -> Void)?) { source.forwardArrivals(to: receive) }

  func close() async {
    await source.close()
    finish()
  }

  /// Reads all events of the source, if no folder does. Returns when the source is closed.
  func run() async { while await next() != nil {} }

  /// The hints for a document until `unfollow`, and its number. `refreshed` is called after each of its refreshes.
  func follow(
    _ path: FilePath, refreshed: @escaping @Sendable () async -> Void
  ) -> (number: Int, hints: AsyncStream<RefreshHint>) {
    let (hints, continuation) = AsyncStream<RefreshHint>.makeStream(bufferingPolicy: .bufferingNewest(2))
    let number = state.withLock { state in
      state.next += 1
      if !state.isOver {
        state.followers[state.next] = Follower(path: path, hints: continuation, refreshed: refreshed)
      }
      return state.next
    }
    if state.withLock(\.isOver) { continuation.finish() }
    return (number, hints)
  }

  /// Sets the document's new path.
  func move(_ number: Int, to path: FilePath) { state.withLock { $0.followers[number]?.path = path } }

  /// Ends the hints for a document.
  func unfollow(_ number: Int) {
    state.withLock { $0.followers.removeValue(forKey: number) }?.hints.finish()
  }

  private func deliver() {
    let (event, followers) = state.withLock { state in
      defer { state.pending = nil }
      return (state.pending, Array(state.followers.values))
    }
    switch event {
    case .changed(let files):
      for file in files {
        let path = FilePath(file.path)
        for follower in followers where follower.path == path {
          follower.hints.yield(hint(follower, isQuiet: file.isQuiet))
        }
      }
    case .scanned(let scan):
      let folder = FilePath(scan.folder)
      for follower in followers where follower.path.isWithin(folder) {
        follower.hints.yield(hint(follower, isQuiet: true))
      }
      // While the folder is scanned periodically, `degraded` has said so already.
      if let reason = scan.reason, !state.withLock(\.isDegraded) { report(.rescanned(reason)) }
    case .degraded(let reason):
      state.withLock { $0.isDegraded = true }
      report(.degraded(reason))
    case .watching:
      state.withLock { $0.isDegraded = false }
      report(.watching)
    case nil: break
    }
  }

  /// A document that is unreadable while nothing happens to it gets its hint again; a document that is being written gets a new
  /// event anyway.
  private func hint(_ follower: Follower, isQuiet: Bool) -> RefreshHint {
    RefreshHint(isQuiet: isQuiet) { [weak self, retry] couldRead in
      await follower.refreshed()
      guard !couldRead, isQuiet, let self else { return }
      await self.source.recheck(at: follower.path.string, after: retry)
    }
  }

  private func finish() {
    let all = state.withLock { state in
      state.isOver = true
      defer { state.followers = [:] }
      return Array(state.followers.values)
    }
    for follower in all { follower.hints.finish() }
  }
}
