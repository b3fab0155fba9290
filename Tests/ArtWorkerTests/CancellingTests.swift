// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtSystem
import TestSupport
import Testing

@testable import ArtWorker

@Suite("Cancelling a fetch", .timeLimit(.minutes(10))) struct CancellingTests {
  /// The moment of the cancellation, and a script that stops there.
  static let stages: [(String, String)] = [
    ("before it greets", "stage there; forever"),
    ("before it reads", "say '{\"hello\":7}'; stage there; forever"),
    ("while it fetches", ScriptedWorker.greeting + "stage there; forever"),
    (
      "in the middle of a body",
      ScriptedWorker.greeting + "say '{\"body\":9}'; printf abc; stage there; forever"
    ),
    ("after a body", ScriptedWorker.greeting + ScriptedWorker.goodFetch + "; stage there; forever"),
    ("while something that it started runs", ScriptedWorker.greeting + "sleep 1000 & stage there; wait"),
    (
      "while it decodes",
      ScriptedWorker.greeting
        + "case $request in '{\"fetch\"'*) \(ScriptedWorker.goodFetch);; *) stage there; forever;; esac"
    ),
  ]

  private func begin(_ worker: ScriptedWorker) throws -> BackgroundFetch {
    let url = try BackgroundURL("http://picture.test/a.png")
    return worker.fetcher.fetch(BackgroundRequest(url, isUserInitiated: true))
  }

  @Test("G8 a fetch that is cancelled at any stage leaves no process", arguments: stages)
  func cancelled(_ name: String, _ script: String) async throws {
    let worker = try ScriptedWorker(script: script)
    let fetch = try begin(worker)
    try await worker.reaches("there")
    fetch.cancel()
    #expect(await fetch.result == .failure(.cancelled))
    #expect(try await worker.hasEnded())
    for await _ in fetch.progress { Issue.record("progress was reported") }
  }

  @Test("G8 a fetch ends when its object is released", arguments: stages)
  func dropped(_ name: String, _ script: String) async throws {
    let worker = try ScriptedWorker(script: script)
    var fetch: BackgroundFetch? = try begin(worker)
    try await worker.reaches("there")
    withExtendedLifetime(fetch) {}
    fetch = nil
    #expect(try await worker.hasEnded())
  }

  @Test("G8 a fetch that is cancelled immediately leaves no process")
  func cancelledImmediately() async throws {
    for round in 0..<20 {
      let worker = try ScriptedWorker()
      let fetch = try begin(worker)
      for _ in 0..<round { await Task.yield() }
      fetch.cancel()
      let result = await fetch.result
      #expect(result == .failure(.cancelled) || (try? result.get()) != nil)
      #expect(try await worker.hasEnded())
    }
  }

  @Test("G8 cancelling a caller cancels the fetch, and all waiting callers get the error")
  func waiter() async throws {
    let worker = try ScriptedWorker(script: ScriptedWorker.greeting + "stage there; forever")
    let fetch = try begin(worker)
    let waiters = (0..<5).map { _ in Task { await fetch.result } }
    try await worker.reaches("there")
    waiters[2].cancel()
    for waiter in waiters { #expect(await waiter.value == .failure(.cancelled)) }
    #expect(try await worker.hasEnded())
  }

  @Test("G8 cancelling the caller of a picture check ends the check")
  func check() async throws {
    let worker = try ScriptedWorker(decode: "stage there; forever")
    let fetcher = worker.fetcher
    let task = Task {
      await #expect(throws: BackgroundFailure.cancelled) { try await fetcher.check([1, 2]) }
    }
    try await worker.reaches("there")
    task.cancel()
    _ = await task.value
    #expect(try await worker.hasEnded())
  }

  @Test("G8 fetches run at the same time, and cancelling one ends no other one")
  func concurrent() async throws {
    let slow = try ScriptedWorker(script: ScriptedWorker.greeting + "stage there; forever")
    let good = try ScriptedWorker()
    let held = try begin(slow)
    try await slow.reaches("there")
    let others = try (0..<8).map { _ in try begin(good) }
    held.cancel()
    for other in others { #expect(try await other.picture.mediaType == "image/png") }
    #expect(await held.result == .failure(.cancelled))
    #expect(try await slow.hasEnded())
    #expect(try await good.hasEnded())
  }
}
