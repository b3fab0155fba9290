// SPDX-License-Identifier: Apache-2.0

import Glibc
import Synchronization

/// Limits how many helper processes of one kind run at once: an asynchronous semaphore with a first-in,
/// first-out queue.
///
/// A request holds its slot from before its process starts until the process has ended. It waits for nothing
/// else while it holds a slot, so requests cannot deadlock.
public final class HelperPool: Sendable {
  /// For decoding and drawing, which use a processor and up to 384 MiB each: one slot for each processor, at
  /// least 2.
  public static let shared = HelperPool(limit: max(2, sysconf(Int32(_SC_NPROCESSORS_ONLN))))
  /// For fetching, which mostly waits for the network.
  public static let fetching = HelperPool(limit: 8)

  private struct State {
    var slots: HelperSlots
    var continuations: [Int: CheckedContinuation<Bool, Never>] = [:]
  }

  /// The number of helper processes that run at once; at least 1.
  public let limit: Int
  private let state: Mutex<State>

  /// A pool with that many slots, at least 1.
  public init(limit: Int) {
    self.limit = max(1, limit)
    state = Mutex(State(slots: HelperSlots(limit: self.limit)))
  }

  /// The number of requests that wait for a slot.
  var waitingCount: Int { state.withLock(\.slots.waiting.count) }
  /// The number of requests that hold a slot.
  var runningCount: Int { state.withLock(\.slots.running) }

  /// Runs the work when a slot is free. Nil when the task is cancelled before that; the work has not run then.
  func run<Value: Sendable>(_ work: @Sendable () async -> Value) async -> Value? {
    guard await waitForSlot() else { return nil }
    defer { free() }
    return await work()
  }

  /// Waits for a slot, which the caller must free; false when the task is cancelled.
  private func waitForSlot() async -> Bool {
    let number = state.withLock { $0.slots.newNumber() }
    return await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let isServed: Bool? = state.withLock { state in
          // From here on, cancelling finds the continuation.
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

// MARK: - The queue

/// Which requests hold a slot and which wait: a machine without tasks and processes.
///
///     request ──a slot is free──▶ running ──free──▶ ended
///        └──none is free──▶ waiting ──free of another, in its turn──▶ running
///                              └──cancel──▶ ended
struct HelperSlots {
  private let limit: Int
  private var lastNumber = 0
  /// The number of requests that hold a slot.
  private(set) var running = 0
  /// The numbers of the waiting requests, in order.
  private(set) var waiting: [Int] = []

  /// At least 1 slot, all free.
  init(limit: Int) { self.limit = limit }

  /// A number for a new request.
  mutating func newNumber() -> Int {
    lastNumber += 1
    return lastNumber
  }

  /// Requests a slot: true when there is one, false when the request waits.
  mutating func request(_ number: Int) -> Bool {
    defer { checkInvariants() }
    guard running < limit else {
      waiting.append(number)
      return false
    }
    running += 1
    return true
  }

  /// Frees a slot; returns the number of the request that receives it.
  mutating func free() -> Int? {
    defer { checkInvariants() }
    guard waiting.isEmpty else { return waiting.removeFirst() }
    running -= 1
    return nil
  }

  /// Removes a waiting request; false where it does not wait.
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
