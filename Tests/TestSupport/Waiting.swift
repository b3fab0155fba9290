// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The error of a test that hangs: what it waited for. It does not bound how long anything may take.
package struct Hang: Error, CustomStringConvertible {
  package let what: String
  package init(_ what: String) { self.what = what }
  package var description: String { "waited in vain for \(what)" }

  /// A wait of this length is a hang, however busy the machine is. It is less than the time limit of a suite, whose message does not
  /// say what was waited for.
  package static let limit = Duration.seconds(480)
  fileprivate static let milliseconds = Int32(limit / .milliseconds(1))
  /// The same limit for Dispatch.
  package static var deadline: DispatchTime { .now() + .milliseconds(Int(milliseconds)) }
}

/// Waits until a condition holds for which there is no event. Throws `Hang`, also when the task is cancelled.
package func until(
  _ what: @autoclosure () -> String, isolation: isolated (any Actor)? = #isolation,
  _ holds: () async throws -> Bool
) async throws {
  let end = ContinuousClock.now + Hang.limit
  var checks = 0
  while try await !holds() {
    guard !Task.isCancelled, ContinuousClock.now < end else { throw Hang(what()) }
    // What is waited for may be done by another process, which needs the processor.
    checks += 1
    if checks < 100 { await Task.yield() } else { try? await Task.sleep(for: .milliseconds(1)) }
  }
}

/// The same on a thread that may block. The condition is checked every two milliseconds, such as one about a file or another
/// process.
package func wait(for what: @autoclosure () -> String, until holds: () throws -> Bool) throws {
  let end = ContinuousClock.now + Hang.limit
  while try !holds() {
    guard ContinuousClock.now < end else { throw Hang(what()) }
    usleep(2_000)
  }
}

/// Waits until a descriptor can be read, or its other end is closed.
package func waitUntilReadable(_ descriptor: Int32, for what: @autoclosure () -> String) throws {
  var ready = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
  while true {
    let count = poll(&ready, 1, Hang.milliseconds)
    if count > 0 { return }
    guard count < 0, errno == EINTR else { throw Hang(what()) }
  }
}

extension DispatchSemaphore {
  /// Waits for a signal.
  package func wait(for what: @autoclosure () -> String) throws {
    guard wait(timeout: Hang.deadline) == .success else { throw Hang(what()) }
  }
}

extension DispatchGroup {
  /// Waits until all have left.
  package func wait(for what: @autoclosure () -> String) throws {
    guard wait(timeout: Hang.deadline) == .success else { throw Hang(what()) }
  }
}

/// Waits for the result of a body that is suspended until an event. Throws `Hang`, also when the task is cancelled; the body need
/// not notice that, and its result is dropped then.
package func result<Value: Sendable>(
  for what: @autoclosure () -> String, isolation: isolated (any Actor)? = #isolation,
  _ body: @escaping @Sendable () async throws -> Value
) async throws -> Value {
  let (values, value) = AsyncThrowingStream.makeStream(of: Value.self)
  let waiting = Task {
    do {
      value.yield(try await body())
      value.finish()
    } catch { value.finish(throwing: error) }
  }
  let limit = Task {
    try await Task.sleep(for: Hang.limit)
    value.finish()
  }
  defer {
    waiting.cancel()
    limit.cancel()
  }
  var iterator = values.makeAsyncIterator()
  guard let value = try await iterator.next(isolation: isolation) else { throw Hang(what()) }
  return value
}

extension AsyncSequence where Self: Sendable, Element: Sendable {
  /// The next elements up to one that matches, or up to the end, of a sequence whose iterators share their elements.
  package func elements(
    until what: @autoclosure () -> String, isolation: isolated (any Actor)? = #isolation,
    _ isLast: (Element) throws -> Bool
  ) async throws -> [Element] {
    var elements: [Element] = []
    while let element = try await result(for: what(), { try await self.first { _ in true } }) {
      elements.append(element)
      if try isLast(element) { break }
    }
    return elements
  }
}

/// Runs blocking code on a thread of its own, because Swift's concurrency has few threads.
package func onThread<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
  try await withCheckedThrowingContinuation { continuation in
    Thread.detachNewThread { continuation.resume(with: Result(catching: body)) }
  }
}
