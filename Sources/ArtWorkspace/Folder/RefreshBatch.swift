// SPDX-License-Identifier: Apache-2.0

import ArtStore
import ArtSystem

/// Why a path is refreshed, which decides what may be reported of it.
enum RefreshReason: Sendable, Comparable {
  /// It is being written, and a quiet refresh follows.
  case forced
  /// It may be being written: an unreadable file is refreshed again.
  case unsettled
  /// Nothing has happened to it for a while.
  case quiet
  /// Everything was listed: what is gone is gone.
  case listed
}

/// The paths that are refreshed together, in an order in which documents that changed their names are met before others
/// that took their places:
///
///     mv b c; mv a b      c first (it was b), then b (it was a)
struct RefreshBatch {
  private var waiting: [FilePath]
  private var reasons: [FilePath: RefreshReason]
  private var refreshed: Set<FilePath> = []

  /// `now` is what stands at each path, where anything does; `known` what stood there at the last look.
  init(
    _ reasons: [FilePath: RefreshReason], now: [FilePath: FileIdentity],
    known: (FilePath) -> FileIdentity?
  ) {
    self.reasons = reasons
    var places: [FileIdentity: FilePath] = [:]
    let present = now.sorted { $0.key < $1.key }
    for (path, identity) in present { places[identity] = path }
    waiting = []
    var placed: Set<FilePath> = []
    for (path, _) in present {
      var chain = [path]
      var inChain: Set<FilePath> = [path]
      // Where what stood here is now.
      while let last = chain.last, let old = known(last), old != now[last], let next = places[old],
        !placed.contains(next), inChain.insert(next).inserted
      { chain.append(next) }
      for path in chain.reversed() where placed.insert(path).inserted { waiting.append(path) }
    }
    // Missing paths come last, so that renames are seen first.
    waiting += reasons.keys.filter { now[$0] == nil }.sorted()
    waiting.reverse()
  }

  /// The next path to look at, and why; nil when all were.
  mutating func next() -> (FilePath, RefreshReason)? {
    while let path = waiting.popLast() {
      if refreshed.insert(path).inserted { return (path, reasons[path] ?? .unsettled) }
    }
    return nil
  }

  /// Adds a path, unless it was refreshed or is in the batch.
  mutating func add(_ path: FilePath, _ reason: RefreshReason) {
    guard !refreshed.contains(path), reasons[path] == nil else { return }
    reasons[path] = reason
    waiting.insert(path, at: 0)
  }
}
