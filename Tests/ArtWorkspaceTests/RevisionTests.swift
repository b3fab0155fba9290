// SPDX-License-Identifier: Apache-2.0

import ArtDocument
import ArtModel
import ArtStore
import TestSupport
import Testing

@testable import ArtWorkspace

@Suite("Earlier revisions as use cases", .timeLimit(.minutes(10))) struct RevisionTests {
  private let watched: WatchedFolder
  private let file: DocumentFile
  private let reports = Reports()

  init() throws {
    watched = try WatchedFolder()
    file = try watched.make()
  }

  private var recovery: Recovery { watched.recovery(reports) }
  private var editing: FileEditing { FileEditing(file, by: recovery) }

  private func bee(_ x: Double, _ text: String = "🐝") throws -> Action {
    .add([try EmojiText(text)], at: .point(x: x, y: 2), size: .standard)
  }

  private func places(_ content: DocumentContent) -> [Double] { content.emojisInOrder().map(\.position.x) }

  @Test("U2 the art at each revision, and a return to it, are the same on a document's file and in a session")
  func sameOnBoth() async throws {
    let actions: [Action] = [
      try bee(1), try bee(2, "🌸"), .move(.all, .to(.point(x: 9, y: 9))),
      .canvas(.resize(try Canvas(width: 300, height: 200), anchor: .topLeft, scales: true)),
      .remove(.references([try Reference("🐝")])), .canvas(.fill(try Color(typed: "gold"))), try bee(3),
    ]
    for action in actions { _ = try editing.perform(action) }
    try watched.overwrite("copy.emojiart", watched.bytes("bees.emojiart"))
    var settings = WorkspaceSettings()
    settings.journal = .none
    settings.autosave = AutosavePolicy(changes: 1_000, delay: .seconds(3_600))
    settings.pending = .none
    let session = try await Session.open(
      DocumentFile(watched["copy.emojiart"]), as: DocumentClient(), settings, clock: ManualClock())
    for revision in 0...7 {
      let one = try recovery.content(of: file, at: revision)
      #expect(try await session.content(at: revision) == one, "\(revision)")
    }
    for revision in [3, 7, 1, 0, 5, 5, 2] {
      let (one, two) = (try editing.revert(to: revision), try await session.revert(to: revision))
      #expect(one.entry?.edit == two.entries.first?.edit && two.entries.count <= 1, "\(revision)")
      let (content, art) = (try file.read(), await session.snapshot.content)
      #expect(content.looksLike(art) && content.revision == art.revision, "\(revision)")
      #expect(try art.looksLike(art.content(at: revision)), "\(revision)")
    }
    #expect(await session.end() == nil)
  }

  @Test(
    "M40 a return on a file is one edit, and one undo takes it back; without effect the file stays as it is")
  func onFile() throws {
    for x in 1...3 { _ = try editing.perform(bee(Double(x))) }
    let before = try file.read()
    let done = try editing.revert(to: 1)
    let entry = try #require(done.entry)
    #expect(done.revision == 4 && done.lost.isEmpty && entry.author == "ada")
    #expect(entry.title == "back to revision 1")
    let after = try file.read()
    #expect(try after.looksLike(before.content(at: 1)) && after.log.dropLast() == before.log[...])
    let bytes = try watched.bytes("bees.emojiart")
    let nothing = try editing.revert(to: 1)
    #expect(nothing.entry == nil && nothing.lost.isEmpty && nothing.revision == 4)
    #expect(try watched.bytes("bees.emojiart") == bytes)
    #expect(code { try editing.revert(to: 5) } == .noSuchRevision)
    #expect(code { try editing.revert(to: 2, head: entry.id) } == .movedOn)
    #expect(code { try FileEditing(file, by: recovery, expecting: 3).revert(to: 2) } == .movedOn)
    #expect(try watched.bytes("bees.emojiart") == bytes)
    #expect(try editing.step(.undo, 1).run.entries.map(\.title) == ["Undo back to revision 1"])
    #expect(try file.read().looksLike(before) && file.check().faults == [])
  }

  @Test("K8 orphaned edits count in the revisions of a reader, and are restored before a return")
  func orphaned() async throws {
    _ = try editing.perform(bee(7))
    try await watched.orphan(3, of: file)
    let bytes = try watched.bytes("bees.emojiart")
    #expect(try recovery.content(of: file).revision == 2)
    #expect(try recovery.content(of: file, at: 2).emojiCount == 4)
    #expect(try places(recovery.content(of: file, at: 1)) == [7])
    #expect(code { try recovery.content(of: file, at: 3) } == .noSuchRevision)
    #expect(try watched.bytes("bees.emojiart") == bytes && reports.restored == 0)
    let done = try editing.revert(to: 1)
    #expect(done.revision == 3 && reports.restored == 3)
    #expect(try places(file.read()) == [7] && recovery.content(of: file, at: 2).emojiCount == 4)
  }

  @Test("M39 a file reaches as far back as its log, and names the oldest revision")
  func reach() throws {
    let bee = try Emoji.one()
    let moves = try (2...1_200).map { [Change.move(bee.id, to: try Point(x: Double($0), y: 0))] }
    try file.save([.add(bee)])
    var random = SystemRandomNumberGenerator()
    var author = try Author(origin: Origin(using: &random))
    try file.edit { (transaction: DocumentTransaction) throws(ArtError) in
      for changes in moves {
        _ = try transaction.perform(Edit(name: "move 🐝", changes: changes), stamp: author.stamp(at: 1))
      }
    }
    let known = try file.read().reachableRevisions
    #expect(known.upperBound == 1_200 && (136...200).contains(known.lowerBound))
    for revision in [known.lowerBound, 1_000, 1_200] {
      #expect(try places(recovery.content(of: file, at: revision)) == [Double(revision)])
    }
    for use in [{ _ = try recovery.content(of: file, at: $0) }, { _ = try editing.revert(to: $0) }]
      as [(Int) throws -> Void]
    {
      let error = #expect(throws: ArtError.self) { try use(known.lowerBound - 1) }
      #expect(error?.code == .noSuchRevision && error?.subject == "\(known.lowerBound - 1)")
      #expect(error?.cause.hasSuffix("the oldest one that can be had is \(known.lowerBound)") == true)
    }
    #expect(try editing.revert(to: known.lowerBound).entry?.edit.changes.count == 1)
    #expect(try places(file.read()) == [Double(known.lowerBound)])
  }

  @Test("B19 a return on a file to a background whose bytes are gone makes its URL pending and reports it")
  func lostBackground() throws {
    for side in 1...6 {
      let source = try PictureSource(typed: "http://example.org/\(side).png")
      let background = FileBackground(
        file, by: recovery, transfer: try CannedTransfer.picture(side, 5), expecting: nil)
      _ = try background.set(source, typed: "http://example.org/\(side).png")
    }
    let before = try file.read()
    let first = try #require(try before.content(at: 1).background)
    let fourth = try #require(try before.content(at: 4).background)
    #expect(!before.holdsPicture(first.digest) && before.holdsPicture(fourth.digest))
    #expect(try editing.revert(to: 4).lost.isEmpty && file.read().looksLike(before.content(at: 4)))
    let done = try editing.revert(to: 1)
    #expect(done.lost.map(\.background) == [first] && done.lost.map(\.isPending) == [true])
    let after = try file.read()
    #expect(after.background == nil && after.pending?.url == first.url && after.canvas == first.size)
    _ = try editing.step(.undo, 2)
    #expect(try file.read().looksLike(before) && file.background() != nil && file.check().faults == [])
  }

  @Test("M39 the art at each revision of a file is what was read when it was the present one")
  func asItWas() async throws {
    for seed in 1...3 as ClosedRange<UInt64> {
      let file = try watched.make("random\(seed).emojiart")
      let editing = FileEditing(file, by: recovery)
      var random = SplitMix64(seed: seed)
      var noted = [0: try file.read()]
      for _ in 0..<50 {
        let count = try file.read().emojiCount
        switch random.below(10) {
        case 0...2: _ = try editing.perform(bee(Double(random.below(300)), random.oneIn(2) ? "🐝" : "🌸"))
        case 3 where count > 0: _ = try editing.perform(.move(.all, .by(try Coordinates("3,-2"))))
        case 4 where count > 0:
          let bees = try file.read().emojisInOrder()
          _ = try editing.perform(
            .remove(.references([try Reference(bees[random.below(count)].id.description)])))
        case 5...6: if code({ try editing.step(.undo, 1 + random.below(2)) }) == .nothingToUndo { continue }
        case 7: if code({ try editing.step(.redo, 1) }) == .nothingToUndo { continue }
        case 8: _ = try editing.revert(to: random.below(noted.count))
        case 9:
          try await watched.orphan(1 + random.below(3), of: file)
          try recovery.restoreFirst(file)
        default: continue
        }
        let now = try file.read()
        noted[now.revision] = now
      }
      let content = try file.read()
      #expect(content.revision > 30)
      for (revision, then) in noted {
        let computed = try content.content(at: revision)
        #expect(computed.looksLike(then) && computed.head == then.head, "\(seed), revision \(revision)")
        #expect(computed.log == then.log, "\(seed), revision \(revision)")
      }
      #expect(try file.check().faults == [])
    }
  }

  // MARK: Versions

  /// A session that learns of others' saves only when it looks for them.
  private func session(
    _ journal: JournalLocation = .none, id: SessionID? = SessionID(lowBits: 1)
  ) async throws -> Session {
    var settings = WorkspaceSettings()
    settings.journal = journal
    settings.autosave = AutosavePolicy(changes: 1_000, delay: .seconds(3_600))
    settings.pending = .none
    return try await Session.open(
      file, as: DocumentClient(author: "bob", session: id), settings, clock: ManualClock())
  }

  /// Sets a background by another program; the URL is kept with it.
  private func setBackground(_ side: Int) throws {
    let url = "http://example.org/\(side).png"
    let background = FileBackground(
      file, by: recovery, transfer: try CannedTransfer.picture(side, 5), expecting: nil)
    _ = try background.set(PictureSource(typed: url), typed: url)
  }

  @Test("U2 a version on a document's file: kept with orphaned edits, shown, gone back to, and removed")
  func versionsOnFile() async throws {
    _ = try editing.perform(bee(1))
    try await watched.orphan(1, of: file)
    #expect(code { try editing.keepVersion(named: "12") } == .badValue)
    #expect(reports.restored == 0, "a bad name is refused before anything is restored")
    let kept = try editing.keepVersion(named: "draft")
    #expect(kept.revision == 2 && kept.author == "ada" && reports.restored == 1)
    #expect(code { try editing.keepVersion(named: "draft") } == .exists)
    #expect(code { try FileEditing(file, by: recovery, expecting: 1).keepVersion(named: "x") } == .movedOn)
    let before = try file.read()
    _ = try editing.perform(.remove(.all))
    let shown = try recovery.content(of: file, at: .version("draft"))
    #expect(shown.looksLike(before) && shown.revision == 2 && shown.log == before.log)
    let done = try editing.revert(to: .version("draft"))
    #expect(done.entry?.title == "back to version \"draft\"" && done.lost.isEmpty && done.revision == 4)
    #expect(try file.read().looksLike(before))
    let bytes = try watched.bytes("bees.emojiart")
    #expect(try editing.revert(to: .version("draft")).entry == nil)
    #expect(try watched.bytes("bees.emojiart") == bytes)
    #expect(code { try FileEditing(file, by: recovery, expecting: 3).removeVersion("draft") } == .movedOn)
    #expect(try editing.removeVersion(kept.id.description) == kept && file.versions().isEmpty)
    for revert in [{ try editing.revert(to: .version("draft")) }] { #expect(code(revert) == .noSuchRevision) }
    #expect(code { try recovery.content(of: file, at: .version("draft")) } == .noSuchRevision)
    #expect(try file.read().revision == 4 && file.check().faults == [])
  }

  @Test(
    "M44 a session's return to a version that another program has just kept sets its background",
    arguments: [false, true])
  func unseenBackground(isDraft: Bool) async throws {
    let client = try DocumentClient()
    let session = try await isDraft ? Session.openDraft(of: file, as: client, WorkspaceSettings()) : session()
    try setBackground(3)
    _ = try editing.keepVersion(named: "draft")
    let stored = try file.read()
    let shown = try await session.content(at: .version("draft"))
    #expect(shown.looksLike(stored))
    let answer = try await session.revert(to: .version("draft"))
    #expect(answer.lost == [])
    #expect(await session.snapshot.content.background == stored.background)
    #expect(await session.end() == nil)
    let saved = try file.read()
    #expect(saved.looksLike(stored) && saved.pending == nil)
    #expect(try file.background() != nil && file.check().faults == [])
  }

  @Test("M44 a session's return to a version counts what another program has just saved")
  func unseenChange() async throws {
    try setBackground(3)
    _ = try editing.keepVersion(named: "draft")
    let session = try await session()
    let cleared = FileBackground(file, by: recovery, transfer: try CannedTransfer.picture(), expecting: nil)
    _ = try cleared.change(.clear)
    #expect(try file.read().background == nil)
    let answer = try await session.revert(to: .version("draft"))
    #expect(answer.entries.count == 1 && answer.lost == [])
    #expect(await session.end() == nil)
    #expect(try file.read().background != nil && file.background() != nil)
  }

  @Test(
    "D22 a version that a session has named or removed comes into the file that takes its file's place, also in the same revision",
    arguments: [false, true])
  func guardedVersions(isOpen: Bool) async throws {
    let session = try await session()
    try await session.perform(.action(bee(1)))
    try await session.save()
    let old = try watched.bytes("bees.emojiart")
    _ = try await session.keepVersion(named: "draft")
    try watched.replace("bees.emojiart", old)
    #expect(try file.versions().isEmpty)
    if isOpen {
      // At the next refresh, or before the next save.
      await session.shared.document.refresh()
      try await session.perform(.action(bee(2)))
      try await session.save()
      try await until("the version to be merged") { try file.versions().map(\.name) == ["draft"] }
      let draft = try watched.bytes("bees.emojiart")
      _ = try await session.removeVersion("draft")
      try watched.replace("bees.emojiart", draft)
    }
    #expect(await session.end() == nil)
    #expect(try file.versions().map(\.name) == (isOpen ? [] : ["draft"]) && file.check().faults == [])
    #expect(try places(file.read()) == (isOpen ? [1, 2] : [1]))
  }

  @Test("F33 a session keeps the state that it has saved, with what another program saves at the same time")
  func sessionKeeps() async throws {
    let session = try await session()
    try await session.perform(.action(bee(1)))
    _ = try editing.perform(bee(2))
    let first = try await session.keepVersion(named: " one ")
    #expect(first.name == "one" && first.revision == 2 && first.author == "bob")
    let (saved, unsaved) = (await session.snapshot.saved, await session.unsavedChanges)
    #expect(try saved == file.base() && unsaved == 0)
    // Nothing is unsaved, and the other one has saved.
    _ = try editing.perform(bee(3))
    let second = try await session.keepVersion(named: "two")
    let content = await session.snapshot.content
    #expect(second.revision == 3 && second.head == content.head && content.revision == 3)
    #expect(try await session.versions() == [first, second] && file.versions() == [first, second])
    #expect(try await places(session.content(at: .version("two"))).sorted() == [1, 2, 3])
    _ = try await session.revert(to: .version("one"), tag: RequestTag("back"))
    #expect(try await session.revert(to: .version("one"), tag: RequestTag("back")).isRepeated)
    #expect(try await session.removeVersion("two") == second)
    let codes = await [
      refused { _ = try await session.keepVersion(named: "one") },
      refused { _ = try await session.keepVersion(named: "7") },
      refused { _ = try await session.removeVersion("two") },
      refused { _ = try await session.revert(to: .version("two")) },
      refused { _ = try await session.content(at: .version("two")) },
    ]
    #expect(codes == [.exists, .badValue, .noSuchRevision, .noSuchRevision, .noSuchRevision])
    // The answer of a return is known by its tag, also when its version is removed.
    _ = try await session.keepVersion(named: "brief")
    _ = try editing.perform(bee(4))
    #expect(try await !session.revert(to: .version("brief"), tag: RequestTag("again")).isRepeated)
    _ = try await session.removeVersion("brief")
    #expect(try await session.revert(to: .version("brief"), tag: RequestTag("again")).isRepeated)
    #expect(await session.end() == nil)
    #expect(try places(file.read()).sorted() == [1, 2] && file.check().faults == [])
    let ended = await [
      refused { _ = try await session.keepVersion(named: "late") },
      refused { _ = try await session.removeVersion("one") },
      refused { _ = try await session.revert(to: .version("one")) },
    ]
    #expect(try ended == [.closed, .closed, .closed] && file.versions() == [first])
  }

  @Test(
    "F33 a version that a session keeps again under the same tag is the one of before, also after its removal"
  )
  func keptOnce() async throws {
    let tag = try #require(RequestTag("keep"))
    let first = try await session()
    try await first.perform(.action(bee(1)))
    let kept = try await first.keepVersion(named: "draft", tag: tag)
    #expect(await first.end() == nil)
    _ = try editing.perform(bee(2))
    // The client reconnects, and sends the request again.
    let again = try await session()
    #expect(try await again.keepVersion(named: "draft", tag: tag) == kept)
    #expect(try await again.removeVersion("draft") == kept)
    #expect(try await again.keepVersion(named: "draft", tag: tag) == kept)
    #expect(try file.versions().isEmpty)
    // Another tag is another version, and so is the same one of another session, or of none.
    #expect(try await again.keepVersion(named: "a", tag: RequestTag("keep2")) != kept)
    #expect(await again.end() == nil)
    for (id, name) in [(SessionID(lowBits: 2), "b"), (nil, "c")] {
      let other = try await session(id: id)
      #expect(try await other.keepVersion(named: name, tag: tag).id != kept.id)
      #expect(await other.end() == nil)
    }
    #expect(try Set(file.versions().map(\.name)) == ["a", "b", "c"] && file.check().faults == [])
  }

  @Test("F33 a session of a document that another one has replaced keeps, finds and removes no version")
  func replacedDocument() async throws {
    let kept = try editing.keepVersion(named: "draft")
    let session = try await session()
    try watched.make("other.emojiart")
    let other = DocumentFile(watched["other.emojiart"])
    _ = try FileEditing(other, by: recovery).keepVersion(named: "draft")
    try watched.move("bees.emojiart", "away.emojiart")
    try watched.move("other.emojiart", "bees.emojiart")
    #expect(await refused { _ = try await session.keepVersion(named: "x") } == .replaced)
    #expect(await refused { _ = try await session.removeVersion("draft") } == .replaced)
    #expect(await refused { _ = try await session.revert(to: .version("draft")) } == .replaced)
    #expect(try file.versions().map(\.name) == ["draft"] && file.versions() != [kept])
    try watched.move("away.emojiart", "bees.emojiart")
    #expect(await session.end() == nil)
    #expect(try file.versions() == [kept])
  }

  private func refused(_ body: () async throws -> Void) async -> ArtError.Code? {
    do { try await body() } catch { return (error as? ArtError)?.code }
    return nil
  }

  @Test("M40 a session's return takes back others' edits, and only that session undoes it")
  func sessions() async throws {
    let ada = try DocumentClient(author: "ada", session: SessionID(lowBits: 1))
    let bob = try DocumentClient(author: "bob", session: SessionID(lowBits: 2))
    var settings = WorkspaceSettings()
    settings.journal = .folder(watched.journals)
    settings.pending = .none
    let workspace = try await Workspace.open(watched.path, settings)
    let left = try await workspace.open("bees.emojiart", as: ada)
    let right = try await workspace.open("bees.emojiart", as: bob)
    for x in 1...3 { try await left.perform(.action(bee(Double(x)))) }
    #expect(try await places(right.content(at: 2)) == [1, 2])
    let answer = try await right.revert(to: 1, tag: RequestTag("back"))
    #expect(answer.entries.map(\.session) == [bob.session])
    #expect(try await right.revert(to: 1, tag: RequestTag("back")).isRepeated)
    #expect(try await left.revert(to: 4).entries.isEmpty)
    let code = await #expect(throws: ArtError.self) { try await left.content(at: 5) }?.code
    #expect(code == .noSuchRevision)
    try await left.undo()
    #expect(await places(left.snapshot.content) == [1], "ada undoes her last bee, which is gone already")
    try await right.undo()
    #expect(await workspace.close() == nil)
    #expect(try places(file.read()) == [1, 2, 3])
  }
}
