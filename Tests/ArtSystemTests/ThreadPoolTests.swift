// SPDX-License-Identifier: Apache-2.0

import ArtSystem
import Dispatch
import Glibc
import Synchronization
import TestSupport
import Testing

@Suite("The threads of blocking work")
struct ThreadPoolTests {
  /// Begins at most so many threads at once, as under `ulimit -u`.
  private final class Limit: Sendable {
    private let left: Mutex<Int>
    /// How often no thread could be begun.
    let failures = Mutex(0)

    init(_ count: Int) { left = Mutex(count) }

    func begin(_ body: @escaping @Sendable () -> Void) throws(SystemError) {
      let isFree = left.withLock { left in
        defer { left -= left > 0 ? 1 : 0 }
        return left > 0
      }
      guard isFree else {
        failures.withLock { $0 += 1 }
        throw SystemError("pthread_create", number: EAGAIN)
      }
      try Threads.begin {
        body()
        self.left.withLock { $0 += 1 }
      }
    }

    /// One thread more may be begun.
    func raise() { left.withLock { $0 += 1 } }
  }

  private static func pool(_ limit: Limit) -> ThreadPool {
    ThreadPool { body throws(SystemError) in try limit.begin(body) }
  }

  @Test("G9 work that blocks has a thread of its own; without work one thread waits, and takes the next one")
  func blocked() async throws {
    let pool = ThreadPool()
    let (ended, held) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    for _ in 0..<3 {
      pool.run {
        ended.signal()
        held.wait()
      }
    }
    for _ in 0..<3 { try ended.wait(for: "work that blocks") }
    #expect(pool.threads == 3)
    for _ in 0..<3 { held.signal() }
    for number in 0..<100 {
      try await until("one thread without work") { pool.threads == 1 && pool.isIdle }
      #expect(await pool.value { number } == number)
    }
    #expect(pool.threads == 1)
  }

  @Test("G9 no more threads begin than the limit, and what waits is done when one is free")
  func limit() async throws {
    let pool = ThreadPool(limit: 2)
    let held = DispatchSemaphore(value: 0)
    let begun = Mutex(0)
    for _ in 0..<5 {
      pool.run {
        begun.withLock { $0 += 1 }
        held.wait()
      }
    }
    try await until("two threads at work") { begun.withLock { $0 } == 2 }
    #expect(pool.threads == 2)
    for _ in 0..<5 { held.signal() }
    try await until("all work") { begun.withLock { $0 } == 5 }
    try await until("one thread") { pool.threads == 1 && pool.isIdle }
  }

  @Test(
    "G9 where no other thread can be begun, work waits for those that there are, and whoever gives it does not wait"
  )
  func shortage() async throws {
    let limit = Limit(2)
    let pool = Self.pool(limit)
    try pool.prepare()
    let held = DispatchSemaphore(value: 0)
    let begun = Mutex(0)
    let done = Mutex<[Int]>([])
    for number in 0..<50 {
      pool.run {
        begun.withLock { $0 += 1 }
        held.wait()
        done.withLock { $0.append(number) }
      }
    }
    try await until("two threads at work") { begun.withLock { $0 } == 2 }
    #expect(pool.threads == 2)
    // The first thread was begun before, and may have taken work before another one was wanted.
    #expect(limit.failures.withLock { $0 } >= 48)
    for _ in 0..<50 { held.signal() }
    try await until("all work") { done.withLock { $0.count } == 50 }
    #expect(done.withLock { $0.sorted() } == Array(0..<50))
  }

  @Test(
    "G9 without any thread, the first one is refused; work that is given nevertheless waits until one can be begun"
  )
  func none() async throws {
    let limit = Limit(0)
    let pool = Self.pool(limit)
    #expect(throws: SystemError.self) { try pool.prepare() }
    #expect(pool.threads == 0)
    async let given = onThread {
      let isDone = DispatchSemaphore(value: 0)
      pool.run { isDone.signal() }
      try isDone.wait(for: "work")
    }
    try await until("another refusal") { limit.failures.withLock { $0 } > 1 }
    limit.raise()
    try await given
    #expect(pool.threads == 1)
  }

  @Test("G9 threads without work end, all but one, which takes what comes later")
  func idle() async throws {
    let pool = ThreadPool()
    let (ended, held) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    for _ in 0..<8 {
      pool.run {
        ended.signal()
        held.wait()
      }
    }
    for _ in 0..<8 { try ended.wait(for: "work that blocks") }
    for _ in 0..<8 { held.signal() }
    try await until("one thread") { pool.threads == 1 && pool.isIdle }
    // Work comes while threads end: none is lost.
    let count = await withTaskGroup(of: Int.self) { group in
      for _ in 0..<8 {
        group.addTask {
          var count = 0
          for _ in 0..<500 { count += await pool.value { 1 } }
          return count
        }
      }
      return await group.reduce(0, +)
    }
    #expect(count == 4_000)
    try await until("one thread again") { pool.threads == 1 && pool.isIdle }
  }

  @Test("G9 a serial queue does its work one after the other, in its order; a failure is thrown")
  func serial() async throws {
    let queue = SerialQueue()
    let order = Mutex<[Int]>([])
    let running = Mutex(0)
    for number in 0..<1_000 {
      queue.run {
        #expect(
          running.withLock {
            $0 += 1; return $0
          } == 1)
        order.withLock { $0.append(number) }
        running.withLock { $0 -= 1 }
      }
    }
    await queue.value {}
    #expect(order.withLock { $0 } == Array(0..<1_000))
    await #expect(throws: SystemError("open", number: ENOENT)) {
      try await queue.value { () throws(SystemError) in throw SystemError("open", number: ENOENT) }
    }
  }
}
