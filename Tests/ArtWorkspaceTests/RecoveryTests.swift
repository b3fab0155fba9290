// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtStore
import Testing

@testable import ArtWorkspace

@Suite("Recovery of orphaned edits as use cases") struct RecoveryTests {
  private let watched: WatchedFolder
  private let file: DocumentFile
  private let reports = Reports()

  init() throws {
    watched = try WatchedFolder()
    file = try watched.make()
  }

  private var recovery: Recovery { watched.recovery(reports) }

  private func events(
    _ task: Restoration.Task, of names: [String] = []
  ) throws -> [Restoration.Event] {
    var events: [Restoration.Event] = []
    let restoration = try Restoration(OrphanedEditsSelection(names), by: recovery)
    try restoration.run(task) { (event) throws(ArtError) in events.append(event) }
    return events
  }

  @Test("K8 a reader shows a document with its orphaned edits, and leaves file and journal as they are")
  func reading() async throws {
    try await watched.orphan(3, of: file)
    let bytes = try watched.bytes("bees.emojiart")
    #expect(try recovery.content(of: file).emojiCount == 3)
    #expect(reports.included == 3)
    try recovery.mention(file)
    #expect(reports.excluded == 3)
    #expect(try watched.bytes("bees.emojiart") == bytes && recovery.journals().count == 1)
  }

  @Test("K8 an edit restores the orphaned edits of its document first, once")
  func editing() async throws {
    try await watched.orphan(3, of: file)
    let editing = FileEditing(file, by: recovery)
    let bee = Action.add([try EmojiText("🐛")], at: .center, size: .standard)
    let result = try editing.perform(bee)
    #expect(result.revision == 2 && reports.restored == 3)
    #expect(try file.read().emojiCount == 4 && recovery.journals().isEmpty)
    #expect(try editing.perform(bee).revision == 3)
    #expect(reports.restored == 3)
  }

  @Test("K8 orphaned edits are listed without a change, and restored into their document")
  func listing() async throws {
    try await watched.orphan(2, of: file)
    guard case .listed(let edits, let report)? = try events(.list).first else {
      return #expect(Bool(false), "nothing was listed")
    }
    #expect(report.edits == 2 && edits.name == file.path && report.author == "bob")
    #expect(try file.read().emojiCount == 0)
    guard case .restored(_, let restored, let name)? = try events(.restore, of: [file.path]).first else {
      return #expect(Bool(false), "nothing was restored")
    }
    #expect(restored.edits == 2 && name == file.path)
    #expect(try file.read().emojiCount == 2 && events(.list).isEmpty)
  }

  @Test("K8 orphaned edits are discarded only for the programs that the user agreed to")
  func discarding() async throws {
    try await watched.orphan(1, of: file)
    try await watched.orphan(2, of: watched.make("ants.emojiart"))
    let restoration = try Restoration(OrphanedEditsSelection(), by: recovery)
    let questions = try restoration.questions { _ in }
    #expect(questions.map(\.count).sorted() == [1, 2] && questions.allSatisfy { $0.isWhole && !$0.isSaved })
    let two = try #require(questions.first { $0.count == 2 })
    let dropped = try events(.discard(agreed: [two.origin]))
    guard dropped.count == 1, case .dropped(let edits, 2) = dropped[0] else {
      return #expect(Bool(false), "\(dropped)")
    }
    #expect(edits.journal.origin == two.origin)
    #expect(try recovery.content(of: file).emojiCount == 1)
    #expect(try recovery.content(of: DocumentFile(watched["ants.emojiart"])).emojiCount == 0)
  }

  @Test(
    "K8 orphaned edits of one document are saved into a new document, and those of several documents are not")
  func savingApart() async throws {
    try await watched.orphan(2, of: file)
    let new = DocumentFile(watched["saved.emojiart"])
    let saved = try events(.save(into: new), of: [file.path])
    guard case .restored(_, let report, let name)? = saved.last else {
      return #expect(Bool(false), "\(saved)")
    }
    #expect(report.edits == 2 && name == new.path)
    #expect(try new.read().emojiCount == 2 && file.read().emojiCount == 0)
    guard case .nothingToSave? = try events(.save(into: DocumentFile(watched["none.emojiart"]))).last else {
      return #expect(Bool(false), "there are edits to save")
    }
    try await watched.orphan(1, of: file)
    try await watched.orphan(1, of: watched.make("ants.emojiart"))
    guard case .severalDocuments? = try events(.save(into: DocumentFile(watched["none.emojiart"]))).last
    else {
      return #expect(Bool(false), "edits of two documents were saved as one")
    }
    #expect(!watched.names.contains("none.emojiart"))
  }

  @Test("F9 a damaged document is repaired once, and the repair is reported")
  func repairing() throws {
    try file.addBee()
    #expect(try DocumentCheck(file, recovery: recovery).isWhole)
    var bytes = try watched.bytes("bees.emojiart")
    // A digit of the bee's row, which then does not match its sum.
    let place = try #require(bytes.firstRange(of: Array(#""size":40"#.utf8)))
    bytes[place.upperBound - 1] = UInt8(ascii: "1")
    try watched.overwrite("bees.emojiart", bytes)
    let check = try DocumentCheck(file, recovery: recovery)
    #expect(!check.isWhole && !check.faults.isEmpty)
    let report = try #require(try check.repair(.adopt))
    #expect(report.adopted.count == 1)
    #expect(try check.repair(.adopt) == nil)
    #expect(try DocumentCheck(file, recovery: recovery).isWhole)
  }

  @Test("U2 undo of several steps on a file is one save, and gives the same content as on an open document")
  func steps() async throws {
    let copy = DocumentFile(watched["copy.emojiart"])
    let editing = FileEditing(file, by: recovery)
    for text in ["🐝", "🐛", "🐜"] {
      _ = try editing.perform(
        .add([try EmojiText(text)], at: .center, size: .standard))
    }
    let base = try file.read()
    let (undone, revision) = try editing.step(.undo, 2)
    #expect(undone.entries.count == 2 && undone.left == 0 && undone.lost.isEmpty && revision == 5)
    let content = try file.read()
    #expect(content.emojiCount == 1 && content.log.suffix(2).map(\.save) == [4, 4])
    let (redone, _) = try editing.step(.redo, 5)
    #expect(redone.entries.count == 2)
    #expect(try file.read().emojisInOrder() == base.emojisInOrder())
    #expect(code { try editing.step(.redo, 1) } == .nothingToUndo)

    _ = try Documents(by: recovery).create(copy)
    let document = try await watched.opened(copy)
    for emoji in base.emojisInOrder() {
      try await document.perform(Edit(name: "add", changes: [.add(emoji)]))
    }
    _ = await document.perform([.undo(2)])
    #expect(await document.content.emojisInOrder() == content.emojisInOrder())
    try await document.close()
  }
}
