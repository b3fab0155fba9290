// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtSystem
import Dispatch
import Synchronization

/// What a task comes to, for a thread that waits for it.
final class Outcome<Value: Sendable>: Sendable {
  private struct State {
    var value: Value?
    var task: Task<Void, Never>?
    var isCancelled = false
  }

  private let state = Mutex(State())
  private let isThere = DispatchSemaphore(value: 0)

  /// Begins the work. `done` is called when it is over.
  init(_ work: @escaping @Sendable () async -> Value, done: @escaping @Sendable () -> Void = {}) {
    begin(work, done: done)
  }

  /// Begins the work on a thread of its own, so that the caller, who takes signals, does not wait where Dispatch has no thread for
  /// it. Throws `inputOutput` where threads cannot be begun.
  static func onThread(_ work: @escaping @Sendable () async -> Value) throws(ArtError) -> Outcome<Value> {
    try checkThreads()
    let outcome = Outcome()
    do throws(SystemError) {
      try Threads.begin { outcome.begin(work, done: {}) }
    } catch {
      throw .noThread(error)
    }
    return outcome
  }

  private init() {}

  private func begin(_ work: @escaping @Sendable () async -> Value, done: @escaping @Sendable () -> Void) {
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
  func cancel() {
    let task = state.withLock { state in
      state.isCancelled = true
      return state.task
    }
    task?.cancel()
  }

  /// The value, if the work is over.
  var now: Value? { state.withLock(\.value) }

  /// Waits for the value. Blocks the thread: not for one of Swift's.
  func wait() -> Value {
    while true {
      if let value = now { return value }
      isThere.wait()
      letOthersGo()
    }
  }

  /// Waits that long at most; nil when the work is not over then.
  func wait(atMost time: DispatchTimeInterval) -> Value? {
    if let value = now { return value }
    if isThere.wait(timeout: .now() + time) == .success { letOthersGo() }
    return now
  }

  /// The work signals once, for any number of threads that wait.
  private func letOthersGo() { isThere.signal() }
}

/// What a body comes to, as a value.
func result<Success>(
  _ body: () async throws(ArtError) -> Success
) async -> Result<Success, ArtError> {
  do throws(ArtError) { return .success(try await body()) } catch { return .failure(error) }
}
