// SPDX-License-Identifier: Apache-2.0

import ArtModel
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
