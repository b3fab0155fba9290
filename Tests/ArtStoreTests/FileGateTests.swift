// SPDX-License-Identifier: Apache-2.0

import ArtModel
import Foundation
import TestSupport
import Testing

@testable import ArtStore

@Suite("The gate before files") struct FileGateTests {
  /// A thread that enters a gate, signals that, and leaves on request.
  private final class Visitor: Sendable {
    private let entered = DispatchSemaphore(value: 0)
    private let mayLeave = DispatchSemaphore(value: 0)
    private let left = DispatchSemaphore(value: 0)

    init(_ gate: FileGate) {
      Thread.detachNewThread { [entered, mayLeave, left] in
        do {
          let pass = FileGate.Pass(gate)
          entered.signal()
          do { try mayLeave.wait(for: "the request to leave") } catch { Issue.record(error) }
          // A thread that is inside may enter again, also while the gate is closed.
          withExtendedLifetime((pass, FileGate.Pass(gate))) {}
        }
        left.signal()
      }
    }

    func waitUntilInside() async throws {
      try await onThread { [entered] in try entered.wait(for: "a thread that enters the gate") }
    }
    func leave() async throws {
      mayLeave.signal()
      try await onThread { [left] in try left.wait(for: "a thread that leaves the gate") }
    }
  }

  @Test("D11 a closed gate lets the threads inside continue, and all others wait until it is open")
  func closing() async throws {
    let gate = FileGate()
    let inside = Visitor(gate)
    try await inside.waitUntilInside()
    gate.close()
    let late = Visitor(gate)
    try await until("a thread that waits at the gate") { gate.waitingThreads > 0 }
    async let idle: Void = gate.waitUntilIdle()
    try await until("a task that waits for the threads inside") { gate.waitingTasks > 0 }
    try await inside.leave()
    await idle
    #expect(gate.waitingThreads == 1)
    gate.open()
    try await late.waitUntilInside()
    #expect(gate.waitingThreads == 0)
    try await late.leave()
  }

  @Test(
    "D11 a task that waits for the threads inside continues when the gate is opened, and when it is cancelled"
  )
  func opening() async throws {
    let gate = FileGate()
    let inside = Visitor(gate)
    try await inside.waitUntilInside()
    gate.close()
    let waiting = Task { await gate.waitUntilIdle() }
    try await until("a task that waits for the threads inside") { gate.waitingTasks > 0 }
    gate.open()
    await waiting.value
    gate.close()
    let cancelled = Task { await gate.waitUntilIdle() }
    try await until("a task that waits for the threads inside") { gate.waitingTasks > 0 }
    cancelled.cancel()
    await cancelled.value
    gate.open()
    try await inside.leave()
  }

  @Test("D11 waiting for an open gate, or for one with no thread inside, ends at once")
  func nothingToWaitFor() async {
    let gate = FileGate()
    await gate.waitUntilIdle()
    gate.close()
    await gate.waitUntilIdle()
    gate.open()
    withExtendedLifetime(FileGate.Pass(gate)) {}
  }

  @Test("D11 a stop waits until the last thread has left, and is given up if that takes too long")
  func timeout() async throws {
    let gate = FileGate()
    let inside = Visitor(gate)
    try await inside.waitUntilInside()
    #expect(!gate.closeWhenEmpty(.milliseconds(0)))
    // The gate is open again: nobody is kept out for ever.
    let other = Visitor(gate)
    try await other.waitUntilInside()
    try await other.leave()
    async let isClosed = onThread { gate.closeWhenEmpty(.seconds(600)) }
    // It closes the gate before it waits.
    try await until("a gate that is closed") { gate.isClosed }
    try await inside.leave()
    #expect(try await isClosed)
    let late = Visitor(gate)
    try await until("a thread that waits at the gate") { gate.waitingThreads > 0 }
    gate.open()
    try await late.waitUntilInside()
    try await late.leave()
  }
}
