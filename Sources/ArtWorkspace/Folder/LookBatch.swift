// SPDX-License-Identifier: Apache-2.0

import ArtStore

/// How a path came to be looked at, which says what may be told of what is found.
enum LookReason: Sendable, Comparable {
  /// It is being written, and a quiet look follows.
  case forced
  /// It may be being written: what cannot be read is looked at again.
  case unsettled
  /// Nothing has happened to it for a while.
  case quiet
  /// Everything was listed: what is gone is gone.
  case listed
}

/// The paths that are looked at together, in an order in which documents that changed their names are met before others
/// that took their places:
///
///     mv b c; mv a b      c first (it was b), then b (it was a)
struct LookBatch {
  private var waiting: [DocumentPath]
  private var reasons: [DocumentPath: LookReason]
  private var looked: Set<DocumentPath> = []

  /// `now` is what stands at each path, where anything does; `known` what stood there at the last look.
  init(
    _ reasons: [DocumentPath: LookReason], now: [DocumentPath: FileIdentity],
    known: (DocumentPath) -> FileIdentity?
  ) {
    self.reasons = reasons
    var places: [FileIdentity: DocumentPath] = [:]
    let present = now.sorted { $0.key < $1.key }
    for (path, identity) in present { places[identity] = path }
    waiting = []
    var placed: Set<DocumentPath> = []
    for (path, _) in present {
      var chain = [path]
      var inChain: Set<DocumentPath> = [path]
      // Where what stood here is now.
      while let last = chain.last, let old = known(last), old != now[last], let next = places[old],
        !placed.contains(next), inChain.insert(next).inserted
      { chain.append(next) }
      for path in chain.reversed() where placed.insert(path).inserted { waiting.append(path) }
    }
    // What is gone comes last: it may have been met under another name.
    waiting += reasons.keys.filter { now[$0] == nil }.sorted()
    waiting.reverse()
  }

  /// The next path to look at, and why; nil when all were.
  mutating func next() -> (DocumentPath, LookReason)? {
    while let path = waiting.popLast() {
      if looked.insert(path).inserted { return (path, reasons[path] ?? .unsettled) }
    }
    return nil
  }

  /// Has a path looked at, too, if it was not.
  mutating func add(_ path: DocumentPath, _ reason: LookReason) {
    guard !looked.contains(path), reasons[path] == nil else { return }
    reasons[path] = reason
    waiting.insert(path, at: 0)
  }
}
