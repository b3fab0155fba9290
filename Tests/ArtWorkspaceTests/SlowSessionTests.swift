// SPDX-License-Identifier: Apache-2.0

import ArtDocument
import ArtModel
import ArtStore
import ArtWorker
import Foundation
import TestSupport
import Testing

@testable import ArtWorkspace

/// A client that reads its events seldom: the snapshot, with the changes applied to it.
private struct SlowClient {
  let session: Session
  private(set) var content: DocumentContent
  private(set) var version: Int
  private(set) var state: DocumentState
  private(set) var resyncs = 0
  private var events: EventSequence<SessionEvent>.Iterator

  init(_ session: Session, capacity: Int) async {
    let (snapshot, events) = await session.follow(capacity: capacity)
    (content, version, state) = (snapshot.content, snapshot.version, snapshot.state)
    self.session = session
    self.events = events.makeAsyncIterator()
  }

  /// Reads the events up to that version.
  mutating func read(upTo last: Int) async {
    while version < last, let event = await events.next() { await apply(event) }
  }

  /// Reads the events to their end.
  mutating func readAll() async {
    while let event = await events.next() { await apply(event) }
  }

  private mutating func apply(_ event: SessionEvent) async {
    guard case .document(let event) = event else { return }
    switch event {
    case .resync:
      let snapshot = await session.snapshot
      (content, version, state) = (snapshot.content, snapshot.version, snapshot.state)
      resyncs += 1
    case .changed(let change) where change.after > version:
      #expect(change.before == version, "a version is missing")
      content.apply(change.effect)
      version = change.after
    case .state(let state): self.state = state
    case .changed, .saved, .dropped, .setAside, .renamed, .repeated: break
    }
  }
}

@Suite("Sessions that read their events late", .timeLimit(.minutes(10))) struct SlowSessionTests {
  private let folder: WatchedFolder
  private let clients: [DocumentClient]

  init() throws {
    folder = try WatchedFolder()
    clients = try [
      DocumentClient(author: "ada", session: SessionID(lowBits: 1)),
      DocumentClient(author: "bob", session: SessionID(lowBits: 2)),
    ]
  }

  private func open(_ change: (inout WorkspaceSettings) -> Void = { _ in }) async throws -> Workspace {
    var settings = WorkspaceSettings()
    settings.journal = .folder(folder.journals)
    settings.pending = .none
    settings.autosave = AutosavePolicy(changes: 1_000, delay: .seconds(3_600))
    change(&settings)
    return try await Workspace.open(folder.path, settings)
  }

  private func bee(_ x: Int) throws -> DocumentRequest {
    .action(
      .add([try EmojiText("🐝")], at: .point(x: Double(x), y: 2), size: .standard))
  }

  @Test("U10 a slow session's snapshot and events give the document's content and its last state")
  func law() async throws {
    let file = try folder.make()
    let workspace = try await open()
    var slow: [SlowClient] = []
    for (index, client) in clients.enumerated() {
      let session = try await workspace.open("bees.emojiart", as: client)
      for capacity in [2, 5, 1_000] { slow.append(await SlowClient(session, capacity: capacity + index)) }
    }
    var random = SplitMix64(seed: 15)
    for step in 1...300 {
      let session = slow[random.below(slow.count)].session
      switch random.below(8) {
      case 0...3: try await session.perform(bee(step))
      case 4: try await session.perform([bee(step), bee(-step)], as: "draw")
      case 5: _ = try? await session.undo()
      case 6: try await session.save()
      default:
        try file.addBee()
        await session.shared.document.refresh()
      }
      let reader = random.below(slow.count)
      if random.oneIn(4) {
        let snapshot = await slow[reader].session.snapshot
        await slow[reader].read(upTo: snapshot.version)
        // Another program's edits may have come meanwhile.
        if slow[reader].version == snapshot.version {
          #expect(slow[reader].content.looksLike(snapshot.content), "step \(step)")
        }
      }
    }
    let session = slow[0].session
    #expect(await workspace.close() == nil)
    let last = await session.snapshot
    #expect(last.state == .closed && last.unsaved == 0)
    for index in slow.indices {
      await slow[index].readAll()
      #expect(slow[index].content.looksLike(last.content) && slow[index].version == last.version)
      #expect(slow[index].state == .closed)
    }
    #expect(slow[0].resyncs > 0 && slow[2].resyncs == 0)
    #expect(try file.read().looksLike(last.content))
  }

  @Test(
    "U10 a snapshot has the state and the number of unsaved changes, for a session that missed their events")
  func stateInSnapshot() async throws {
    try folder.make()
    let workspace = try await open()
    let session = try await workspace.open("bees.emojiart", as: clients[0])
    var events = session.listen(capacity: 1).makeAsyncIterator()
    for x in 1...3 { try await session.perform(bee(x)) }
    try folder.move("bees.emojiart", "bees.away")
    let error = await #expect(throws: ArtError.self) { try await session.save() }
    guard case .document(.resync) = await events.next() else {
      return #expect(Bool(false), "nothing was missed")
    }
    let snapshot = await session.snapshot
    #expect(error?.code == .noSuchDocument && snapshot.unsaved == 3)
    guard case .error(let reason) = snapshot.state else { return #expect(Bool(false), "\(snapshot.state)") }
    #expect(reason.code == .noSuchDocument)
    try folder.move("bees.away", "bees.emojiart")
    try await session.save()
    #expect(await session.snapshot.unsaved == 0)
    #expect(await workspace.close() == nil)
  }

  @Test("U12 a background that is pending while closing fails is set afterwards, and no failure is reported")
  func pendingWhileClosing() async throws {
    let server = try PictureServer(pictures: ["bee.png"])
    let file = try folder.make()
    let workspace = try await open {
      $0.pending = .changed
      $0.allowsPrivate = true
    }
    let session = try await workspace.open("bees.emojiart", as: clients[0])
    var events = session.listen(ownEdits: false).makeAsyncIterator()
    try file.want("\(server.url)/hold/bee.png")
    await session.shared.document.refresh()
    try await server.get("/held/bee.png")
    try await session.perform(bee(1))
    // The picture arrives while `close` waits for the lock in vain.
    let lock = try FileLock(file.path)
    let closing = Task { () -> ArtError? in
      do throws(ArtError) { try await session.close() } catch { return error }
      return nil
    }
    try await until("edits are refused") {
      do throws(ArtError) { try await session.redo() } catch { return error.code == .closed }
      return false
    }
    try await server.get("/release/bee.png")
    #expect(await closing.value?.code == .busy)
    lock.release()
    var outcomes: [DocumentBackgrounds.Outcome] = []
    while outcomes.isEmpty, let event = await events.next() {
      if case .background(let background) = event { outcomes.append(background.outcome) }
    }
    guard case .set(let background, _)? = outcomes.first else { return #expect(Bool(false), "\(outcomes)") }
    #expect(background.url == "\(server.url)/hold/bee.png")
    try await session.close()
    #expect(try file.read().background == background)
    #expect(await workspace.close() == nil)
  }
}
