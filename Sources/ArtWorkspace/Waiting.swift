// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtStore
import ArtSystem
import Dispatch
import Synchronization

/// The value of a task, for a thread that waits for it.
package final class Outcome<Value: Sendable>: Sendable {
  private struct State {
    var value: Value?
    var task: Task<Void, Never>?
    var isCancelled = false
  }

  private let state = Mutex(State())
  private let isThere = DispatchSemaphore(value: 0)

  /// Starts the work. `done` is called after it.
  package init(_ work: @escaping @Sendable () async -> Value, done: @escaping @Sendable () -> Void = {}) {
    begin(work, done: done)
  }

  /// An outcome whose work is started later, with `begin`.
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

  /// Cancels the work, even before it starts.
  package func cancel() {
    let task = state.withLock { state in
      state.isCancelled = true
      return state.task
    }
    task?.cancel()
  }

  /// The value, if the work is done.
  package var now: Value? { state.withLock(\.value) }

  /// Waits for the value. Blocks the thread, which must not be one of Swift's concurrency.
  package func wait() -> Value {
    while true {
      if let value = now { return value }
      isThere.wait()
      signalNext()
    }
  }

  /// Waits for at most that time; nil if the work is not done by then.
  package func wait(atMost time: DispatchTimeInterval) -> Value? {
    if let value = now { return value }
    if isThere.wait(timeout: .now() + time) == .success { signalNext() }
    return now
  }

  /// Signals again, because the work signals once for any number of waiting threads.
  private func signalNext() { isThere.signal() }
}

/// The value or the error of a body.
package func result<Success>(
  _ body: () async throws(ArtError) -> Success
) async -> Result<Success, ArtError> {
  do throws(ArtError) { return .success(try await body()) } catch { return .failure(error) }
}

/// Work that is done once for each key when several callers ask for it at the same time.
///
/// The first caller of a key starts it; callers that come while it runs wait for the same value. A cancelled caller returns at
/// once. When the last one is cancelled the work is cancelled, and the next caller of the key starts it again. The value is not
/// stored.
final class SharedWork<Key: Hashable & Sendable, Value: Sendable>: Sendable {
  private struct Running {
    /// The number of this work: cancelled work may end after newer work for the same key began.
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

  /// The number of waiting callers.
  var waitingCount: Int { state.withLock { $0.running.values.reduce(0) { $0 + $1.waiting.count } } }

  /// The value of the work that runs for this key, or else of `work`. Nil if the task is cancelled first.
  func value(for key: Key, _ work: @escaping @Sendable () async -> Value) async -> Value? {
    let number = state.withLock { $0.newNumber() }
    return await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let isWaiting = state.withLock { state in
          // A task that is cancelled after this point finds its continuation.
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

/// The timeout that the reading of many documents shares, because one program may hold all of them.
public struct SharedTimeout<Time: Clock> where Time.Duration == Duration {
  /// The timeout of each document in any case: nearly every save is over by then.
  public static var least: Duration { .milliseconds(100) }

  private var left: Duration
  private let clock: Time

  /// A timeout for all documents together.
  public init(_ whole: Duration, clock: Time) {
    left = whole
    self.clock = clock
  }

  /// Reads a document that was found in a folder within the time that is left. Throws `notADocument` for a link of another user, and what
  /// reading throws.
  public mutating func read<Value>(
    _ path: String, _ read: (DocumentFile) throws(ArtError) -> Value
  ) throws(ArtError) -> Value {
    let begin = clock.now
    do throws(ArtError) {
      return try read(DocumentFile(found: path, timeout: max(left, Self.least)))
    } catch {
      if error.code == .busy { left -= begin.duration(to: clock.now) }
      throw error
    }
  }
}

extension SharedTimeout where Time == ContinuousClock {
  /// A timeout for all documents together.
  public init(_ whole: Duration) { self.init(whole, clock: ContinuousClock()) }
}
