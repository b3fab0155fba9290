// SPDX-License-Identifier: Apache-2.0

/// When a document saves itself.
public struct AutosavePolicy: Sendable, Equatable {
  /// After that many unsaved changes, at least 1.
  public var changes: Int
  /// That long after the first of them, whichever comes first.
  public var delay: Duration
  /// How long after a failed save the next one is tried; doubled each time, up to `longestPause`.
  public var firstPause: Duration
  /// The longest pause between two tries.
  public var longestPause: Duration

  /// 20 changes or 250 ms; after a failure half a second, then up to 30.
  public init(
    changes: Int = 20, delay: Duration = .milliseconds(250), firstPause: Duration = .milliseconds(500),
    longestPause: Duration = .seconds(30)
  ) {
    self.changes = max(1, changes)
    self.delay = delay
    self.firstPause = firstPause
    self.longestPause = longestPause
  }
}

/// Decides when to save, as a pure machine. Times are durations since one moment of the caller's choice.
///
///     nothing unsaved ──changed──▶ waiting (for the count, or until first change + delay) ──▶ save
///                                                                                              │
///     saveSucceeded: what was changed meanwhile waits from its own first change   ◀────────────┤
///     saveFailed: everything waits for the pause, which grows with each failure   ◀────────────┘
struct Autosave: Equatable {
  enum Next: Equatable {
    /// Nothing to do until something happens.
    case idle
    /// Ask again then.
    case wait(until: Duration)
    /// Save now.
    case save
  }

  let policy: AutosavePolicy
  /// Changes that no save holds, and that no running save will hold.
  private(set) var waiting = 0
  private var since: Duration?
  private var inFlight: Int?
  private var failures = 0
  private var notBefore: Duration?

  init(_ policy: AutosavePolicy) { self.policy = policy }

  mutating func changed(at now: Duration) {
    waiting += 1
    if since == nil { since = now }
    checkInvariants()
  }

  mutating func saveBegan() {
    inFlight = waiting
    waiting = 0
    since = nil
    checkInvariants()
  }

  mutating func saveSucceeded() {
    inFlight = nil
    failures = 0
    notBefore = nil
    checkInvariants()
  }

  mutating func saveFailed(at now: Duration) {
    waiting += inFlight ?? 0
    inFlight = nil
    if waiting > 0 { since = since ?? now }
    notBefore = now + pause
    failures += 1
    checkInvariants()
  }

  func next(at now: Duration) -> Next {
    guard inFlight == nil, waiting > 0, let since else { return .idle }
    if let notBefore { return now < notBefore ? .wait(until: notBefore) : .save }
    if waiting >= policy.changes { return .save }
    let due = since + policy.delay
    return now < due ? .wait(until: due) : .save
  }

  private var pause: Duration {
    var pause = policy.firstPause
    for _ in 0..<failures where pause < policy.longestPause { pause = pause * 2 }
    return min(pause, policy.longestPause)
  }

  /// Stops a debug build when a promise of this type does not hold.
  private func checkInvariants() {
    assert((waiting == 0) == (since == nil), "what waits has waited since some time")
    assert(waiting >= 0 && failures >= 0)
  }
}

/// How a change came about, as UIDocument counts them.
enum ChangeKind {
  /// An edit was made.
  case done
  /// An edit was taken back.
  case undone
  /// An edit was made again.
  case redone
  /// All changes are as good as saved.
  case cleared
}

/// The changes made until some moment. A save takes one at its start: changes made while it runs are not among them.
public struct SaveToken: Sendable, Hashable {
  fileprivate let made: Int

  /// Whether these changes are among the other's, too.
  func isCovered(by other: SaveToken) -> Bool { made <= other.made }
}

/// How many changes a document has seen, and how many of them are saved.
struct ChangeCount: Equatable {
  private var made = 0
  private var saved = 0

  /// Changes that no save holds yet.
  var unsaved: Int { made - saved }

  mutating func update(_ kind: ChangeKind) {
    switch kind {
    case .done, .undone, .redone: made += 1
    case .cleared: saved = made
    }
  }

  /// The changes until now.
  var token: SaveToken { SaveToken(made: made) }

  /// A save that holds the token's changes succeeded.
  mutating func clear(upTo token: SaveToken) { saved = max(saved, token.made) }

  /// Whether a save holds the token's changes.
  func isSaved(_ token: SaveToken) -> Bool { token.made <= saved }
}
