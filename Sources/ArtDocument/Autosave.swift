// SPDX-License-Identifier: Apache-2.0

/// When a document is saved automatically.
public struct AutosavePolicy: Sendable, Equatable {
  /// The number of unsaved changes that triggers a save, at least 1.
  public var changes: Int
  /// The time after the first unsaved change at which a save starts at the latest.
  public var delay: Duration
  /// The pause after a failed save. It doubles with each failure, up to `longestPause`.
  public var firstPause: Duration
  /// The longest pause between two attempts.
  public var longestPause: Duration

  /// A policy. The defaults are 20 changes or 250 ms, and pauses of half a second up to 30 seconds after failures.
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

/// Decides when to save, as a pure state machine. Times are durations since an arbitrary start.
///
///     nothing unsaved ──changed──▶ waiting (for the count, or until first change + delay) ──▶ save
///                                                                                              │
///     saveSucceeded: what was changed meanwhile waits from its own first change   ◀────────────┤
///     saveFailed: everything waits for the pause, which grows with each failure   ◀────────────┘
struct Autosave: Equatable {
  enum Next: Equatable {
    /// Nothing to do until the next input.
    case idle
    /// Call `next` again at that time.
    case wait(until: Duration)
    /// Save now.
    case save
  }

  let policy: AutosavePolicy
  /// Changes that neither a finished nor a running save contains.
  private(set) var waiting = 0
  private var waitingSince: Duration?
  private var inFlight: Int?
  private var failures = 0
  private var notBefore: Duration?

  init(_ policy: AutosavePolicy) { self.policy = policy }

  mutating func changed(at now: Duration) {
    waiting += 1
    if waitingSince == nil { waitingSince = now }
    checkInvariants()
  }

  mutating func saveBegan() {
    inFlight = waiting
    waiting = 0
    waitingSince = nil
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
    if waiting > 0 { waitingSince = waitingSince ?? now }
    notBefore = now + pause
    failures += 1
    checkInvariants()
  }

  func next(at now: Duration) -> Next {
    guard inFlight == nil, waiting > 0, let waitingSince else { return .idle }
    if let notBefore { return now < notBefore ? .wait(until: notBefore) : .save }
    if waiting >= policy.changes { return .save }
    let due = waitingSince + policy.delay
    return now < due ? .wait(until: due) : .save
  }

  private var pause: Duration {
    var pause = policy.firstPause
    for _ in 0..<failures where pause < policy.longestPause { pause = pause * 2 }
    return min(pause, policy.longestPause)
  }

  /// Stops a debug build when an invariant does not hold.
  private func checkInvariants() {
    assert((waiting == 0) == (waitingSince == nil), "the time is set while changes wait")
    assert(waiting >= 0 && failures >= 0)
  }
}

// MARK: - Counting changes

/// The kinds of changes, as UIDocument counts them.
enum ChangeKind {
  /// An edit was made.
  case done
  /// An edit was undone.
  case undone
  /// An edit was redone.
  case redone
  /// All changes count as saved from now on.
  case cleared
}

/// The changes made until some moment. A save takes a token when it starts; later changes are not part of it.
public struct SaveToken: Sendable, Hashable {
  fileprivate let changes: Int

  /// Whether the other token includes all changes of this one.
  func isCovered(by other: SaveToken) -> Bool { changes <= other.changes }
}

/// The number of changes of a document, and of those that are saved.
struct ChangeCount: Equatable {
  private var made = 0
  private var saved = 0

  /// The number of unsaved changes.
  var unsaved: Int { made - saved }

  mutating func update(_ kind: ChangeKind) {
    switch kind {
    case .done, .undone, .redone: made += 1
    case .cleared: saved = made
    }
  }

  /// A token for all changes so far.
  var token: SaveToken { SaveToken(changes: made) }

  /// Marks the token's changes as saved.
  mutating func clear(upTo token: SaveToken) { saved = max(saved, token.changes) }

  /// Whether the token's changes are saved.
  func isSaved(_ token: SaveToken) -> Bool { token.changes <= saved }
}

/// Why a save is made. The reason sets the timeout for a locked document.
enum SaveReason {
  case asked
  case autosave
  case closing

  var timeout: Duration {
    switch self {
    case .asked, .closing: .seconds(5)
    // No caller waits for an autosave, and a failed one is repeated.
    case .autosave: .seconds(1)
    }
  }
}
