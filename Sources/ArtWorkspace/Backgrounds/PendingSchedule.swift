// SPDX-License-Identifier: Apache-2.0

/// Which pending background is fetched when, as a pure machine. Times are durations since one moment of the caller's choice.
///
///                began                held elsewhere: again in 2 s
///     waiting ───────────▶ running ───────────────────────────────────────────▶ waiting
///                            │   └─── came to nothing: again in 1 min, then twice that, an hour at most
///                            └─ finished: taken, refused for good, or not pending any more ─▶ done
///
///     done    ── wanted in a later state of its document than the one it was finished in ──▶ waiting
///     any     ── not wanted any more ──▶ gone
///
/// - At most `atOnce` are running.
/// - What is finished stays known until it is not wanted: who wants it may not have seen yet that it is not pending.
struct PendingSchedule {
  enum Next: Equatable {
    /// Nothing to do until something happens.
    case idle
    /// Ask again then.
    case wait(until: Duration)
    /// Begin with that one.
    case begin(PendingKey)
  }

  private enum Phase: Equatable {
    case waiting(until: Duration)
    case running
    /// With each document in that revision.
    case done([PendingPlace: Int])
  }

  private struct Entry {
    /// Where its documents are, and in which revision each was seen.
    var places: [PendingPlace: Int]
    var phase: Phase
    /// The order in which they came.
    let number: Int
    var failures = 0
    /// What has been told of why it comes to nothing.
    var told: String?
  }

  /// How many are fetched at once.
  static let atOnce = 2
  /// How long one that another program fetches is left alone.
  static let heldPause = Duration.seconds(2)
  /// How long one that came to nothing is left alone, at first and at most.
  static let (firstPause, longestPause) = (Duration.seconds(60), Duration.seconds(3_600))

  private var entries: [PendingKey: Entry] = [:]
  private var nextNumber = 0

  /// What is pending now, and in which revision of each document. Returns what is not wanted any more: whoever fetches it
  /// gives up.
  mutating func want(_ wanted: [PendingKey: [PendingPlace: Int]], at now: Duration) -> [PendingKey] {
    defer { checkInvariants() }
    for (key, places) in wanted.sorted(by: { $0.key.url < $1.key.url }) {
      guard var entry = entries[key] else {
        entries[key] = Entry(places: places, phase: .waiting(until: now), number: nextNumber)
        nextNumber += 1
        continue
      }
      entry.places = places
      if case .done(let seen) = entry.phase, places.contains(where: { $1 > seen[$0] ?? -1 }) {
        entry.phase = .waiting(until: now)
        entry.told = nil
      }
      entries[key] = entry
    }
    let gone = entries.keys.filter { wanted[$0] == nil }
    for key in gone { entries[key] = nil }
    return gone
  }

  /// What is to be done now.
  func next(at now: Duration) -> Next {
    let running = entries.values.count { $0.phase == .running }
    guard running < Self.atOnce else { return .idle }
    let waiting = entries.compactMap { key, entry -> (key: PendingKey, until: Duration, number: Int)? in
      if case .waiting(let until) = entry.phase { (key, until, entry.number) } else { nil }
    }
    guard let first = waiting.min(by: { ($0.until, $0.number) < ($1.until, $1.number) }) else { return .idle }
    return first.until <= now ? .begin(first.key) : .wait(until: first.until)
  }

  /// Where the documents are that wait for it.
  func places(of key: PendingKey) -> [PendingPlace] {
    entries[key].map { $0.places.keys.sorted { ($0.source, $0.document) < ($1.source, $1.document) } } ?? []
  }

  mutating func began(_ key: PendingKey) { set(key) { $0.phase = .running } }

  /// Another program on this machine fetches it.
  mutating func heldElsewhere(_ key: PendingKey, at now: Duration) {
    set(key) { $0.phase = .waiting(until: now + Self.heldPause) }
  }

  /// It was refused for now, or something was in the way. Returns whether that is to be told: it is once for each kind.
  mutating func cameToNothing(_ key: PendingKey, _ kind: String, at now: Duration) -> Bool {
    var isNews = false
    set(key) { entry in
      entry.phase = .waiting(until: now + Self.pause(after: entry.failures))
      entry.failures += 1
      isNews = entry.told != kind
      entry.told = kind
    }
    return isNews
  }

  /// It was taken, refused for good, or is not pending any more, in that revision of each document.
  mutating func finished(_ key: PendingKey, _ seen: [PendingPlace: Int]) {
    set(key) { entry in
      entry.phase = .done(seen)
      entry.failures = 0
      // What was seen before it was finished, of one that is not among these.
      if entry.places.contains(where: { seen[$0.key] == nil }) { entry.phase = .waiting(until: .zero) }
    }
  }

  private mutating func set(_ key: PendingKey, _ change: (inout Entry) -> Void) {
    guard var entry = entries[key] else { return }
    change(&entry)
    entries[key] = entry
    checkInvariants()
  }

  private static func pause(after failures: Int) -> Duration {
    var pause = firstPause
    for _ in 0..<failures where pause < longestPause { pause = pause * 2 }
    return min(pause, longestPause)
  }

  /// Stops a debug build when a promise of this type does not hold.
  private func checkInvariants() {
    assert(entries.values.count { $0.phase == .running } <= Self.atOnce, "two are fetched at once")
    assert(entries.values.allSatisfy { !$0.places.isEmpty }, "nobody is waited for in vain")
  }
}
