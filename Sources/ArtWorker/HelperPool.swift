// SPDX-License-Identifier: Apache-2.0

import Glibc
import Synchronization

/// Limits how many helper programs of a kind this program runs at once: an asynchronous semaphore whose waiters are served in their
/// order.
///
/// A request holds its slot from before its helper program starts until that program has ended. It holds no slot while something
/// else waits for it, and so no two requests wait for each other.
public final class HelperPool: Sendable {
  /// For decoding and drawing, which take a processor and up to 384 MiB each: as many as there are processors, at least 2.
  public static let shared = HelperPool(limit: max(2, sysconf(Int32(_SC_NPROCESSORS_ONLN))))
  /// For fetching, which waits for the network most of the time.
  public static let fetching = HelperPool(limit: 8)

  private struct State {
    var slots: HelperSlots
    var continuations: [Int: CheckedContinuation<Bool, Never>] = [:]
  }

  /// How many helper programs run at once; at least 1.
  public let limit: Int
  private let state: Mutex<State>

  /// A pool of so many slots; fewer than 1 count as 1.
  public init(limit: Int) {
    self.limit = max(1, limit)
    state = Mutex(State(slots: HelperSlots(limit: self.limit)))
  }

  /// How many requests wait for a slot.
  var waitingCount: Int { state.withLock(\.slots.waiting.count) }
  /// How many requests hold a slot.
  var runningCount: Int { state.withLock(\.slots.running) }

  /// Does the work in a slot, once one is free. Nil when the task is cancelled before that; then the work was not begun.
  func run<Value: Sendable>(_ work: @Sendable () async -> Value) async -> Value? {
    guard await waitForSlot() else { return nil }
    defer { free() }
    return await work()
  }

  /// Whether there is a slot now for the caller, who frees it; false when the task is cancelled.
  private func waitForSlot() async -> Bool {
    let number = state.withLock { $0.slots.newNumber() }
    return await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let isServed: Bool? = state.withLock { state in
          // A task that is cancelled from here on finds its continuation.
          guard !Task.isCancelled else { return false }
          guard !state.slots.request(number) else { return true }
          state.continuations[number] = continuation
          return nil
        }
        if let isServed { continuation.resume(returning: isServed) }
      }
    } onCancel: {
      state.withLock { state in
        state.slots.cancel(number) ? state.continuations.removeValue(forKey: number) : nil
      }?.resume(returning: false)
    }
  }

  private func free() {
    state.withLock { state in
      state.slots.free().flatMap { state.continuations.removeValue(forKey: $0) }
    }?.resume(returning: true)
  }
}

/// Which requests hold a slot and which wait for one, as a machine without tasks and processes.
///
///     request ──a slot is free──▶ running ──free──▶ gone
///        └──none is free──▶ waiting ──free of another, in its turn──▶ running
///                              └──cancel──▶ gone
struct HelperSlots {
  private let limit: Int
  private var lastNumber = 0
  /// How many requests hold a slot.
  private(set) var running = 0
  /// The numbers of those that wait, the first to be served first.
  private(set) var waiting: [Int] = []

  /// So many slots, at least 1, all free.
  init(limit: Int) { self.limit = limit }

  /// A number for a request.
  mutating func newNumber() -> Int {
    lastNumber += 1
    return lastNumber
  }

  /// Whether a request gets a slot at once; else it waits.
  mutating func request(_ number: Int) -> Bool {
    defer { checkInvariants() }
    guard running < limit else {
      waiting.append(number)
      return false
    }
    running += 1
    return true
  }

  /// A request gives its slot back; the number of the one that gets it.
  mutating func free() -> Int? {
    defer { checkInvariants() }
    guard waiting.isEmpty else { return waiting.removeFirst() }
    running -= 1
    return nil
  }

  /// Takes a request out of the queue; false where it does not wait there.
  mutating func cancel(_ number: Int) -> Bool {
    defer { checkInvariants() }
    guard let index = waiting.firstIndex(of: number) else { return false }
    waiting.remove(at: index)
    return true
  }

  private func checkInvariants() {
    assert((0...limit).contains(running), "no more run than there are slots")
    assert(waiting.isEmpty || running == limit, "none waits while a slot is free")
  }
}
