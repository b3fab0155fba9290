// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtStore
import TestSupport
import Testing

@testable import ArtDocument

extension Document {
  /// Has room for so many unsaved edits only.
  fileprivate func keep(atMost count: Int) { capacity = count }
}

@Suite("Documents of a program that is stopped, and tasks that are cancelled")
struct BackgroundTurnTests {
  // In processes of their own: the gate is the process's.

  @Test("D11 between background and foreground nothing opens the file: what is due waits, and is done then")
  func stopped() async {
    await #expect(processExitsWith: .success) {
      let folder = try DocumentFolder()
      let file = try folder.make()
      let document = try await DocumentFolder.open(file, AutosavePolicy(changes: 1))
      let life = LifeCycle(closing: .shared)
      try await document.perform(.bee())
      try await life.send(.background, to: [document])
      #expect(await !document.hasUnsavedChanges)
      // An autosave is due at once.
      try await document.perform(.bee())
      try await until("an autosave at the gate, or done") {
        if FileGate.shared.waitingThreads > 0 { return true }
        return await !document.hasUnsavedChanges
      }
      #expect(FileGate.shared.waitingThreads == 1)
      #expect(await document.hasUnsavedChanges)
      try await life.send(.foreground, to: [document])
      #expect(await !document.hasUnsavedChanges)
      // A look.
      try await life.send(.background, to: [document])
      let (before, looked) = (await document.generation.begun, Task { await document.refresh() })
      try await until("document.generation.begun != before") { await document.generation.begun != before }
      try await until("a refresh at the gate, or done") {
        if FileGate.shared.waitingThreads > 0 { return true }
        return await document.runningRefresh == nil
      }
      #expect(FileGate.shared.waitingThreads == 1)
      try await life.send(.foreground, to: [document])
      #expect(await looked.value)
      #expect(try file.read().emojiCount == 2)
      withExtendedLifetime(folder) {}
    }
  }

  @Test("D11 terminate saves and closes a document of a program that was in the background")
  func terminate() async {
    await #expect(processExitsWith: .success) {
      let folder = try DocumentFolder()
      let file = try folder.make()
      let document = try await DocumentFolder.open(file, AutosavePolicy(changes: 1))
      let life = LifeCycle(closing: .shared)
      try await life.send(.background, to: [document])
      try await document.perform(.bee())
      try await life.send(.terminate, to: [document])
      #expect(await document.state == .closed)
      #expect(try file.read().emojiCount == 1)
      withExtendedLifetime(folder) {}
    }
  }

  @Test("D11 terminate that comes while background saves is not held up by it")
  func terminateMeanwhile() async {
    await #expect(processExitsWith: .success) {
      let folder = try DocumentFolder()
      let file = DocumentFile(try folder.make().path, timeout: .seconds(20))
      let document = try await DocumentFolder.open(file, AutosavePolicy(delay: .seconds(100)))
      let life = LifeCycle(closing: .shared)
      try await document.perform(.bee())
      let lock = try FileLock(file.path)
      async let background: Void = life.send(.background, to: [document])
      try await until("document.state == .saving") { await document.state == .saving }
      async let terminate: Void = life.send(.terminate, to: [document])
      try await until("document.closing > 0") { await document.closing > 0 }
      lock.release()
      _ = try await (background, terminate)
      #expect(await document.state == .closed)
      #expect(try file.read().emojiCount == 1)
      withExtendedLifetime(folder) {}
    }
  }

  @Test("D21 a task that waits for room returns when it is cancelled")
  func cancelled() async throws {
    let folder = try DocumentFolder()
    let document = try await DocumentFolder.open(folder.make())
    await document.keep(atMost: 1)
    try await document.perform(.bee())
    let waiting = Task { await document.waitForCapacity() }
    try await until("document.waiters.count > 0") { await document.waiters.count > 0 }
    waiting.cancel()
    await waiting.value
    #expect(await !document.hasCapacity)
    // One that is not cancelled waits for the save.
    let patient = Task { await document.waitForCapacity() }
    try await until("document.waiters.count > 0") { await document.waiters.count > 0 }
    try await document.save()
    await patient.value
    #expect(await document.hasCapacity)
    try await document.close()
  }
}
