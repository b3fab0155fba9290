// SPDX-License-Identifier: Apache-2.0

import ArtDocument
import ArtModel
import ArtSystem
import ArtWatch
import Synchronization

/// Hands what one watcher reports to the folder and to every open document in it: one watcher and one helper process for all of them.
///
///     watcher ──next──▶ relay ──▶ DocumentFolder        the folder has processed a report when it asks for the next one
///                         └────▶ hints, by path ──▶ Document.refresh
///
/// Documents get their hints after the folder, so that a document that was renamed is looked for under its new name.
final class WatchRelay: EventSource {
  private struct State {
    /// The documents that are open, by their paths in the folder.
    var followers: [Int: (path: FilePath, hints: AsyncStream<RefreshHint>.Continuation)] = [:]
    var next = 0
    /// What the folder is processing.
    var pending: WatchEvent?
    var isDegraded = false
    var isOver = false
  }

  private let source: any EventSource
  private let state = Mutex(State())
  /// How long after a failed refresh a document gets its hint again.
  private let retry: Duration
  private let report: @Sendable (SessionEvent) -> Void

  /// `report` is told how well changes are reported.
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
    let news = await source.next()
    state.withLock { $0.pending = news }
    if news == nil { finish() }
    return news
  }

  func recheck(at path: String, after delay: Duration) async {
    await source.recheck(at: path, after: delay)
  }

  func close() async {
    await source.close()
    finish()
  }

  /// The hints for a document, until `unfollow`, and the number under which it is known here.
  func follow(_ path: FilePath) -> (number: Int, hints: AsyncStream<RefreshHint>) {
    let (hints, continuation) = AsyncStream<RefreshHint>.makeStream(bufferingPolicy: .bufferingNewest(2))
    let number = state.withLock { state in
      state.next += 1
      if !state.isOver { state.followers[state.next] = (path, continuation) }
      return state.next
    }
    if state.withLock(\.isOver) { continuation.finish() }
    return (number, hints)
  }

  /// The document has another path.
  func move(_ number: Int, to path: FilePath) { state.withLock { $0.followers[number]?.path = path } }

  /// The document needs no hints any more.
  func unfollow(_ number: Int) {
    state.withLock { $0.followers.removeValue(forKey: number) }?.hints.finish()
  }

  private func deliver() {
    let (news, followers) = state.withLock { state in
      defer { state.pending = nil }
      return (state.pending, Array(state.followers.values))
    }
    switch news {
    case .changed(let files):
      for file in files {
        let path = FilePath(file.path)
        for follower in followers where follower.path == path {
          follower.hints.yield(hint(path, isQuiet: file.isQuiet))
        }
      }
    case .scanned(let scan):
      let folder = FilePath(scan.folder)
      for follower in followers where follower.path.isWithin(folder) {
        follower.hints.yield(hint(follower.path, isQuiet: true))
      }
      // While the folder is scanned every so often, that says it all.
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

  /// What cannot be read while nobody writes to it gets its hint again; what is being written comes again by itself.
  private func hint(_ path: FilePath, isQuiet: Bool) -> RefreshHint {
    RefreshHint(isQuiet: isQuiet) { [weak self, retry] couldRead in
      guard !couldRead, isQuiet, let self else { return }
      await self.source.recheck(at: path.string, after: retry)
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
