// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// Work that several callers ask for at the same time, and that is done once for each key.
///
/// The first caller of a key begins it, those that come while it runs wait for the same value. A cancelled caller returns at once; with
/// the last one the work is cancelled, and the next caller of the key begins it anew. The value is not kept.
final class SharedWork<Key: Hashable & Sendable, Value: Sendable>: Sendable {
  private struct Running {
    /// Which work of this key it is: one that was cancelled may end after the next one began.
    let number: Int
    let task: Task<Void, Never>
    var waiting: [Int: CheckedContinuation<Value?, Never>]
  }

  private struct State {
    var running: [Key: Running] = [:]
    var lastNumber = 0

    mutating func newNumber() -> Int {
      lastNumber += 1
      return lastNumber
    }
  }

  private let state = Mutex(State())

  /// How many callers wait.
  var waitingCount: Int { state.withLock { $0.running.values.reduce(0) { $0 + $1.waiting.count } } }

  /// The value for a key: that of the work that runs for it, else of this work. Nil when the task is cancelled before it is there.
  func value(for key: Key, _ work: @escaping @Sendable () async -> Value) async -> Value? {
    let number = state.withLock { $0.newNumber() }
    return await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let isWaiting = state.withLock { state in
          // A task that is cancelled from here on finds its continuation.
          guard !Task.isCancelled else { return false }
          if state.running[key] != nil {
            state.running[key]?.waiting[number] = continuation
          } else {
            let task = Task.detached { self.finish(key, number, await work()) }
            state.running[key] = Running(number: number, task: task, waiting: [number: continuation])
          }
          return true
        }
        if !isWaiting { continuation.resume(returning: nil) }
      }
    } onCancel: {
      leave(key, number)
    }
  }

  private func finish(_ key: Key, _ number: Int, _ value: Value) {
    let waiting = state.withLock { state in
      guard state.running[key]?.number == number else { return [CheckedContinuation<Value?, Never>]() }
      return state.running.removeValue(forKey: key).map { Array($0.waiting.values) } ?? []
    }
    for waiter in waiting { waiter.resume(returning: value) }
  }

  private func leave(_ key: Key, _ number: Int) {
    let (waiter, task) = state.withLock { state in
      let waiter = state.running[key]?.waiting.removeValue(forKey: number)
      let isLast = waiter != nil && state.running[key]?.waiting.isEmpty == true
      return (waiter, isLast ? state.running.removeValue(forKey: key)?.task : nil)
    }
    task?.cancel()
    waiter?.resume(returning: nil)
  }
}
