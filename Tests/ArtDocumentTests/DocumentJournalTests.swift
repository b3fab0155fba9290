// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtStore
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import ArtDocument

@Suite("The journal of an open document") struct DocumentJournalTests {
  private let folder: DocumentFolder

  init() throws { folder = try DocumentFolder() }

  private func names(_ journal: JournalFolder) throws -> [String] {
    try leaves(of: journal.path)
  }

  private func results(_ answers: [Result<DocumentAnswer, ArtError>]) -> [ArtError.Code?] {
    answers.map { answer in
      if case .failure(let error) = answer { error.code } else { nil }
    }
  }

  /// Makes edits in a program that ends without saving, and returns the entries of its journal.
  private func left(by edits: (Document) async throws -> Void, on file: DocumentFile) async throws
    -> [LoggedEdit]
  {
    let document = try await DocumentFolder.open(file)
    try await edits(document)
    await document.abandon()
    let orphans = try DocumentFolder.journalFolder(of: file).lockOrphans()
    #expect(orphans.count == 1)
    return try #require(orphans.first).contents().entries
  }

  @Test("D3 an edit is in the journal when it is acknowledged, in order, until a save holds it")
  func kept() async throws {
    let file = try folder.make()
    var answered: [EditID] = []
    let entries = try await left(
      by: { document in
        try await document.perform(.bee(x: 1))
        try await document.save()
        for x in 2...4 { answered += [try await document.perform(.bee(x: Double(x)))].compactMap { $0?.id } }
        answered.append(try await document.undo().id)
      }, on: file)
    #expect(entries.map(\.id) == answered)
    #expect(entries.map(\.edit.changes.count) == [1, 1, 1, 1])
    #expect(entries.last?.kind == .undo(answered[2]))
    #expect(try file.read().emojiCount == 1)
  }

  @Test("D3 many requests at once are answered one by one, and their edits are in the journal")
  func batch() async throws {
    let file = try folder.make()
    let missing = try Action.move(.references([Reference("zzzz")]), .to(.center))
    let entries = try await left(
      by: { document in
        let answers = await document.perform([
          .action(try .bee(x: 1)), .action(missing), .undo(1), .redo(1), .redo(1), .action(try .bee(x: 2)),
        ])
        #expect(results(answers) == [nil, .noSuchEmoji, nil, nil, .nothingToUndo, nil])
        #expect(
          answers.compactMap { if case .success(let answer) = $0 { answer.unsaved } else { nil } } == [
            1, 2, 3, 4,
          ])
        #expect(await document.unsavedChanges == 4)
      }, on: file)
    #expect(entries.map(\.id.sequence) == [1, 2, 3, 4])
  }

  @Test("K7 opening a document restores an orphaned journal and reports it")
  func restoredByOpening() async throws {
    let file = try folder.make()
    _ = try await left(by: { for x in 1...3 { try await $0.perform(.bee(x: Double(x))) } }, on: file)
    let notices = Mutex<[String]>([])
    let reportingFile = DocumentFile(
      file.path, notice: { notice in notices.withLock { $0.append("\(notice)") } })
    let document = try await DocumentFolder.open(reportingFile)
    #expect(await document.content.emojiCount == 3)
    #expect(try file.read().emojiCount == 3 && file.read().log.map(\.title) == ["restore 3 edits"])
    #expect(notices.withLock { $0.count } == 1)
    // The restored edit is not an edit of this opening.
    await #expect(throws: ArtError.self) { try await document.undo() }
    try await document.close()
    #expect(try names(DocumentFolder.journalFolder(of: file)) == [])
  }

  @Test("D4 an edit that cannot be written to the journal is refused and not made")
  func noJournal() async throws {
    let file = try folder.make()
    let document = try await DocumentFolder.open(file)
    try await document.perform(.bee(x: 1))
    try await document.save()
    let before = await document.content
    let events = document.events()
    try FileManager.default.removeItem(atPath: DocumentFolder.journalFolder(of: file).path)
    let answers = await document.perform([DocumentRequest.action(try .bee(x: 2)), .undo(1), .undo(1)])
    #expect(results(answers) == [.inputOutput, .inputOutput, .inputOutput], "\(answers)")
    #expect(await document.content == before)
    #expect(await document.unsavedChanges == 0)
    try await document.close()
    #expect(try await events.until { _ in false } == [.state(.closed)])
    #expect(try file.read() == before)
  }

  @Test("K4 a closed document leaves no journal file and no row of its origin")
  func nothingLeft() async throws {
    let file = try folder.make()
    let journal = DocumentFolder.journalFolder(of: file)
    for saves in 0...2 {
      let document = try await DocumentFolder.open(file)
      for _ in 0..<saves {
        try await document.perform(.bee())
        try await document.save()
      }
      #expect(try names(journal).count == 1)
      try await document.close()
      #expect(try names(journal) == [])
      let origin = document.origin
      let known = try file.edit { (transaction: DocumentTransaction) throws(ArtError) in
        try transaction.savedSequence(of: origin)
      }
      #expect(known == nil)
    }
    #expect(try file.check().faults == [])
  }

  @Test(
    "K4 a document whose save fails keeps its edits in the journal when it is abandoned")
  func failingSave() async throws {
    let file = try folder.make()
    let document = try await DocumentFolder.open(file)
    try await document.perform(.bee(x: 1))
    try DocumentFolder.move(file.path, to: file.path + ".away")
    await #expect(throws: ArtError.self) { try await document.close() }
    try await document.perform(.bee(x: 2))
    await document.abandon()
    #expect(await document.state == .closed)
    let orphans = try DocumentFolder.journalFolder(of: file).lockOrphans()
    #expect(try orphans.first?.contents().entries.count == 2)
  }

  @Test("K4 a document closed without saving leaves no journal")
  func discarded() async throws {
    let file = try folder.make()
    let document = try await DocumentFolder.open(file)
    try await document.perform(.bee())
    await document.closeDiscardingChanges()
    #expect(try names(DocumentFolder.journalFolder(of: file)) == [])
    #expect(try file.read().revision == 0)
  }

  @Test(
    "D9 an abandoned document saves nothing, also when a save or a turn of the program's life asks for it")
  func saveAfterAbandon() async throws {
    let file = try folder.make()
    let document = try await DocumentFolder.open(file)
    try await document.perform(.bee())
    await document.abandon()
    await #expect(throws: ArtError.self) { try await document.save() }
    try await LifeCycle().send(.background, to: [document])
    try await LifeCycle().send(.terminate, to: [document])
    await document.refresh()
    #expect(await document.state == .closed)
    #expect(try file.read().emojiCount == 0)
    #expect(try DocumentFolder.journalFolder(of: file).lockOrphans().count == 1)
  }

  @Test("D9 a document that is being discarded saves nothing when an autosave becomes due meanwhile")
  func discardWhenDue() async throws {
    let file = try folder.make()
    let clock = ManualClock()
    let longTimeout = DocumentFile(file.path, timeout: .seconds(20))
    let document = try await DocumentFolder.open(
      longTimeout, AutosavePolicy(delay: .milliseconds(100)), clock: clock)
    try await document.perform(.bee())
    try await document.save()
    try await document.perform(.bee())
    let events = document.events()
    let lock = try FileLock(file.path)
    async let closed: Void = document.closeDiscardingChanges()
    try await until("unsaved changes to be discarded") { await !document.hasUnsavedChanges }
    clock.advance(by: .seconds(1))
    for _ in 0..<1_000 { await Task.yield() }
    lock.release()
    await closed
    #expect(await document.state == .closed)
    #expect(try await events.until { _ in false } == [.state(.closed)])
    #expect(try file.read().emojiCount == 1)
  }

  @Test(
    "D9 a document that is closed and abandoned at once ends closed, and its edit is saved or in the journal")
  func closeAndAbandon() async throws {
    for round in 0..<10 {
      // A folder for each round: a journal that a former round left would be counted again.
      let folder = try DocumentFolder()
      let file = try folder.make()
      let document = try await DocumentFolder.open(file)
      await document.waitForLocks()
      try await document.perform(.bee())
      let lock = try FileLock(file.path)
      async let saved: Void? = try? document.save()
      try await until("a save to begin") { await document.state == .saving }
      async let abandoned: Void = document.abandon()
      async let closed: Void? = try? document.close()
      async let again: Void? = try? document.close()
      for _ in 0..<50 { await Task.yield() }
      lock.release()
      _ = await (saved, abandoned, closed, again)
      #expect(await document.state == .closed)
      // Saved or in the journal, once.
      let kept = try DocumentFolder.journalFolder(of: file).lockOrphans().reduce(0) {
        try $0 + $1.contents().entries.count
      }
      let emojis = try file.read().emojiCount
      #expect(emojis == 1 || kept == 1, "round \(round): \(emojis) in the file, \(kept) in the journal")
    }
  }

  @Test("D10 each turn of the program's life is an event, and a document saves, refreshes or closes with it")
  func lifeCycle() async throws {
    let file = try folder.make()
    let life = LifeCycle()
    let events = life.events()
    let document = try await DocumentFolder.open(file)
    try await document.perform(.bee())
    for event in [LifeCycleEvent.active, .inactive] { try await life.send(event, to: [document]) }
    #expect(await document.hasUnsavedChanges)
    try await life.send(.background, to: [document])
    #expect(await !document.hasUnsavedChanges)
    let other = try await DocumentFolder.open(file)
    try await other.perform(.bee())
    try await other.close()
    try await life.send(.foreground, to: [document])
    #expect(await document.content.emojiCount == 2)
    try await document.perform(.bee())
    try await life.send(.terminate, to: [document])
    #expect(await document.state == .closed)
    #expect(try file.read().emojiCount == 3)
    var received: [String] = []
    for await event in events {
      received.append(event.rawValue)
      if event == .terminate { break }
    }
    #expect(received == ["active", "inactive", "background", "foreground", "terminate"])
  }

  @Test("D10 a turn throws the error of a failed save after all documents have received it")
  func failingTurn() async throws {
    let (gone, file) = (try folder.make("gone"), try folder.make())
    let documents = [try await DocumentFolder.open(gone), try await DocumentFolder.open(file)]
    for document in documents { try await document.perform(.bee()) }
    try DocumentFolder.move(gone.path, to: gone.path + ".away")
    let error = await #expect(throws: ArtError.self) { try await LifeCycle().send(.terminate, to: documents) }
    #expect(error?.code == .noSuchDocument)
    #expect(await documents[1].state == .closed)
    #expect(try file.read().emojiCount == 1)
  }
}
