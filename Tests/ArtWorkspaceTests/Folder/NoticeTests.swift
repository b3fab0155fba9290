// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtWatch
import Foundation
import TestSupport
import Testing

@testable import ArtStore
@testable import ArtWorkspace

@Suite("Events of a document that changes") struct NoticeTests {
  private let watched: WatchedFolder

  init() throws { watched = try WatchedFolder() }

  private func changes(_ events: [FolderEvent]) -> [DocumentChange] {
    events.compactMap { if case .changed(_, let change) = $0 { change } else { nil } }
  }

  @Test(
    "W6 an opened folder knows the state of each document, or why it cannot be read, and emits no event of it"
  )
  func first() async throws {
    let bees = try watched.make()
    try bees.addBee()
    try watched.overwrite("text.emojiart", "hello".utf8)
    let open = try await OpenFolder(watched, files: ["text.emojiart", "bees.emojiart", "gone.emojiart"])
    #expect(try await open.received().isEmpty)
    let documents = await open.folder.documents
    #expect(documents.map(\.path) == ["bees.emojiart", "text.emojiart"])
    #expect(try documents.first?.base == bees.base() && documents.first?.trouble == nil)
    #expect(
      documents.last?.base == nil
        && documents.last?.trouble?.cause.contains("text.emojiart is not an emojiart") == true)
    #expect(documents.last?.trouble?.cause.contains(watched.path + "/text.emojiart") == true)
    #expect(try await open.recheck().isEmpty)
    await open.folder.close()
  }

  @Test("W6 a document that is shorter than its header says is not accepted as whole")
  func cutOff() async throws {
    let bees = try watched.make()
    try bees.save((0..<200).map { _ in .add(try Emoji.one()) })
    let whole = try watched.bytes("bees.emojiart")
    // The last file lacks only the end of its last page.
    for (number, length) in [whole.count - 4_096, 9_000, whole.count - 1_000].enumerated() {
      try watched.overwrite("cut\(number).emojiart", whole.prefix(length))
    }
    let open = try await OpenFolder(watched)
    #expect(await open.folder.documents.map { $0.trouble == nil } == [true, false, false, false])
    await open.folder.close()
  }

  @Test(
    "W6 a document that is locked when the folder is opened is listed, and no event is emitted when it becomes readable"
  )
  func heldAtFirst() async throws {
    let bees = try watched.make()
    try bees.addBee()
    let lock = try FileLock(bees.path, alone: true, writing: true)
    let open = try await OpenFolder(watched)
    #expect(
      await open.folder.documents == [FolderDocument(path: "bees.emojiart", base: nil, trouble: nil)])
    lock.release()
    #expect(try await open.recheck().isEmpty)
    #expect(try await open.document()?.base == bees.base())
    try bees.addBee()
    #expect(changes(try await open.refresh("bees.emojiart")).map(\.revision) == [2])
    await open.folder.close()
  }

  @Test("W6 a document that is being saved or written when the folder is opened is read again after a delay")
  func unsettledAtFirst() async throws {
    let bees = try watched.make()
    let whole = try watched.bytes("bees.emojiart")
    try watched.overwrite("half.emojiart", whole.prefix(5_000))
    let lock = try FileLock(bees.path, alone: true, writing: true)
    let (clock, source) = (ManualClock(), ScriptedEvents(files: watched.names))
    async let opening = DocumentFolder.open(watched.path, clock: clock) { _ in source }
    try await clock.sleepers(1)
    lock.release()
    try watched.overwrite("half.emojiart", whole)
    clock.advance(by: .milliseconds(50))
    let folder = try await opening
    #expect(await folder.documents.map(\.base) == [try bees.base(), try bees.base()])
    #expect(await source.rechecks.isEmpty)
    await folder.close()
  }

  @Test("W7 an unchanged document emits no event when it is touched, read or rewritten")
  func silence() async throws {
    let bees = try watched.make()
    try bees.addBee()
    let open = try await OpenFolder(watched)
    utimes(bees.path, nil)
    #expect(try await open.refresh("bees.emojiart").isEmpty)
    _ = try bees.read()
    #expect(try await open.refresh("bees.emojiart", isQuiet: false).isEmpty)
    try watched.overwrite("bees.emojiart", watched.bytes("bees.emojiart"))
    #expect(try await open.refresh("bees.emojiart").isEmpty)
    try watched.replace("bees.emojiart", watched.bytes("bees.emojiart"))
    #expect(try await open.refresh("bees.emojiart").isEmpty)
    #expect(try await open.scan("", ["bees.emojiart"]).isEmpty)
    await open.folder.close()
  }

  @Test(
    "W7 each save is one event with its edits and the texts of their emoji, also of removed ones")
  func saves() async throws {
    let bees = try watched.make()
    let first = try bees.addBee()
    let open = try await OpenFolder(watched)
    let (bee, flower) = (try Emoji.one("🐝"), try Emoji.one("🌸"))
    try bees.save([.add(bee)], [.add(flower)])
    try bees.save([.move(flower.id, to: try Point(x: 5, y: 5))], [.remove(first)])
    let received = try await open.refresh("bees.emojiart")
    let reported = changes(received)
    #expect(received.count == 2 && reported.map(\.revision) == [3, 5] && reported.allSatisfy(\.isComplete))
    #expect(reported.map { $0.edits.map(\.revision) } == [[2, 3], [4, 5]])
    #expect(reported.first?.texts == [bee.id: "🐝", flower.id: "🌸"])
    #expect(reported.last?.texts == [first: "🐝", flower.id: "🌸"])
    #expect(try await open.document()?.base == bees.base())
    #expect(try await open.refresh("bees.emojiart").isEmpty)
    await open.folder.close()
  }

  @Test(
    "W7 a backup put back and a diverged copy are changes without edits"
  )
  func otherStates() async throws {
    let bees = try watched.make()
    try bees.addBee()
    let backup = try watched.bytes("bees.emojiart")
    try bees.addBee()
    try bees.addBee()
    let open = try await OpenFolder(watched)
    try watched.overwrite("bees.emojiart", backup)
    let back = changes(try await open.refresh("bees.emojiart"))
    #expect(back == [DocumentChange(edits: [], texts: [:], revision: 1, isComplete: false)])
    // A revision 2 other than the reported one, and later a revision above it.
    try bees.addBee()
    try #require(changes(try await open.refresh("bees.emojiart")).first?.isComplete == true)
    try watched.overwrite("bees.emojiart", backup)
    try bees.addBee()
    let other = changes(try await open.refresh("bees.emojiart"))
    #expect(other == [DocumentChange(edits: [], texts: [:], revision: 2, isComplete: false)])
    try watched.overwrite("bees.emojiart", backup)
    try bees.addBee()
    try bees.addBee()
    let further = changes(try await open.refresh("bees.emojiart"))
    #expect(further == [DocumentChange(edits: [], texts: [:], revision: 3, isComplete: false)])
    #expect(try await open.document()?.base == bees.base())
    await open.folder.close()
  }

  @Test("W7 a document with more new edits than its log holds is reported as moved on")
  func movedOn() async throws {
    let bees = try watched.make()
    let bee = try bees.addBee()
    let open = try await OpenFolder(watched)
    let moves = try (0..<1_100).map { [Change.move(bee, to: try Point(x: Double($0), y: 5))] }
    var random = SystemRandomNumberGenerator()
    var author = try Author(origin: Origin(using: &random))
    try bees.edit { (transaction: DocumentTransaction) throws(ArtError) in
      for changes in moves {
        _ = try transaction.perform(Edit(name: "move", changes: changes), stamp: author.stamp(at: 1))
      }
    }
    #expect(try await open.refresh("bees.emojiart") == [.movedOn("bees.emojiart", revision: 1_101)])
    #expect(try await open.refresh("bees.emojiart").isEmpty)
    await open.folder.close()
  }

  @Test(
    "W13 a version that is named or removed is an event once, also by a file of the same revision, and no other row of the file is"
  )
  func versions() async throws {
    let bees = try watched.make()
    try bees.addBee()
    let open = try await OpenFolder(watched)
    let editing = FileEditing(bees, by: watched.recovery())
    let plain = try watched.bytes("bees.emojiart")
    func versions(_ names: String...) -> [FolderEvent] {
      [.versions("bees.emojiart", names: names, revision: 1)]
    }
    _ = try editing.keepVersion(named: "draft")
    #expect(try await open.refresh("bees.emojiart") == versions("draft"))
    let named = try watched.bytes("bees.emojiart")
    #expect(try await open.refresh("bees.emojiart").isEmpty)
    _ = try editing.keepVersion(named: "final")
    #expect(try await open.refresh("bees.emojiart") == versions("draft", "final"))
    _ = try editing.removeVersion("final")
    #expect(try await open.refresh("bees.emojiart") == versions("draft"))
    try watched.replace("bees.emojiart", plain)
    #expect(try await open.refresh("bees.emojiart") == versions())
    try watched.replace("bees.emojiart", named)
    #expect(try await open.refresh("bees.emojiart") == versions("draft"))
    // A record of a journal is no version.
    var random = SystemRandomNumberGenerator()
    let origin = Origin(using: &random)
    try bees.edit { (transaction: DocumentTransaction) throws(ArtError) in
      try transaction.setSaved(origin, upTo: 1)
    }
    #expect(try await open.refresh("bees.emojiart").isEmpty)
    // An edit and a version between two looks are two events.
    try bees.addBee()
    _ = try editing.keepVersion(named: "last")
    let events = try await open.refresh("bees.emojiart")
    #expect(
      events.count == 2 && events.last == .versions("bees.emojiart", names: ["draft", "last"], revision: 2))
    await open.folder.close()
  }

  @Test(
    "W13 a version that is named or removed before the folder has read the document whole is an event, also with an edit, and without a change there is none",
    arguments: [false, true])
  func versionsOfTheFirstChange(isNamedBefore: Bool) async throws {
    let bees = try watched.make()
    try bees.addBee()
    let editing = FileEditing(bees, by: watched.recovery())
    if isNamedBefore { _ = try editing.keepVersion(named: "draft") }
    let open = try await OpenFolder(watched)
    if isNamedBefore {
      _ = try editing.removeVersion("draft")
    } else {
      _ = try editing.keepVersion(named: "draft")
    }
    try bees.addBee()
    let events = try await open.refresh("bees.emojiart")
    #expect(
      events.count == 2
        && events.last == .versions("bees.emojiart", names: isNamedBefore ? [] : ["draft"], revision: 2))
    await open.folder.close()
    let again = try await OpenFolder(watched)
    try bees.addBee()
    let more = try await again.refresh("bees.emojiart")
    #expect(more.count == 1 && !more.contains(.versions("bees.emojiart", names: ["draft"], revision: 3)))
    await again.folder.close()
  }

  @Test("W8 another document at the same path is reported as removed and added")
  func otherDocument() async throws {
    try watched.make()
    try watched.make("wasps.emojiart").addBee()
    let open = try await OpenFolder(watched)
    try watched.overwrite("bees.emojiart", watched.bytes("wasps.emojiart"))
    #expect(
      try await open.refresh("bees.emojiart") == [
        .removed("bees.emojiart"), .added("bees.emojiart", revision: 1),
      ])
    await open.folder.close()
  }

  @Test(
    "W9 damage is reported when the file is quiet, once for each kind, and its end is a change with the edits since"
  )
  func damage() async throws {
    let bees = try watched.make()
    try bees.addBee()
    let open = try await OpenFolder(watched)
    try bees.addBee()
    let whole = try watched.bytes("bees.emojiart")
    try watched.overwrite("bees.emojiart", whole.prefix(8_000))
    #expect(try await open.refresh("bees.emojiart", isQuiet: false).isEmpty)
    #expect(await open.document()?.base != nil)
    // A copy with pauses between its writes.
    #expect(try await open.refresh("bees.emojiart").isEmpty)
    try watched.overwrite("bees.emojiart", whole.prefix(9_000))
    #expect(try await open.recheck().isEmpty)
    // Further refreshes do not make the document whole, nor damaged before its time.
    #expect(try await open.refresh("bees.emojiart").isEmpty)
    #expect(await open.document()?.base != nil)
    let reported = try await open.recheck()
    let reason = try #require(Self.reason(reported))
    let damaged = try #require(await open.document())
    #expect(damaged.base == nil && damaged.trouble == reason)
    utimes(bees.path, nil)
    #expect(try await open.refresh("bees.emojiart").isEmpty)
    try watched.overwrite("bees.emojiart", "text".utf8)
    #expect(try await open.refreshUntilReported("bees.emojiart").count == 1)
    // A file that is written slowly: the words differ, the kind of error does not.
    for (half, words) in [([], "it is empty"), ([0x7B, 0x7D], "it is JSON text")] as [([UInt8], String)] {
      try watched.overwrite("bees.emojiart", half)
      #expect(try await open.refresh("bees.emojiart").isEmpty)
      let trouble = await open.document()?.trouble
      #expect(trouble?.cause.contains(words) == true, "\(trouble as Any)")
    }
    try watched.overwrite("bees.emojiart", whole)
    let repaired = changes(try await open.refresh("bees.emojiart"))
    #expect(repaired.map { $0.edits.map(\.revision) } == [[2]] && repaired.first?.isComplete == true)
    try watched.overwrite("bees.emojiart", "text".utf8)
    #expect(try await open.refreshUntilReported("bees.emojiart").count == 1)
    try watched.overwrite("bees.emojiart", whole)
    #expect(
      changes(try await open.refresh("bees.emojiart"))
        == [DocumentChange(edits: [], texts: [:], revision: 2, isComplete: true)])
    await open.folder.close()
  }

  @Test(
    "W9 a write through SQLite is reported as damage, and a document is reported as added when it is first whole"
  )
  func foreign() async throws {
    let bees = try watched.make()
    try bees.addBee()
    let open = try await OpenFolder(watched)
    try sql("bees.emojiart", "UPDATE emoji SET json = replace(json, '40', '41')")
    let reported = try await open.refreshUntilReported("bees.emojiart")
    let reason = try #require(Self.reason(reported))
    #expect(reason.cause.contains("another program wrote it"))
    try watched.overwrite("new.emojiart", "text".utf8)
    #expect(try await open.refresh("new.emojiart", isQuiet: false).isEmpty)
    #expect(try await open.refreshUntilReported("new.emojiart").count == 1)
    try watched.remove("new.emojiart")
    try watched.make("new.emojiart")
    #expect(try await open.refresh("new.emojiart") == [.added("new.emojiart", revision: 0)])
    await open.folder.close()
  }

  /// The reason of the only event, which is a damaged one.
  private static func reason(_ events: [FolderEvent]) -> ArtError? {
    if case .damaged(_, let reason)? = events.first, events.count == 1 { reason } else { nil }
  }

  private func sql(_ name: String, _ statement: String) throws {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/sqlite3")
    process.arguments = [watched[name], statement]
    try process.start()
    process.waitUntilExit()
    try #require(process.terminationStatus == 0)
  }

  @Test(
    "W9 a document that another program has locked is checked again after growing delays, and is not reported as damaged"
  )
  func busy() async throws {
    let bees = try watched.make()
    try watched.make("new.emojiart")
    let open = try await OpenFolder(watched, files: ["bees.emojiart"])
    try bees.addBee()
    let lock = try FileLock(bees.path, alone: true, writing: true)
    let second = try FileLock(watched["new.emojiart"], alone: true, writing: true)
    var delays: [Duration] = []
    for _ in 0..<7 {
      #expect(try await open.refresh("bees.emojiart").isEmpty)
      delays += await open.source.takeRechecks().map(\.delay)
    }
    #expect(delays == [50, 100, 200, 400, 800, 1_000, 1_000].map { .milliseconds($0) })
    #expect(try await open.refresh("new.emojiart").isEmpty)
    #expect(await open.folder.documents.map(\.path) == ["bees.emojiart"])
    #expect(await open.document()?.trouble == nil)
    lock.release()
    second.release()
    #expect(try await open.recheck() == [.added("new.emojiart", revision: 0)])
    #expect(changes(try await open.refresh("bees.emojiart")).map(\.revision) == [1])
    await open.folder.close()
  }
}
