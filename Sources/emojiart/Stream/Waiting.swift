// SPDX-License-Identifier: Apache-2.0

import ArtModel
import Dispatch
import Synchronization

/// What a task comes to, for a thread that waits for it.
final class Outcome<Value: Sendable>: Sendable {
  private let value = Mutex<Value?>(nil)
  private let isThere = DispatchSemaphore(value: 0)

  /// Begins the work. `done` is called when it is over.
  init(_ work: @escaping @Sendable () async -> Value, done: @escaping @Sendable () -> Void = {}) {
    Task.detached {
      let result = await work()
      self.value.withLock { $0 = result }
      self.isThere.signal()
      done()
    }
  }

  /// The value, if the work is over.
  var now: Value? { value.withLock { $0 } }

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
