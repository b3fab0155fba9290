// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtSystem
import Synchronization

/// What one helper has written and nobody has taken yet. Its size is bounded by the files that there are, and by `most`:
/// the helper never waits for the watcher, so the kernel's queue is always being emptied.
final class Inbox: Sendable {
  /// What happened under one name, however often.
  struct Happening {
    var mask: EventMask
    let first: Duration
    var last: Duration
  }

  struct Source: Hashable {
    let watch: Int32
    let name: [UInt8]
  }

  struct Contents {
    /// What it said first.
    var greeting: HelperLine?
    /// Answers to commands, in their order.
    var answers: [HelperLine] = []
    var events: [Source: Happening] = [:]
    /// Why events were lost, in the kernel's queue or here.
    var lost: String?
    /// Why it is of no use any more.
    var end: ArtError?
  }

  private struct State {
    var contents = Contents()
    /// When somebody comes for the events by himself; nil when he must be woken.
    var alarm: Duration?
    /// Commands whose answers have not come yet.
    var asked = 0
  }

  private let state = Mutex(State())
  private let wakeup: Wakeup
  private let now: @Sendable () -> Duration
  private let quiet: Duration
  private let most: Int

  init(_ wakeup: Wakeup, now: @escaping @Sendable () -> Duration, quiet: Duration, most: Int = 65_536) {
    self.wakeup = wakeup
    self.now = now
    self.quiet = quiet
    self.most = most
  }

  func put(_ bytes: [UInt8]) {
    let time = now()
    let wakes = state.withLock { state -> Bool in
      guard state.contents.end == nil else { return false }
      do throws(ArtError) {
        let line = try HelperLine(bytes)
        if line.isAnswer {
          guard state.asked > 0 else { throw .unaskedAnswer() }
          state.asked -= 1
        }
        return state.contents.take(line, at: time, most: most)
          || (state.alarm ?? .seconds(Int.max)) > time + quiet
      } catch {
        state.contents.end = error
        return true
      }
    }
    if wakes { wakeup.wake() }
  }

  func put(_ end: HelperEnd) {
    state.withLock { state in state.contents.end = state.contents.end ?? .helperEnded(end) }
    wakeup.wake()
  }

  /// Takes the events and what else is to be known about the helper; answers stay.
  func take() -> Contents {
    state.withLock { state in
      let taken = state.contents
      state.contents.events = [:]
      state.contents.lost = nil
      return taken
    }
  }

  /// What it has written, which stays.
  func peek() -> Contents { state.withLock(\.contents) }

  /// So many commands more are sent.
  func expectAnswers(_ count: Int) { state.withLock { $0.asked += count } }

  /// Takes the answers.
  func takeAnswers() -> [HelperLine] {
    state.withLock { state in
      defer { state.contents.answers = [] }
      return state.contents.answers
    }
  }

  /// Somebody comes by himself at that time; until then events that have time enough wake nobody. Returns whether
  /// something is there already.
  func expect(at time: Duration?) -> Bool {
    state.withLock { state in
      state.alarm = time
      return !state.contents.events.isEmpty || state.contents.lost != nil || state.contents.end != nil
    }
  }
}

extension HelperLine {
  /// Whether it answers a command.
  fileprivate var isAnswer: Bool {
    switch self {
    case .watching, .failed("watch", _): true
    default: false
    }
  }
}

extension Inbox.Contents {
  /// Returns whether it is urgent.
  fileprivate mutating func take(_ line: HelperLine, at time: Duration, most: Int) -> Bool {
    switch line {
    case .failed, .watching:
      if line.isAnswer { answers.append(line) } else { greeting = line }
    case .ready:
      greeting = line
    case .event(let event):
      if event.mask.contains(.overflow) {
        lost = .overflown
        return false
      }
      let source = Inbox.Source(watch: event.watch, name: event.name)
      guard events[source] != nil || events.count < most else {
        events = [:]
        lost = lost ?? .tooManyAtOnce
        return false
      }
      events[source, default: Inbox.Happening(mask: [], first: time, last: time)].add(event.mask, at: time)
      return false
    }
    return true
  }
}

extension Inbox.Happening {
  fileprivate mutating func add(_ mask: EventMask, at time: Duration) {
    self.mask.formUnion(mask)
    last = time
  }
}
