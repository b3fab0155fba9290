// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtStore
import TestSupport
import Testing

@testable import ArtDocument

@Suite("Concurrent saves, and saves that end late") struct DocumentSavingTests {
  private let folder: DocumentFolder

  init() throws { folder = try DocumentFolder() }

  @Test("D6 saves and a close requested while a save runs share one save")
  func concurrentSaves() async throws {
    let file = try folder.make()
    let document = try await DocumentFolder.open(file)
    await document.waitForLocks()
    let events = document.events()
    try await document.perform(.bee())
    let lock = try FileLock(file.path)
    async let first: Void = document.save()
    async let second: Void = document.save()
    async let closing: Void = document.close()
    try await until("a save to begin") { await document.state == .saving }
    lock.release()
    try await first
    try await second
    try await closing
    var saves = 0
    for await event in events { if case .saved = event { saves += 1 } }
    #expect(saves == 1)
    #expect(try file.read().emojiCount == 1)
  }

  @Test("D9 each edit made while the document closes is either saved or refused")
  func performWhileClosing() async throws {
    var total = 0
    for round in 0..<30 {
      let file = try folder.make("bees\(round)")
      let document = try await DocumentFolder.open(file)
      try await document.perform(.bee())
      async let closed: Void = document.close()
      var accepted = 1
      do {
        while true {
          try await document.perform(.bee())
          accepted += 1
          await Task.yield()
        }
      } catch let error as ArtError {
        #expect(error.code == .closed)
      }
      try await closed
      #expect(try file.read().emojiCount == accepted)
      total += accepted
    }
    print("edits while closing: \(total) taken, all of them saved")
  }

  @Test(
    "F17 a save that is repeated after a lost answer is found in the file, and only the new edits are added")
  func savedAlready() async throws {
    let file = try folder.make()
    var content = try file.read()
    let base = DocumentBase(content)
    var random = SystemRandomNumberGenerator()
    var author = try Author(origin: Origin(using: &random))
    var entries: [LoggedEdit] = []
    for x in 1...2 {
      let plan = try Action.bee(x: Double(x)).plan(on: content, using: &random)
      let applied = try content.apply(plan.edit.changes)
      let stamp = author.stamp(at: 1)
      let entry = LoggedEdit(
        stamp, revision: content.revision + 1, save: 1, edit: plan.edit,
        inverse: applied.inverse)
      content.append(entry)
      entries.append(entry)
      _ = try file.save(NetEdits(UnsavedEdits(entries), of: content, since: base))
      // The same save again, as after a lost answer.
      _ = try file.save(NetEdits(UnsavedEdits(entries), of: content, since: base))
    }
    let saved = try file.read()
    #expect(saved.emojisInOrder().map(\.position.x) == [1, 2])
    #expect(saved.log.map(\.id) == entries.map(\.id))
    #expect(saved.revision == 2)
  }

  @Test("D9 a document closed without saving stays closed when its autosave timer fires")
  func discarded() async throws {
    let file = try folder.make()
    let clock = LateClock()
    let document = try await Document.open(
      file, journal: .none, autosave: AutosavePolicy(delay: .milliseconds(1)), refreshInterval: nil,
      clock: clock)
    try await document.perform(.bee())
    try await clock.waitUntilAsleep()
    await document.closeDiscardingChanges()
    clock.wake()
    try await clock.waitUntilAwake()
    for _ in 0..<100 { await Task.yield() }
    #expect(await document.state == .closed)
    #expect(try file.read().emojiCount == 0)
  }

  @Test("M1 each opening is an origin of its own, and undo takes back only edits of this opening")
  func origins() async throws {
    let file = try folder.make()
    let first = try await DocumentFolder.open(file)
    try await first.perform(.bee())
    try await first.close()
    let second = try await DocumentFolder.open(file)
    try await second.perform(.bee())
    try await second.undo()
    let error = await #expect(throws: ArtError.self) { try await second.undo() }
    #expect(error?.code == .nothingToUndo)
    try await second.close()
    #expect(Set(try file.read().log.map(\.id)).count == 3)
  }

  @Test(
    "F3 the log in memory has at most the capacity of the log in the file, and each entry names its save")
  func logInMemory() async throws {
    let file = try folder.make()
    let document = try await DocumentFolder.open(file, AutosavePolicy(changes: 100_000))
    try await document.perform(.bee())
    for x in 1...1_200 {
      try await document.perform(.move(.all, .to(.point(x: Double(x), y: 0))))
    }
    try await document.save()
    try await document.perform(.move(.all, .to(.point(x: 0, y: 0))))
    try await document.save()
    let (kept, saved) = (await document.content.log, try file.read().log)
    #expect(kept == saved)
    #expect(kept.map(\.revision) == (1...1_202).filter { !LogBlock.hasLeft($0, at: 1_202) })
    #expect(saved.suffix(2).map(\.save) == [1, 1_202])
  }

  @Test("F3 U2 large edits leave the log in memory with the save that takes them out of the file")
  func largeEditsInMemory() async throws {
    let file = try folder.make()
    let document = try await DocumentFolder.open(file, AutosavePolicy(changes: 100_000))
    try await document.perform(
      .add(Array(repeating: try EmojiText("🐝"), count: 1_000), at: .point(x: 9, y: 9), size: .standard))
    for x in 1...150 {
      try await document.perform(.move(.all, .to(.point(x: 1_000.125 + Double(x), y: 0.125))))
    }
    try await document.save()
    let (kept, saved) = (await document.content.log, try file.read().log)
    #expect(kept.map(\.revision) == saved.map(\.revision) && kept.count > 50 && kept.count < 151)
    #expect(kept.reduce(0) { $0 + $1.logBytes } <= 8 << 20)
    // As many are undone as by a program that opens the file now.
    let other = try await DocumentFolder.open(file, AutosavePolicy(changes: 100_000))
    for document in [document, other] {
      var undone = 0
      while (try? await document.undo()) != nil { undone += 1 }
      #expect(undone == (document === other ? 0 : saved.count), "a program undoes its own edits")
    }
    await other.closeDiscardingChanges()
    await document.closeDiscardingChanges()
  }

  @Test("D8 a read-only document refuses edits and closes without a save")
  func readOnly() async throws {
    let file = try folder.make()
    let document = try await Document.open(
      file, readOnlyBecause: { "the file is read-only" }, author: nil, journal: .none,
      autosave: AutosavePolicy(), refreshInterval: nil, clock: ManualClock(), time: { 0 },
      using: SystemRandomNumberGenerator())
    #expect(await document.state == .editingDisabled("the file is read-only"))
    let error = await #expect(throws: ArtError.self) { try await document.perform(.bee()) }
    #expect(error?.code == .notPermitted)
    try await document.close()
    #expect(try file.read().revision == 0)
  }

  @Test("D3 the example of LIBRARY.md runs, and its log has its edits")
  func example() async throws {
    let path = try folder.make().path
    let document = try await Document.open(
      DocumentFile(path), author: "Ada", journal: .folder(JournalFolder("\(folder.path)/journal")),
      time: { 1_000 })
    let events = document.events()
    try await document.perform(.add([EmojiText("🐝")], at: .center, size: .standard))
    try await document.undo()
    try await document.close()
    var received = 0
    for await _ in events { received += 1 }
    #expect(received >= 5)
    let log = try DocumentFile(path).read().log
    #expect(log.map(\.title) == ["add 🐝", "Undo add 🐝"])
    #expect(log.allSatisfy { $0.author == "Ada" && $0.time == 1_000 })
  }
}
