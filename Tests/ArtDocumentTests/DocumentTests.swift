// SPDX-License-Identifier: Apache-2.0

import ArtModel
import TestSupport
import Testing

@testable import ArtDocument
@testable import ArtStore

@Suite("An open document") struct DocumentTests {
  private let folder: DocumentFolder

  init() throws { folder = try DocumentFolder() }

  @Test(
    "D3 an edit is in memory at once and in the file after a save, and listeners receive both events in order"
  )
  func editAndSave() async throws {
    let file = try folder.make()
    let document = try await DocumentFolder.open(file)
    let events = document.events()
    let entry = try #require(try await document.perform(.bee()))
    #expect(await document.content.emojiCount == 1)
    #expect(await document.hasUnsavedChanges)
    #expect(try file.read().emojiCount == 0)
    try await document.save()
    #expect(await !document.hasUnsavedChanges)
    let content = await document.content
    #expect(try file.read() == content.marking(save: 1))
    let received = try await events.until { $0 == .state(.open) }
    let edited = DocumentEvent.changed(ContentChange(of: entry, isBackground: false, before: 0))
    #expect(received == [edited, .state(.saving), .saved(revision: 1), .state(.open)])
  }

  @Test("F44 an edit that could never be saved is refused when it is made")
  func lastRevision() async throws {
    let file = try folder.make()
    try file.edit { (transaction: DocumentTransaction) throws(ArtError) in
      transaction.art.revision = Limits.revision - 1
    }
    let document = try await DocumentFolder.open(file)
    _ = try await document.perform(.bee())
    do {
      try await document.perform(.bee())
      #expect(Bool(false), "it was made")
    } catch let error as ArtError {
      #expect(error.code == .tooLarge)
    }
    #expect(await document.unsavedChanges == 1)
    try await document.save()
    #expect(try file.read().revision == Limits.revision)
  }

  @Test("D5 the twentieth change starts an autosave, which saves all edits at once")
  func autosaveOnCount() async throws {
    let file = try folder.make()
    let document = try await DocumentFolder.open(file)
    let events = document.events()
    for _ in 0..<20 { try await document.perform(.bee()) }
    _ = try await events.until { $0 == .saved(revision: 20) }
    let saved = try file.read()
    #expect(saved.emojiCount == 20)
    #expect(Set(saved.log.map(\.save)) == [1])
  }

  @Test("D5 an autosave begins when the delay after the first change has passed on the given clock")
  func autosaveOnDelay() async throws {
    let file = try folder.make()
    let clock = ManualClock()
    let document = try await DocumentFolder.open(file, clock: clock)
    let events = document.events()
    try await document.perform(.bee())
    try await clock.sleepers(1)
    clock.advance(by: .milliseconds(249))
    #expect(try file.read().emojiCount == 0)
    clock.advance(by: .milliseconds(1))
    _ = try await events.until { $0 == .saved(revision: 1) }
    #expect(try file.read().emojiCount == 1)
  }

  @Test("D6 changes made while a save runs stay unsaved until the next save")
  func editWhileSaving() async throws {
    let file = try folder.make()
    let document = try await DocumentFolder.open(file)
    await document.waitForLocks()
    try await document.perform(.bee())
    let lock = try FileLock(file.path)
    async let first: Void = document.save()
    let events = document.events()
    try await until("a save to begin") { await document.state == .saving }
    try await document.perform(.bee(x: 99))
    lock.release()
    try await first
    #expect(await document.unsavedChanges == 1)
    #expect(try file.read().emojiCount == 1)
    try await document.save()
    #expect(try file.read().emojiCount == 2)
    let received = try await events.until { $0 == .saved(revision: 2) }
    #expect(received.filter { $0 == .state(.saving) }.count == 2)
  }

  @Test("D7 a failed save keeps the edits, is reported once, and is tried again until it succeeds")
  func failedSave() async throws {
    let file = try folder.make()
    let clock = ManualClock()
    let document = try await DocumentFolder.open(file, clock: clock)
    let events = document.events()
    try DocumentFolder.move(file.path, to: file.path + ".away")
    try await document.perform(.bee())
    await #expect(throws: ArtError.self) { try await document.save() }
    try await clock.sleepers(1)
    clock.advance(by: .milliseconds(500))
    try await clock.sleepers(1)
    #expect(await document.unsavedChanges == 1)
    try DocumentFolder.move(file.path + ".away", to: file.path)
    clock.advance(by: .seconds(2))
    let received = try await events.until { $0 == .state(.open) }
    let errors = received.filter { if case .state(.error) = $0 { true } else { false } }
    #expect(errors.count == 1)
    #expect(try file.read().emojiCount == 1)
  }

  @Test("D12 a save onto a document that others have edited rebases the unsaved edits onto theirs")
  func rebases() async throws {
    let file = try folder.make()
    let document = try await DocumentFolder.open(file)
    let other = try await DocumentFolder.open(file)
    let events = document.events(ownEdits: false)
    try await other.perform(.bee(x: 1))
    try await other.close()
    try await document.perform(.bee(x: 2))
    try await document.save()
    #expect(try Set(file.read().emojisInOrder().map(\.position.x)) == [1, 2])
    #expect(try await file.read() == document.content)
    #expect(try file.read().log.map(\.revision) == [1, 2])
    let received = try await events.until { if case .saved = $0 { true } else { false } }
    let changes = received.compactMap { if case .changed(let change) = $0 { change } else { nil } }
    #expect(changes.map(\.isComplete) == [true])
    #expect(changes.first?.edits.map(\.id.origin) == [other.origin])
    #expect(received.last == .saved(revision: 2))
  }

  @Test("D9 closing saves, ends the listeners' sequences, and refuses further edits")
  func close() async throws {
    let file = try folder.make()
    let document = try await DocumentFolder.open(file)
    let events = document.events()
    try await document.perform(.bee())
    try await document.close()
    #expect(try file.read().emojiCount == 1)
    var last: DocumentEvent?
    for await event in events { last = event }
    #expect(last == .state(.closed))
    let error = await #expect(throws: ArtError.self) { try await document.perform(.bee()) }
    #expect(error?.code == .closed)
    for await _ in document.events() { Issue.record("a closed document emits an event") }
  }

  @Test("M20 undo and redo take back this program's own edits, and are entries of the log")
  func undo() async throws {
    let file = try folder.make()
    let document = try await DocumentFolder.open(file)
    try await document.perform(.bee())
    try await document.perform(.move(.all, .by(Coordinates("5,5"))))
    #expect(try await document.undo().title == "Undo move 🐝")
    #expect(try await document.undo().title == "Undo add 🐝")
    #expect(await document.content.emojiCount == 0)
    #expect(try await document.redo().title == "Redo add 🐝")
    try await document.close()
    let saved = try file.read()
    #expect(saved.log.map(\.title).suffix(1) == ["Redo add 🐝"])
    #expect(saved.revision == 5)
    let other = try await DocumentFolder.open(file)
    let error = await #expect(throws: ArtError.self) { try await other.undo() }
    #expect(error?.code == .nothingToUndo)
  }

  @Test("D18 every listener receives every event in order, and a slow one receives a resync")
  func listeners() async throws {
    let document = try await DocumentFolder.open(folder.make(), AutosavePolicy(changes: 1_000))
    let slow = document.events(capacity: 10)
    let quick = (0..<5).map { _ in document.events(capacity: 100) }
    var made: [DocumentEvent] = []
    for version in 0..<30 {
      let entry = try #require(try await document.perform(.bee()))
      made.append(.changed(ContentChange(of: entry, isBackground: false, before: version)))
    }
    for listener in quick {
      let last = try #require(made.last)
      #expect(try await listener.until { $0 == last } == made)
    }
    let last = try #require(made.last)
    let received = try await slow.until { $0 == last }
    // All missed events came before that version.
    let version = 30 - (received.count - 1)
    #expect(received.first == .resync(version: version))
    #expect(received.dropFirst().elementsEqual(made.suffix(received.count - 1)))
  }

  @Test("D4 an edit that fails or changes nothing leaves no trace")
  func noTrace() async throws {
    let document = try await DocumentFolder.open(folder.make())
    try await document.perform(.bee())
    let before = await document.content
    #expect(try await document.perform(.move(.all, .by(Coordinates("0,0")))) == nil)
    await #expect(throws: ArtError.self) {
      try await document.perform(.move(.all, .by(Coordinates("2000000,0"))))
    }
    #expect(await document.content == before)
    #expect(await document.unsavedChanges == 1)
  }
}

extension DocumentContent {
  /// The content as the file has it after a save.
  fileprivate func marking(save: Int) -> DocumentContent? {
    DocumentContent(
      id: id, canvas: canvas, background: background, pending: pending, emojis: emojisInOrder(),
      log: log.map { $0.marked(save: save) }, revision: revision, head: head)
  }
}
