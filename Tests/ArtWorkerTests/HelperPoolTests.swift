// SPDX-License-Identifier: Apache-2.0

import ArtModel
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import ArtWorker

extension Renderer {
  /// The bytes of a drawing that must succeed.
  fileprivate func bytes() async throws -> [UInt8] {
    try await draw(DrawingWorkerTests.drawing(), limit: 100).1
  }
}

extension HelperPool {
  /// Waits until this many requests wait for a slot.
  fileprivate func waitForRequests(_ count: Int) async throws {
    try await until("waitingCount == count") { waitingCount == count }
  }
}

@Suite("A pool of helper processes", .timeLimit(.minutes(10))) struct HelperPoolTests {
  /// Parts that are larger than a pipe: the process lives until both are read.
  private static let held =
    "say '{\"part\":1000000}'; head -c 1000000 /dev/zero; say '{\"part\":1000000}'; head -c 1000000 /dev/zero; "
  private static let short = "say '{\"part\":3}'; printf abc; " + ScriptedWorker.drawn

  /// Waits where no error can be thrown.
  private static func wait(_ gate: DispatchSemaphore, for what: String) {
    do { try gate.wait(for: what) } catch { Issue.record(error) }
  }

  /// The requests that were served, in their order.
  private final class Served: Sendable {
    private let numbers = Mutex<[Int]>([])
    var all: [Int] { numbers.withLock(\.self) }
    func add(_ number: Int) { numbers.withLock { $0.append(number) } }
  }

  /// Lets callers pass in groups, and counts how many were inside at once.
  private final class Barrier: Sendable {
    private struct State {
      var inside = 0
      var most = 0
      var arrived = 0
    }
    private let size: Int
    private let state = Mutex(State())
    private let gate = DispatchSemaphore(value: 0)

    init(_ size: Int) { self.size = size }

    var most: Int { state.withLock(\.most) }

    func pass() {
      let isLast = state.withLock { state in
        state.inside += 1
        state.most = max(state.most, state.inside)
        state.arrived += 1
        return state.arrived % size == 0
      }
      if isLast { for _ in 0..<size { gate.signal() } }
      HelperPoolTests.wait(gate, for: "\(size) callers at a barrier")
      state.withLock { $0.inside -= 1 }
    }
  }

  @Test("V13 slots are given in the order of the requests, and never more than there are")
  func machine() {
    var random = SplitMix64(seed: 91)
    for limit in 1...4 {
      var slots = HelperSlots(limit: limit)
      var (running, queue): (Set<Int>, [Int]) = ([], [])
      for _ in 0..<5_000 {
        switch Int.random(in: 0..<3, using: &random) {
        case 0:
          let number = slots.newNumber()
          let isServed = slots.request(number)
          #expect(isServed == (running.count < limit))
          if running.count < limit { running.insert(number) } else { queue.append(number) }
        case 1:
          guard let ended = running.min() else { continue }
          running.remove(ended)
          let next = slots.free()
          #expect(next == queue.first)
          if !queue.isEmpty { running.insert(queue.removeFirst()) }
        default:
          let number = queue.randomElement(using: &random) ?? -1
          let isCancelled = slots.cancel(number)
          #expect(isCancelled == queue.contains(number))
          queue.removeAll { $0 == number }
          if let served = running.min() {
            let isCancelled = slots.cancel(served)
            #expect(!isCancelled)
          }
        }
        #expect(slots.running == running.count && slots.waiting == queue)
      }
    }
    #expect(HelperPool(limit: 0).limit == 1)
    #expect(HelperPool.shared.limit >= 2 && HelperPool.fetching.limit == 8)
  }

  @Test("V13 a pool of three runs three helper processes at once for 60 drawings")
  func cap() async throws {
    let worker = try ScriptedWorker(
      draw: """
        folder="${0%/*}/running"; mkdir -p "$folder"; : >"$folder/$$"
        ls "$folder" | wc -l >>"${0%/*}/counts"
        \(Self.held)rm "$folder/$$"
        \(ScriptedWorker.drawn)
        """, limit: 3)
    let (renderer, barrier) = (worker.renderer, Barrier(3))
    let drawing = try DrawingWorkerTests.drawing()
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<60 {
        group.addTask {
          let isFirst = Mutex(true)
          _ = try await renderer.draw(drawing) { _ in
            let isHeld = isFirst.withLock { isFirst in
              defer { isFirst = false }
              return isFirst
            }
            if isHeld { barrier.pass() }
            return true
          }
        }
      }
      try await group.waitForAll()
    }
    #expect(barrier.most == 3)
    let counts = try worker.lines("counts").compactMap { Int($0.trimmingCharacters(in: .whitespaces)) }
    #expect(counts.count == 60 && counts.max() == 3)
    #expect(worker.pool.runningCount == 0 && worker.pool.waitingCount == 0)
    #expect(try await worker.hasEnded())
  }

  @Test("V13 waiting drawings are served in order")
  func order() async throws {
    let worker = try ScriptedWorker(draw: Self.short, limit: 1)
    let (renderer, served, gate) = (worker.renderer, Served(), DispatchSemaphore(value: 0))
    let drawing = try DrawingWorkerTests.drawing()
    var tasks: [Task<Drawn, any Error>] = []
    for number in 0..<10 {
      tasks.append(
        Task {
          try await renderer.draw(drawing) { _ in
            if number == 0 { Self.wait(gate, for: "the requests of the test") }
            served.add(number)
            return true
          }
        })
      if number == 0 {
        try await until("worker.pool.runningCount > 0") { worker.pool.runningCount > 0 }
      } else {
        try await worker.pool.waitForRequests(number)
      }
    }
    gate.signal()
    for task in tasks { _ = try await task.value }
    #expect(served.all == Array(0..<10))
  }

  @Test("V13 a drawing that is cancelled while it waits leaves the queue at once and starts no process")
  func cancelWaiting() async throws {
    let worker = try ScriptedWorker(
      script: "echo start >>\"${0%/*}/starts\"\n" + ScriptedWorker.drawingGreeting + Self.short, limit: 1)
    let (renderer, gate) = (worker.renderer, DispatchSemaphore(value: 0))
    let drawing = try DrawingWorkerTests.drawing()
    let first = Task {
      try await renderer.draw(drawing) { _ in
        Self.wait(gate, for: "the requests of the test")
        return true
      }
    }
    try await until("worker.pool.runningCount > 0") { worker.pool.runningCount > 0 }
    let cancelled = Task { try await renderer.failure().0 }
    try await worker.pool.waitForRequests(1)
    let last = Task { try await renderer.bytes() }
    try await worker.pool.waitForRequests(2)
    cancelled.cancel()
    // The first drawing still has the only slot.
    #expect(try await cancelled.value == .cancelled)
    #expect(worker.pool.waitingCount == 1)
    gate.signal()
    _ = try await first.value
    #expect(try await last.value == Array("abc".utf8))
    #expect(try worker.lines("starts").count == 2)
    // A drawing that was cancelled before it began requests no slot.
    let early = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      return try await renderer.failure().0
    }
    #expect(try await early.value == .cancelled)
    #expect(try worker.lines("starts").count == 2)
    #expect(try await worker.hasEnded())
  }

  @Test("V13 cancelling a running drawing ends its process, and the next drawing is served")
  func cancelRunning() async throws {
    let worker = try ScriptedWorker(
      draw: """
        if mkdir "${0%/*}/first"; then stage there; forever; fi
        \(Self.short)
        """, limit: 1)
    let renderer = worker.renderer
    let first = Task { try await renderer.failure().0 }
    try await worker.reaches("there")
    let next = Task { try await renderer.bytes() }
    try await worker.pool.waitForRequests(1)
    first.cancel()
    #expect(try await first.value == .cancelled)
    #expect(try await next.value == Array("abc".utf8))
    #expect(worker.pool.runningCount == 0)
    #expect(try await worker.hasEnded())
  }

  @Test("V13 fetches have a pool of their own, and decoding and drawing share one")
  func kinds() async throws {
    let slow = try ScriptedWorker(fetch: "stage there; forever", limit: 1)
    let fetcher = BackgroundFetcher(
      helpers: slow.helpers, pool: HelperPool(limit: 1), fetchPool: slow.pool, clock: ManualClock())
    let request = BackgroundRequest(try BackgroundURL("http://picture.test/a.png"), isUserInitiated: true)
    let fetch = fetcher.fetch(request)
    try await slow.reaches("there")
    let waiting = fetcher.fetch(request)
    try await slow.pool.waitForRequests(1)
    #expect(try await fetcher.check([1, 2]).mediaType == "image/png")
    waiting.cancel()
    #expect(await waiting.result == .failure(.cancelled))
    fetch.cancel()
    #expect(await fetch.result == .failure(.cancelled))
    #expect(try slow.lines("requests").count { $0.hasPrefix(#"{"fetch""#) } == 1)
    #expect(try await slow.hasEnded())

    let decoder = try ScriptedWorker(decode: "stage there; forever", limit: 1)
    let drawer = try ScriptedWorker(draw: Self.short)
    let check = Task { [fetcher = decoder.fetcher] in
      await #expect(throws: BackgroundFailure.cancelled) { try await fetcher.check([1, 2]) }
    }
    try await decoder.reaches("there")
    let renderer = Renderer(helpers: drawer.helpers, pool: decoder.pool, clock: ManualClock())
    let drawing = Task { try await renderer.bytes() }
    try await decoder.pool.waitForRequests(1)
    check.cancel()
    _ = await check.value
    #expect(try await drawing.value == Array("abc".utf8))
    #expect(try await decoder.hasEnded())
    #expect(try await drawer.hasEnded())
  }
}
