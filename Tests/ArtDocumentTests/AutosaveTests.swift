// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import ArtDocument

@Suite("Autosave") struct AutosaveTests {
  private let policy = AutosavePolicy(
    changes: 3, delay: .milliseconds(250), firstPause: .milliseconds(500), longestPause: .seconds(3))

  @Test("D5 the change that reaches the count saves at once")
  func count() {
    var machine = Autosave(policy)
    #expect(machine.next(at: .zero) == .idle)
    machine.changed(at: .zero)
    machine.changed(at: .milliseconds(1))
    #expect(machine.next(at: .milliseconds(1)) == .wait(until: .milliseconds(250)))
    machine.changed(at: .milliseconds(2))
    #expect(machine.next(at: .milliseconds(2)) == .save)
  }

  @Test("D5 the delay counts from the first unsaved change, not from the last")
  func delay() {
    var machine = Autosave(policy)
    machine.changed(at: .milliseconds(100))
    machine.changed(at: .milliseconds(300))
    #expect(machine.next(at: .milliseconds(349)) == .wait(until: .milliseconds(350)))
    #expect(machine.next(at: .milliseconds(350)) == .save)
  }

  @Test("D6 no second save begins while one runs, and a change made meanwhile counts its delay from itself")
  func oneAtATime() {
    var machine = Autosave(policy)
    for _ in 0..<3 { machine.changed(at: .zero) }
    machine.saveBegan()
    for _ in 0..<5 { machine.changed(at: .milliseconds(10)) }
    #expect(machine.next(at: .seconds(9)) == .idle)
    machine.saveSucceeded()
    #expect(machine.next(at: .milliseconds(10)) == .save)
    machine.saveBegan()
    machine.changed(at: .milliseconds(20))
    machine.saveSucceeded()
    #expect(machine.next(at: .milliseconds(20)) == .wait(until: .milliseconds(270)))
  }

  @Test("D7 pauses after failures double up to the longest, and a success ends them")
  func pauses() {
    var machine = Autosave(policy)
    machine.changed(at: .zero)
    var now = Duration.zero
    var pauses: [Duration] = []
    for _ in 0..<5 {
      machine.saveBegan()
      machine.saveFailed(at: now)
      guard case .wait(let until) = machine.next(at: now) else { return #expect(Bool(false), "no pause") }
      pauses.append(until - now)
      now = until
      #expect(machine.next(at: now) == .save)
    }
    let expected: [Duration] = [.milliseconds(500), .seconds(1), .seconds(2), .seconds(3), .seconds(3)]
    #expect(pauses == expected)
    #expect(machine.waiting == 1, "the change is still unsaved")
    machine.saveBegan()
    machine.saveSucceeded()
    machine.changed(at: now)
    #expect(machine.next(at: now) == .wait(until: now + policy.delay))
  }

  @Test("D2 undo and redo count as changes, and a token clears only the changes before it")
  func changeCount() {
    var count = ChangeCount()
    count.update(.done)
    count.update(.undone)
    let token = count.token
    count.update(.redone)
    #expect(count.unsaved == 3)
    #expect(!count.isSaved(token))
    count.clear(upTo: token)
    #expect(count.unsaved == 1)
    #expect(count.isSaved(token))
    count.update(.cleared)
    #expect(count.unsaved == 0)
  }
}
