// SPDX-License-Identifier: Apache-2.0

import ArtModel
import Foundation
import TestSupport
import Testing

@testable import ArtDocument
@testable import ArtStore

@Suite("Documents that are told to look") struct LookingTests {
  private let folder: DocumentFolder

  init() throws { folder = try DocumentFolder() }

  /// Saves only when it is asked to: its clock stands still.
  private static let patient = AutosavePolicy(changes: 1_000, delay: .seconds(60))

  private func copy(_ from: DocumentFile, over to: String) throws {
    let bytes = try Data(contentsOf: url(from.path))
    try bytes.write(to: url(to))
  }

  /// A stamp of the file that was taken when it was written.
  private func stamp(of file: DocumentFile) throws -> FileStamp {
    var status = stat()
    try #require(lstat(file.path, &status) == 0)
    return FileStamp(status, at: status.st_ctim.tv_sec * 1_000_000_000 + status.st_ctim.tv_nsec)
  }

  private func url(_ path: String) -> URL { URL(fileURLWithPath: path) }

  private func isInError(_ document: Document) async -> Bool {
    if case .error = await document.state { true } else { false }
  }

  @Test("D13 an own save that a look finds is silent, and does not bring the next save forward")
  func ownSaves() async throws {
    let file = try folder.make()
    let document = try await DocumentFolder.open(file, Self.patient)
    try await document.perform(.bee(x: 1))
    try await document.save()
    let events = document.events(ownEdits: false)
    try await document.perform(.bee(x: 2))
    for _ in 0..<5 { #expect(await document.refresh()) }
    #expect(await document.unsavedChanges == 1)
    #expect(try file.read().revision == 1)
    // The time of what others wrote has come, but they wrote what is known.
    try copy(file, over: file.path + ".same")
    try DocumentFolder.move(file.path + ".same", to: file.path + ".there")
    try FileManager.default.removeItem(atPath: file.path)
    try DocumentFolder.move(file.path + ".there", to: file.path)
    #expect(await document.refresh())
    #expect(await document.unsavedChanges == 1)
    await document.closeDiscardingChanges()
    #expect(await events.until { _ in false } == [.state(.closed)])
  }

  @Test("D12 a look that finds others' save puts what is unsaved on top of it, and saves that")
  func othersSaves() async throws {
    let file = try folder.make()
    let document = try await DocumentFolder.open(file, Self.patient)
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
    #expect(await document.blocker == SaveBlocker(), "it holds nothing up")
    try await document.close()
    let changes = await events.until { _ in false }.compactMap { event in
      if case .changed(let change) = event { change.edits.map(\.id.origin) } else { nil }
    }
    #expect(changes == [[other.origin]])
  }

  @Test("D16 a stamp that is younger than a tick of the file system's clock vouches for nothing")
  func oneTick() async throws {
    let file = try folder.make()
    let document = try await DocumentFolder.open(file)
    let other = try await DocumentFolder.open(file)
    for count in 1...5 {
      try await other.perform(.bee())
      try await other.save()
      // As if this save and the one before had left the same times.
      await document.know(try stamp(of: file))
      await document.refresh()
      #expect(await document.content.emojiCount == count)
    }
    try await document.close()
    try await other.close()
  }

  @Test(
    "D13 what was saved before a look was asked for is known after it, whatever ran when it was asked for")
  func newsDuringSaves() async throws {
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
      // Two at once, as a watcher and a signal may be.
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

  @Test("D13 a look that is asked for while a save runs begins after it")
  func lookAfterSave() async throws {
    let file = try folder.make()
    let document = try await DocumentFolder.open(DocumentFile(file.path, timeout: .seconds(20)))
    try await document.perform(.bee())
    let lock = try FileLock(file.path)
    async let saved: Void = document.save()
    try await until("document.state == .saving") { await document.state == .saving }
    #expect(await document.generation.begun == 1)
    async let looked = document.refresh()
    // The look may not have been asked for yet; then it begins after the save, too.
    for _ in 0..<100 { await Task.yield() }
    #expect(await document.generation.begun == 1)
    lock.release()
    try await saved
    #expect(await looked)
    #expect(await document.generation.completed == 2)
    try await document.close()
  }

  @Test("D7 what a failing save does to the file is no reason for the next one; what others do is")
  func failingSaves() async throws {
    let file = try folder.make()
    let strangers = [try folder.make("stranger"), try folder.make("other")]
    let document = try await DocumentFolder.open(file, Self.patient)
    try await document.perform(.bee())
    try DocumentFolder.move(file.path, to: file.path + ".away")
    var begun = 0
    for stranger in strangers {
      try copy(stranger, over: file.path)
      #expect(await document.refresh())
      #expect(await isInError(document))
      // A look and a save.
      begun += 2
      #expect(await document.generation.begun == begun)
      for _ in 0..<10 { await document.refresh() }
      begun += 10
      #expect(await document.generation.begun == begun, "looks only")
      #expect(try file.read().revision == 0)
    }
    try FileManager.default.removeItem(atPath: file.path)
    for _ in 0..<3 { #expect(await !document.refresh()) }
    try DocumentFolder.move(file.path + ".away", to: file.path)
    #expect(await document.unsavedChanges == 1)
    #expect(await document.refresh())
    #expect(await document.unsavedChanges == 0, "its return is reason enough")
    #expect(await document.state == .open)
    try await document.close()
    #expect(try file.read().emojiCount == 1)
  }

  @Test(
    "D7 a document that is put back after another one stood there is saved at once, also when it was held meanwhile",
    arguments: [false, true])
  func putBack(isHeld: Bool) async throws {
    let file = try folder.make()
    let stranger = try folder.make("stranger")
    let document = try await DocumentFolder.open(file, Self.patient)
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
    // What held it up is over: it is no reason any more.
    #expect(await document.blocker == SaveBlocker())
    try await document.close()
  }

  @Test(
    "D7 a file that is damaged is told once, and tried again only by the clock or when it is another one")
  func damaged() async throws {
    let file = try folder.make()
    let document = try await DocumentFolder.open(file, Self.patient)
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

  @Test("D15 a look at a file that another program holds is no error, and says that it could not be made")
  func busy() async throws {
    let file = try folder.make()
    let document = try await DocumentFolder.open(file, Self.patient)
    let events = document.events(ownEdits: false)
    try await document.perform(.bee())
    // What has been quiet for two seconds need not be read.
    await document.know(try stamp(of: file))
    let lock = try FileLock(file.path, alone: true)
    #expect(await !document.refresh())
    lock.release()
    #expect(await document.refresh())
    #expect(await document.unsavedChanges == 1)
    await document.closeDiscardingChanges()
    #expect(await events.until { _ in false } == [.state(.closed)])
  }
}

extension Document {
  /// As if a look had found the file so.
  fileprivate func know(_ stamp: FileStamp) { self.stamp = stamp }
}
