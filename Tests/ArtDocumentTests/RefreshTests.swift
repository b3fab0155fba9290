// SPDX-License-Identifier: Apache-2.0

import ArtModel
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import ArtDocument
@testable import ArtStore

@Suite("Documents that refresh") struct RefreshTests {
  private let folder: DocumentFolder

  init() throws { folder = try DocumentFolder() }

  /// Saves only on request, because its clock stands still.
  private static let savesOnRequest = AutosavePolicy(changes: 1_000, delay: .seconds(60))

  private func copy(_ from: DocumentFile, over to: String) throws {
    let bytes = try Data(contentsOf: url(from.path))
    try bytes.write(to: url(to))
  }

  /// A stamp of the file as it would be at the moment of its last write.
  private func stamp(of file: DocumentFile) throws -> FileStamp {
    var status = stat()
    try #require(lstat(file.path, &status) == 0)
    return FileStamp(status, at: status.st_ctim.tv_sec * 1_000_000_000 + status.st_ctim.tv_nsec)
  }

  private func url(_ path: String) -> URL { URL(fileURLWithPath: path) }

  private func isInError(_ document: Document) async -> Bool {
    if case .error = await document.state { true } else { false }
  }

  /// Why a file cannot be written, as a test says.
  private final class Access: Sendable {
    let reason = Mutex<String?>(nil)
  }

  private func open(_ file: DocumentFile, _ access: Access) async throws -> Document {
    try await Document.open(
      file, readOnlyBecause: { access.reason.withLock(\.self) }, author: nil,
      journal: DocumentFolder.journal(of: file), autosave: Self.savesOnRequest, refreshInterval: nil,
      clock: ManualClock(), time: { 0 }, using: SystemRandomNumberGenerator())
  }

  @Test("D8 a document that was read-only can be edited after a refresh that finds that it can be written")
  func becomesWritable() async throws {
    let file = try folder.make()
    // Edits of a killed program wait for the first program that may write.
    let killed = try await DocumentFolder.open(file, Self.savesOnRequest)
    try await killed.perform(.bee(x: 1))
    await killed.abandon()
    let access = Access()
    access.reason.withLock { $0 = "the file is read-only" }
    let document = try await open(file, access)
    let events = document.events()
    #expect(await document.refresh())
    #expect(await document.state == .editingDisabled("the file is read-only"))
    #expect(await document.content.emojiCount == 0)
    #expect(document.recovered.isEmpty)
    access.reason.withLock { $0 = nil }
    #expect(await document.refresh())
    #expect(await document.state == .open)
    #expect(await document.content.emojisInOrder().map(\.position.x) == [1])
    let restored = document.recovered.compactMap {
      if case .restored(let report) = $0 { report.edits } else { nil }
    }
    #expect(restored == [1])
    try await document.perform(.bee(x: 2))
    // The new edit has a journal.
    await document.abandon()
    let states = try await events.until { $0 == .state(.closed) }.filter {
      if case .state = $0 { true } else { false }
    }
    #expect(states == [.state(.open), .state(.closed)])
    let later = try await DocumentFolder.open(file, Self.savesOnRequest)
    #expect(await later.content.emojiCount == 2)
    try await later.close()
  }

  @Test("D8 a document becomes read-only with a refresh, but not before its edits are saved")
  func becomesReadOnly() async throws {
    let file = try folder.make()
    let access = Access()
    let document = try await open(file, access)
    try await document.perform(.bee(x: 1))
    access.reason.withLock { $0 = "the file system is read-only" }
    #expect(await document.refresh())
    #expect(await document.state == .open)
    // Here the save succeeds; where it does not, its error is the state.
    try await document.save()
    #expect(await document.refresh())
    #expect(await document.state == .editingDisabled("the file system is read-only"))
    let error = await #expect(throws: ArtError.self) { try await document.perform(.bee(x: 2)) }
    #expect(error?.code == .notPermitted)
    access.reason.withLock { $0 = nil }
    #expect(await document.refresh())
    #expect(await document.state == .open)
    try await document.perform(.bee(x: 3))
    try await document.close()
    #expect(try file.read().emojiCount == 2)
  }

  @Test(
    "D13 a refresh that finds the document's own save reports nothing, and does not start the next save early"
  )
  func ownSaves() async throws {
    let file = try folder.make()
    let document = try await DocumentFolder.open(file, Self.savesOnRequest)
    try await document.perform(.bee(x: 1))
    try await document.save()
    let events = document.events(ownEdits: false)
    try await document.perform(.bee(x: 2))
    for _ in 0..<5 { #expect(await document.refresh()) }
    #expect(await document.unsavedChanges == 1)
    #expect(try file.read().revision == 1)
    // The file is replaced by one with the same content, which is already known.
    try copy(file, over: file.path + ".same")
    try DocumentFolder.move(file.path + ".same", to: file.path + ".there")
    try FileManager.default.removeItem(atPath: file.path)
    try DocumentFolder.move(file.path + ".there", to: file.path)
    #expect(await document.refresh())
    #expect(await document.unsavedChanges == 1)
    await document.closeDiscardingChanges()
    #expect(try await events.until { _ in false } == [.state(.closed)])
  }

  @Test("D12 a refresh that finds another program's save rebases the unsaved edits onto it, and saves them")
  func othersSaves() async throws {
    let file = try folder.make()
    let document = try await DocumentFolder.open(file, Self.savesOnRequest)
    try await document.perform(.bee(x: 1))
    try await document.save()
    let bee = try #require(await document.content.top())
    let other = try await DocumentFolder.open(file)
    let events = document.events(ownEdits: false)
    try await document.perform(Edit(name: "move", changes: [.move(bee.id, to: Point(x: 7, y: 7))]))
    try await other.perform(Edit(name: "resize", changes: [.resize(bee.id, to: FontSize(99))]))
    try await other.close()
    #expect(await document.refresh())
    let now = try #require(try file.read().emoji(bee.id))
    #expect(now.position.x == 7 && now.size.pixels == 99)
    #expect(await document.unsavedChanges == 0)
    #expect(await document.blocker == SaveBlocker(), "no save is blocked")
    try await document.close()
    let changes = try await events.until { _ in false }.compactMap { event in
      if case .changed(let change) = event { change.edits.map(\.id.origin) } else { nil }
    }
    #expect(changes == [[other.origin]])
  }

  @Test(
    "D16 a stamp that is younger than a tick of the file system's clock does not prove that a file is unchanged"
  )
  func oneTick() async throws {
    let file = try folder.make()
    let document = try await DocumentFolder.open(file)
    let other = try await DocumentFolder.open(file)
    for count in 1...5 {
      try await other.perform(.bee())
      try await other.save()
      // As if this save and the one before had left the same times.
      await document.assumeKnown(try stamp(of: file))
      await document.refresh()
      #expect(await document.content.emojiCount == count)
    }
    try await document.close()
    try await other.close()
  }

  @Test(
    "D13 what was saved before a refresh was requested is known after it, also when a save was running")
  func savesDuringRefreshes() async throws {
    let file = try folder.make()
    let busy = try await DocumentFolder.open(
      DocumentFile(file.path, timeout: .seconds(20)), AutosavePolicy(changes: 1))
    let other = try await DocumentFolder.open(DocumentFile(file.path, timeout: .seconds(20)))
    let rounds = 60
    let editing = Task {
      var edits = 0
      while !Task.isCancelled {
        try await busy.perform(.bee(x: 1, y: 1))
        edits += 1
        if edits.isMultiple(of: 3) { try await busy.save() }
        await Task.yield()
      }
      return edits
    }
    var (missed, during) = (0, 0)
    for round in 1...rounds {
      try await other.perform(.bee(x: Double(round), y: 2))
      try await other.save()
      let added = try #require(await other.content.top())
      if await busy.state == .saving { during += 1 }
      // Two at once, as from a watcher and a signal.
      async let first = busy.refresh()
      async let second = busy.refresh()
      _ = await (first, second)
      if await busy.content.emoji(added.id) == nil { missed += 1 }
    }
    editing.cancel()
    let edits = try await editing.value
    print("D13 looks: \(rounds) asked for among \(edits) edits, \(during) during a save, \(missed) missed")
    #expect(missed == 0 && during > 0)
    try await busy.close()
    try await other.close()
  }

  @Test("D13 a refresh that is requested while a save runs begins after it")
  func refreshAfterSave() async throws {
    let file = try folder.make()
    let document = try await DocumentFolder.open(file)
    await document.waitForLocks()
    try await document.perform(.bee())
    let lock = try FileLock(file.path)
    async let saved: Void = document.save()
    try await until("a save to begin") { await document.state == .saving }
    #expect(await document.generation.begun == 1)
    async let refreshed = document.refresh()
    // The refresh may not have been requested yet; then it begins after the save, too.
    for _ in 0..<100 { await Task.yield() }
    #expect(await document.generation.begun == 1)
    lock.release()
    try await saved
    #expect(await refreshed)
    #expect(await document.generation.completed == 2)
    try await document.close()
  }

  @Test("D7 a failing save does not start the next save, but another program's change of the file does")
  func failingSaves() async throws {
    let file = try folder.make()
    let strangers = [try folder.make("stranger"), try folder.make("other")]
    let document = try await DocumentFolder.open(file, Self.savesOnRequest)
    try await document.perform(.bee())
    try DocumentFolder.move(file.path, to: file.path + ".away")
    var begun = 0
    for stranger in strangers {
      try copy(stranger, over: file.path)
      #expect(await document.refresh())
      #expect(await isInError(document))
      // A refresh and a save.
      begun += 2
      #expect(await document.generation.begun == begun)
      for _ in 0..<10 { await document.refresh() }
      begun += 10
      #expect(await document.generation.begun == begun, "refreshes without a save")
      #expect(try file.read().revision == 0)
    }
    try FileManager.default.removeItem(atPath: file.path)
    for _ in 0..<3 { #expect(await !document.refresh()) }
    try DocumentFolder.move(file.path + ".away", to: file.path)
    #expect(await document.unsavedChanges == 1)
    #expect(await document.refresh())
    #expect(await document.unsavedChanges == 0, "the return of the file starts a save")
    #expect(await document.state == .open)
    try await document.close()
    #expect(try file.read().emojiCount == 1)
  }

  @Test(
    "D7 a document that is put back after its file was gone or replaced is saved at once, also when it was locked meanwhile",
    arguments: [false, true])
  func putBack(isHeld: Bool) async throws {
    let file = try folder.make()
    let stranger = try folder.make("stranger")
    let document = try await DocumentFolder.open(file, Self.savesOnRequest)
    try await document.perform(.bee())
    try DocumentFolder.move(file.path, to: file.path + ".away")
    if isHeld {
      #expect(await !document.refresh())
    } else {
      try copy(stranger, over: file.path)
      #expect(await document.refresh())
    }
    #expect(await isInError(document))
    #expect(rename(file.path + ".away", file.path) == 0)
    if isHeld {
      let lock = try FileLock(file.path, alone: true)
      #expect(await !document.refresh())
      lock.release()
    }
    #expect(await document.refresh())
    #expect(await document.unsavedChanges == 0)
    #expect(await document.state == .open)
    #expect(try file.read().emojiCount == 1)
    // The obstacle is gone, and is no reason for a further save.
    #expect(await document.blocker == SaveBlocker())
    try await document.close()
  }

  @Test(
    "D7 a damaged file is not saved again at each refresh, and is saved at once when it is replaced by a whole one"
  )
  func damaged() async throws {
    let file = try folder.make()
    let document = try await DocumentFolder.open(file, Self.savesOnRequest)
    try await document.perform(.bee())
    try copy(file, over: file.path + ".whole")
    try Data(repeating: 0x20, count: 8_192).write(to: url(file.path))
    for _ in 0..<10 { #expect(await !document.refresh()) }
    #expect(await document.generation.begun == 11)
    #expect(await isInError(document))
    try copy(DocumentFile(file.path + ".whole"), over: file.path)
    #expect(await document.refresh())
    #expect(await document.state == .open)
    #expect(await document.unsavedChanges == 0)
    try await document.close()
  }

  @Test(
    "D15 a refresh of a file that another program has locked is no error, and returns that it could not be made"
  )
  func busy() async throws {
    let file = try folder.make()
    let document = try await DocumentFolder.open(file, Self.savesOnRequest)
    let events = document.events(ownEdits: false)
    try await document.perform(.bee())
    // A file that was quiet for two seconds would not be read.
    await document.assumeKnown(try stamp(of: file))
    let lock = try FileLock(file.path, alone: true)
    #expect(await !document.refresh())
    lock.release()
    #expect(await document.refresh())
    #expect(await document.unsavedChanges == 1)
    await document.closeDiscardingChanges()
    #expect(try await events.until { _ in false } == [.state(.closed)])
  }
}

extension Document {
  /// Sets the stamp of the last refresh.
  fileprivate func assumeKnown(_ stamp: FileStamp) { self.stamp = stamp }
}
