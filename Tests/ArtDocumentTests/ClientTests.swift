// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtStore
import TestSupport
import Testing

@testable import ArtDocument

@Suite("Clients of one document") struct ClientTests {
  private let folder: DocumentFolder
  private let ada: DocumentClient
  private let bob: DocumentClient

  init() throws {
    folder = try DocumentFolder()
    ada = try DocumentClient(author: "ada", session: SessionID(lowBits: 1))
    bob = try DocumentClient(author: "bob", session: SessionID(lowBits: 2))
  }

  private func open(_ file: DocumentFile) async throws -> Document {
    try await DocumentFolder.open(file, AutosavePolicy(changes: 1_000))
  }

  private func tag(_ text: String) throws -> RequestTag { try #require(RequestTag(text)) }

  @Test("M20 undo of one client never takes back another client's edit, also after a restart")
  func undo() async throws {
    let file = try folder.make()
    let document = try await open(file)
    try await document.perform(ClientRequest(.action(.bee(x: 1)), by: ada))
    try await document.perform(ClientRequest(.action(.bee(x: 2)), by: bob))
    try await document.perform(.bee(x: 3))
    #expect(try await document.undo(by: ada).inverse.count == 1)
    #expect(await document.content.emojisInOrder().map(\.position.x) == [2, 3])
    let nothing = await #expect(throws: ArtError.self) { try await document.undo(by: ada) }
    #expect(nothing?.code == .nothingToUndo)
    try await document.undo()
    #expect(
      await document.content.emojisInOrder().map(\.position.x) == [2],
      "undo without a session takes back the program's own edit")
    try await document.close()
    let later = try await open(file)
    try await later.undo(by: bob)
    #expect(await later.content.emojiCount == 0)
    try await later.redo(by: ada)
    #expect(await later.content.emojisInOrder().map(\.position.x) == [1])
    try await later.close()
  }

  @Test(
    "D19 of a request that two programs perform before either has saved, the one that saves first makes the edit",
    arguments: [false, true])
  func oneTag(isKilled: Bool) async throws {
    let file = try folder.make()
    let (first, second) = (try await open(file), try await open(file))
    let request = ClientRequest(.action(try .bee(x: 1)), by: ada, tag: try tag("add"))
    let mine = try #require(try await first.perform(request).emojis.first)
    let twin = try #require(try await second.perform(request).emojis.first)
    #expect(mine.id != twin.id)
    // What follows in the second program is about its own emoji.
    let target = EmojiSelection([try Reference(twin.id.description)])
    try await second.perform(
      ClientRequest(.action(.move(target, .to(.point(x: 50, y: 60)))), by: ada, tag: tag("move")))
    try await first.save()
    let events = second.events(ownEdits: false)
    if isKilled {
      await second.abandon()
    } else {
      try await second.save()
      let edit = try #require(await first.content.log.first).id
      let own = EditID(origin: second.origin, sequence: 1)
      let told = try await events.until { if case .saved = $0 { true } else { false } }
      #expect(told.contains(.renamed(twin.id, to: mine.id)) && told.contains(.repeated(own, as: edit)))
      #expect(await second.content.emojisInOrder().map(\.id) == [mine.id])
      // It can be performed again, and undone.
      #expect(try await second.perform(request).isRepeated)
      try await second.close()
    }
    await first.refresh()
    try await first.close()
    let later = try await open(file)
    let content = await later.content
    #expect(content.emojisInOrder().map(\.id) == [mine.id])
    #expect(try content.emojisInOrder().map(\.position) == [Point(x: 50, y: 60)])
    #expect(content.log.flatMap(\.stamp.tags) == [try tag("add"), try tag("move")])
    for _ in 0..<2 { try await later.undo(by: ada) }
    #expect(await later.content.emojiCount == 0)
    try await later.close()
    #expect(try file.check().faults == [])
  }

  @Test("D19 an undo of an edit that another program made for the same request is an undo of that one")
  func undoOfTwin() async throws {
    let file = try folder.make()
    let (first, second) = (try await open(file), try await open(file))
    let request = ClientRequest(.action(try .bee(x: 1)), by: ada, tag: try tag("add"))
    try await first.perform(request)
    try await second.perform(request)
    try await second.undo(by: ada)
    try await first.save()
    try await second.save()
    #expect(await second.content.emojiCount == 0)
    #expect(await second.content.log.map(\.kind).last == .undo(EditID(origin: first.origin, sequence: 1)))
    try await second.redo(by: ada)
    try await second.close()
    try await first.close()
    #expect(try file.read().emojiCount == 1 && file.check().faults == [])
  }

  @Test("D19 without a session a tag is of its program only")
  func tagWithoutSession() async throws {
    let file = try folder.make()
    let (first, second) = (try await open(file), try await open(file))
    let request = ClientRequest(.action(try .bee(x: 1)), by: nil, tag: try tag("add"))
    try await first.perform(request)
    try await second.perform(request)
    try await first.close()
    try await second.close()
    #expect(try file.read().emojiCount == 2)
  }

  @Test("M20 after a kill a client undoes its own restored edits")
  func undoAfterKill() async throws {
    let file = try folder.make()
    let document = try await open(file)
    try await document.perform(ClientRequest(.action(.bee(x: 1)), by: ada))
    try await document.perform(ClientRequest(.action(.bee(x: 2)), by: bob))
    await document.abandon()
    let later = try await open(file)
    #expect(await later.content.log.map(\.session) == [ada.session, bob.session])
    try await later.undo(by: ada)
    #expect(await later.content.emojisInOrder().map(\.position.x) == [2])
    try await later.close()
  }

  @Test("D19 a request that is repeated under its tag is answered with its edit and not made again")
  func repeated() async throws {
    let file = try folder.make()
    let request = ClientRequest(.action(try .bee()), by: ada, tag: try tag("a1"), since: .beginning)
    let document = try await open(file)
    let first = try await document.perform(request)
    let again = try await document.perform(request)
    #expect(!first.isRepeated && again.isRepeated && again.entries == first.entries)
    // The same tag of another client is another request.
    #expect(try await !document.perform(ClientRequest(.action(.bee()), by: bob, tag: tag("a1"))).isRepeated)
    await document.abandon()
    // Found in the edits restored from the journal.
    let second = try await open(file)
    #expect(try await second.perform(request).isRepeated)
    #expect(await second.content.emojiCount == 2)
    try await second.close()
    // Found in the log.
    let third = try await open(file)
    #expect(try await third.perform(request).isRepeated)
    try await third.close()
    #expect(try file.read().emojiCount == 2)
  }

  @Test(
    "D19 a repeated request is refused when the log no longer reaches back to the revision at which it was made"
  )
  func tooOld() async throws {
    let file = try folder.make()
    let document = try await open(file)
    let request = ClientRequest(.action(try .bee()), by: ada, tag: try tag("a1"), since: .beginning)
    try await document.perform(request)
    let moves: [DocumentRequest] = (1...1_300).map {
      .action(.move(.all, .to(.point(x: Double($0), y: 1))))
    }
    for answer in await document.perform(moves) { _ = try answer.get() }
    try await document.save()
    let error = await #expect(throws: ArtError.self) { try await document.perform(request) }
    #expect(error?.code == .movedOn)
    #expect(await document.content.emojiCount == 1)
    // A new request is made if the client knows a saved edit.
    let oldest = try #require(await document.content.log.first)
    #expect(
      try await !document.perform(
        ClientRequest(.action(.bee()), by: ada, tag: tag("a2"), since: .edit(oldest.id))
      )
      .isRepeated)
    // In a backup the edit that the client knew to be saved is missing.
    let unknown = KnownHead.edit(EditID(origin: Origin(lowBits: 5), sequence: 1))
    let future = ClientRequest(.action(try .bee()), by: ada, tag: try tag("a3"), since: unknown)
    let missing = await #expect(throws: ArtError.self) { try await document.perform(future) }
    #expect(missing?.code == .movedOn)
    try await document.close()
  }

  @Test("D20 a group of requests is one edit, one change and one undo, and does nothing if one of them fails")
  func group() async throws {
    let document = try await open(folder.make())
    let (snapshot, events) = await document.follow()
    let bees: [DocumentRequest] = [
      .action(try .bee(x: 1)), .action(try .bee(x: 2)), .action(.move(.all, .by(try Coordinates("5,5")))),
    ]
    let answer = try await document.perform(ClientRequest(.group(name: "draw", bees), by: ada))
    #expect(answer.entries.map(\.edit.name) == ["draw"] && answer.entries.first?.edit.changes.count == 2)
    #expect(await document.content.emojisInOrder().map(\.position.x) == [6, 7])
    let failing = bees + [.action(.remove(.references([try Reference("🦋")])))]
    await #expect(throws: ArtError.self) {
      try await document.perform(ClientRequest(.group(name: "fail", failing), by: ada))
    }
    await #expect(throws: ArtError.self) {
      try await document.perform(ClientRequest(.group(name: "undo", [.undo(1)]), by: ada))
    }
    let between = await document.snapshot
    #expect(between.content.emojiCount == 2 && between.version == 1)
    // A move and its opposite make no edit.
    let nothing: [DocumentRequest] = [
      .action(.move(.all, .by(try Coordinates("5,5")))), .action(.move(.all, .by(try Coordinates("-5,-5")))),
    ]
    #expect(try await document.perform(ClientRequest(.group(name: "nothing", nothing))).entries.isEmpty)
    try await document.undo(by: ada)
    var content = snapshot.content
    for await event in events {
      guard case .changed(let change) = event else { continue }
      content.apply(change.effect)
      if change.after == 2 { break }
    }
    #expect(await document.content.emojiCount == 0)
    #expect(content.emojiCount == 0)
    await document.closeDiscardingChanges()
  }

  @Test("D12 documents that are open on one store in memory rebase their edits onto each other's saves")
  func memory() async throws {
    var random = SplitMix64(seed: 7)
    let store = MemoryStore(DocumentContent(id: DocumentID(using: &random), canvas: .standard))
    let first = try await Document.open(store, journal: .none, refreshInterval: nil, clock: ManualClock())
    let second = try await Document.open(store, journal: .none, refreshInterval: nil, clock: ManualClock())
    try await first.perform(.bee(x: 1))
    try await second.perform(.bee(x: 2))
    try await first.save()
    try await second.save()
    await first.refresh()
    let (left, right) = (await first.content, await second.content)
    #expect(left.looksLike(right) && left.emojiCount == 2)
    #expect(store.read().revision == 2)
    try await first.close()
    try await second.close()
  }

  @Test("D13 a document refreshes at each hint that it receives, and answers whether it could")
  func hints() async throws {
    let file = try folder.make()
    let (document, other) = (try await open(file), try await open(file))
    let (hints, source) = AsyncStream<RefreshHint>.makeStream()
    let (answers, answered) = AsyncStream<Bool>.makeStream()
    await document.refresh(at: hints)
    try await other.perform(.bee())
    try await other.close()
    source.yield(RefreshHint { answered.yield($0) })
    var results = answers.makeAsyncIterator()
    #expect(await results.next() == true)
    #expect(await document.content.emojiCount == 1)
    try DocumentFolder.move(file.path, to: file.path + ".away")
    source.yield(RefreshHint { answered.yield($0) })
    #expect(await results.next() == false)
    try DocumentFolder.move(file.path + ".away", to: file.path)
    try await document.close()
  }
}
