// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtStore
import ArtSystem
import Dispatch
import Synchronization

/// What a task comes to, for a thread that waits for it.
package final class Outcome<Value: Sendable>: Sendable {
  private struct State {
    var value: Value?
    var task: Task<Void, Never>?
    var isCancelled = false
  }

  private let state = Mutex(State())
  private let isThere = DispatchSemaphore(value: 0)

  /// Begins the work. `done` is called when it is over.
  package init(_ work: @escaping @Sendable () async -> Value, done: @escaping @Sendable () -> Void = {}) {
    begin(work, done: done)
  }

  /// Nothing was begun yet: `begin` does that.
  package init() {}

  package func begin(_ work: @escaping @Sendable () async -> Value, done: @escaping @Sendable () -> Void) {
    let task = Task.detached {
      let result = await work()
      self.state.withLock { $0.value = result }
      self.isThere.signal()
      done()
    }
    let isCancelled = state.withLock { state in
      state.task = task
      return state.isCancelled
    }
    if isCancelled { task.cancel() }
  }

  /// Cancels the work, also before it begins.
  package func cancel() {
    let task = state.withLock { state in
      state.isCancelled = true
      return state.task
    }
    task?.cancel()
  }

  /// The value, if the work is over.
  package var now: Value? { state.withLock(\.value) }

  /// Waits for the value. Blocks the thread: not for one of Swift's.
  package func wait() -> Value {
    while true {
      if let value = now { return value }
      isThere.wait()
      letOthersGo()
    }
  }

  /// Waits that long at most; nil when the work is not over then.
  package func wait(atMost time: DispatchTimeInterval) -> Value? {
    if let value = now { return value }
    if isThere.wait(timeout: .now() + time) == .success { letOthersGo() }
    return now
  }

  /// The work signals once, for any number of threads that wait.
  private func letOthersGo() { isThere.signal() }
}

/// What a body comes to, as a value.
package func result<Success>(
  _ body: () async throws(ArtError) -> Success
) async -> Result<Success, ArtError> {
  do throws(ArtError) { return .success(try await body()) } catch { return .failure(error) }
}

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

/// How long who reads many documents waits for those that other programs hold: all together, for a program that does not let go
/// of one may hold them all.
public struct SharedTimeout<Time: Clock> where Time.Duration == Duration {
  /// What each document is waited for in any case: nearly every save is over by then.
  public static var least: Duration { .milliseconds(100) }

  private var left: Duration
  private let clock: Time

  /// So much for all of them.
  public init(_ whole: Duration, clock: Time) {
    left = whole
    self.clock = clock
  }

  /// Reads the document at a path, which waits no longer than is left. Throws what reading throws.
  public mutating func read<Value>(
    _ path: String, _ read: (DocumentFile) throws(ArtError) -> Value
  ) throws(ArtError) -> Value {
    let begin = clock.now
    do throws(ArtError) {
      return try read(DocumentFile(path, timeout: max(left, Self.least)))
    } catch {
      if error.code == .busy { left -= begin.duration(to: clock.now) }
      throw error
    }
  }
}

extension SharedTimeout where Time == ContinuousClock {
  /// So much for all of them.
  public init(_ whole: Duration) { self.init(whole, clock: ContinuousClock()) }
}
