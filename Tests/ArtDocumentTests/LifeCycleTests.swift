// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtStore
import TestSupport
import Testing

@testable import ArtDocument

extension Document {
  /// Limits the number of unsaved edits.
  fileprivate func limitCapacity(to count: Int) { capacity = count }
}

@Suite("Documents of a program that is stopped, and cancelled tasks")
struct LifeCycleTests {
  // These tests run in child processes, because the gate belongs to the whole process.

  @Test(
    "D11 between background and foreground no file is opened: an autosave and a refresh wait at the gate until foreground"
  )
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
      try await until("an autosave that waits at the gate or is done") {
        if FileGate.shared.waitingThreads > 0 { return true }
        return await !document.hasUnsavedChanges
      }
      #expect(FileGate.shared.waitingThreads == 1)
      #expect(await document.hasUnsavedChanges)
      try await life.send(.foreground, to: [document])
      #expect(await !document.hasUnsavedChanges)
      // A refresh.
      try await life.send(.background, to: [document])
      let (before, refreshed) = (await document.generation.begun, Task { await document.refresh() })
      try await until("a refresh to begin") { await document.generation.begun != before }
      try await until("a refresh that waits at the gate or is done") {
        if FileGate.shared.waitingThreads > 0 { return true }
        return await document.runningRefresh == nil
      }
      #expect(FileGate.shared.waitingThreads == 1)
      try await life.send(.foreground, to: [document])
      #expect(await refreshed.value)
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

  @Test("D11 terminate during the save of background ends with the document saved and closed")
  func terminateMeanwhile() async {
    await #expect(processExitsWith: .success) {
      let folder = try DocumentFolder()
      let file = DocumentFile(try folder.make().path, timeout: .seconds(20))
      let document = try await DocumentFolder.open(file, AutosavePolicy(delay: .seconds(100)))
      await document.waitForLocks()
      let life = LifeCycle(closing: .shared)
      try await document.perform(.bee())
      let lock = try FileLock(file.path)
      async let background: Void = life.send(.background, to: [document])
      try await until("a save to begin") { await document.state == .saving }
      async let terminate: Void = life.send(.terminate, to: [document])
      try await until("the close to begin") { await document.closing > 0 }
      lock.release()
      _ = try await (background, terminate)
      #expect(await document.state == .closed)
      #expect(try file.read().emojiCount == 1)
      withExtendedLifetime(folder) {}
    }
  }

  @Test("D21 a task that waits for capacity returns when it is cancelled")
  func cancelled() async throws {
    let folder = try DocumentFolder()
    let document = try await DocumentFolder.open(folder.make())
    await document.limitCapacity(to: 1)
    try await document.perform(.bee())
    let waiting = Task { await document.waitForCapacity() }
    try await until("a task that waits for capacity") { await document.waiters.count > 0 }
    waiting.cancel()
    await waiting.value
    #expect(await !document.hasCapacity)
    // A task that is not cancelled waits for the save.
    let uncancelled = Task { await document.waitForCapacity() }
    try await until("a task that waits for capacity") { await document.waiters.count > 0 }
    try await document.save()
    await uncancelled.value
    #expect(await document.hasCapacity)
    try await document.close()
  }
}
