// SPDX-License-Identifier: Apache-2.0

import ArtDocument
import ArtModel
import ArtStore
import ArtWorker
import Foundation
import TestSupport
import Testing

@testable import ArtWorkspace

/// A session's client: the snapshot with the changes applied to it, and all received events.
private actor Follower {
  private(set) var content: DocumentContent
  private(set) var version: Int
  private(set) var received: [SessionEvent] = []
  private let events: EventSequence<SessionEvent>
  let session: Session

  init(_ session: Session) async {
    let (snapshot, events) = await session.follow()
    (content, version) = (snapshot.content, snapshot.version)
    self.session = session
    self.events = events
  }

  /// Applies events up to and including the first that matches; false when the events end before.
  @discardableResult
  func until(_ isLast: (SessionEvent) -> Bool) async throws -> Bool {
    var isOver = false
    _ = try await events.elements(until: "an event of a session, after \(received.count)") { event in
      received.append(event)
      if case .document(.changed(let change)) = event, change.after > version {
        content.apply(change.effect)
        version = change.after
      }
      isOver = isLast(event)
      return isOver
    }
    return isOver
  }

  /// Applies events until the content matches.
  func untilContent(_ fits: (DocumentContent) -> Bool) async throws {
    if fits(content) { return }
    try await until { _ in fits(content) }
  }
}

@Suite("A folder that is open for several clients", .timeLimit(.minutes(10))) struct WorkspaceTests {
  private let folder: WatchedFolder
  private let ada: DocumentClient
  private let bob: DocumentClient

  init() throws {
    folder = try WatchedFolder()
    ada = try DocumentClient(author: "ada", session: SessionID(lowBits: 1))
    bob = try DocumentClient(author: "bob", session: SessionID(lowBits: 2))
  }

  private func open(_ change: (inout WorkspaceSettings) -> Void = { _ in }) async throws -> Workspace {
    var settings = WorkspaceSettings()
    settings.journal = .folder(folder.journals)
    settings.pending = .none
    change(&settings)
    return try await Workspace.open(folder.path, settings)
  }

  private func bee(_ x: Double) throws -> DocumentRequest {
    .action(.add([try EmojiText("🐝")], at: .point(x: x, y: 2), size: .standard))
  }

  @Test("U9 a document is open once however many sessions it has, by whatever path they open it")
  func openOnce() async throws {
    try folder.make("bees.emojiart")
    try #require(link(folder["bees.emojiart"], folder["wasps.emojiart"]) == 0)
    let workspace = try await open()
    async let first = workspace.open("bees.emojiart", as: ada)
    async let second = workspace.open("bees.emojiart", as: bob)
    let (left, right) = (try await first, try await second)
    let third = try await workspace.open("wasps.emojiart", as: bob)
    #expect(left.shared === right.shared && left.shared === third.shared)
    for bad in ["../bees.emojiart", "/etc/passwd", "", "a//b.emojiart", "./bees.emojiart"] {
      let error = await #expect(throws: ArtError.self, "\(bad)") { try await workspace.open(bad, as: ada) }
      #expect(error?.code == .badValue)
    }
    let missing = await #expect(throws: ArtError.self) { try await workspace.open("ants.emojiart", as: ada) }
    #expect(missing?.code == .noSuchDocument)
    #expect(await workspace.close() == nil)
    await #expect(throws: ArtError.self) { try await workspace.open("bees.emojiart", as: ada) }
  }

  @Test("U10 each session follows the document by its events, and undoes its own edits only")
  func sessions() async throws {
    let file = try folder.make()
    let workspace = try await open()
    let left = await Follower(try await workspace.open("bees.emojiart", as: ada))
    let right = await Follower(try await workspace.open("bees.emojiart", as: bob))
    try await left.session.perform(bee(1))
    try await right.session.perform([bee(2), bee(3)], as: "draw")
    try await left.session.undo()
    // A command edits the same file meanwhile.
    try file.addBee()
    try await right.session.save()
    let now = await right.session.snapshot.content
    #expect(now.emojiCount == 3)
    // Both followers get there by their events.
    for follower in [left, right] { try await follower.untilContent { $0.looksLike(now) } }
    let nothing = await #expect(throws: ArtError.self) { try await left.session.undo() }
    #expect(nothing?.code == .nothingToUndo)
    try await right.session.undo()
    #expect(await right.session.snapshot.content.emojiCount == 1)
    #expect(await workspace.close() == nil)
    #expect(try file.read().emojiCount == 1)
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.journals.path).isEmpty)
  }

  @Test("U9 one helper process reports the changes of all open documents")
  func oneHelper() async throws {
    let files = try (0..<6).map { try folder.make("bees\($0).emojiart") }
    let workspace = try await open()
    var followers: [Follower] = []
    for number in files.indices {
      followers.append(await Follower(try await workspace.open("bees\(number).emojiart", as: ada)))
    }
    let before = helpers()
    for file in files { try file.addBee() }
    for follower in followers { try await follower.untilContent { $0.emojiCount == 1 } }
    #expect(before == 1 && helpers() == 1)
    #expect(await workspace.close() == nil)
  }

  /// The number of watching helper processes that this process has started for the folder of the test.
  private func helpers() -> Int {
    let processes = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
    return processes.count { number in
      guard let line = try? String(contentsOfFile: "/proc/\(number)/cmdline", encoding: .utf8) else {
        return false
      }
      return line.contains("emojiart-inotify") && isWatching(number)
    }
  }

  /// Whether the helper process has a watch on the folder of the test.
  private func isWatching(_ number: String) -> Bool {
    var status = stat()
    guard stat(folder.path, &status) == 0 else { return false }
    let mark = "ino:\(String(status.st_ino, radix: 16)) "
    let descriptors = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/\(number)/fdinfo")) ?? []
    return descriptors.contains { descriptor in
      (try? String(contentsOfFile: "/proc/\(number)/fdinfo/\(descriptor)", encoding: .utf8))?.contains(mark)
        ?? false
    }
  }

  @Test(
    "U11 sessions follow a renamed file, take in a state that replaces it, and keep their edits while the file is gone"
  )
  func moves() async throws {
    let file = try folder.make()
    let workspace = try await open { $0.autosave = AutosavePolicy(changes: 1_000, delay: .seconds(3_600)) }
    let follower = await Follower(try await workspace.open("bees.emojiart", as: ada))
    try await follower.session.perform(bee(1))
    try await follower.session.save()
    let backup = try folder.bytes("bees.emojiart")
    try folder.move("bees.emojiart", "wasps.emojiart")
    try await follower.until { if case .moved(to: "wasps.emojiart") = $0 { true } else { false } }
    #expect(follower.session.path == "wasps.emojiart")
    // A session that opens the new name gets the same document; no file is at the old name.
    let other = try await workspace.open("wasps.emojiart", as: bob)
    #expect(other.shared === follower.session.shared)
    try await other.perform(bee(2))
    try await other.save()
    #expect(try DocumentFile(folder["wasps.emojiart"]).read().emojiCount == 2)
    #expect(!FileManager.default.fileExists(atPath: file.path))
    try await follower.untilContent { $0.emojiCount == 2 }
    // A backup is put back, as a sync client does it. What the sessions had saved is merged into it.
    try folder.replace("wasps.emojiart", backup)
    try await follower.untilContent { $0.emojiCount == 1 }
    try await follower.untilContent { $0.emojiCount == 2 }
    // The file is gone; an edit is kept, and saved when the file is back.
    try folder.move("wasps.emojiart", "../\(folder.path.split(separator: "/").last ?? "").away")
    try await follower.until { if case .removed = $0 { true } else { false } }
    try await follower.session.perform(bee(3))
    try folder.move("../\(folder.path.split(separator: "/").last ?? "").away", "wasps.emojiart")
    try await follower.until { if case .document(.saved) = $0 { true } else { false } }
    #expect(try DocumentFile(folder["wasps.emojiart"]).read().emojiCount == 3)
    #expect(await workspace.close() == nil)
  }

  @Test("B22 a refused background is one question, for the session that requested it, and changes no content")
  func refused() async throws {
    let file = try folder.make()
    let before = try folder.bytes("bees.emojiart")
    let workspace = try await open()
    let left = await Follower(try await workspace.open("bees.emojiart", as: ada))
    let right = await Follower(try await workspace.open("bees.emojiart", as: bob))
    try await right.session.setBackground(Array("this is no picture".utf8), tag: "mine")
    try await right.until { if case .warning = $0 { true } else { false } }
    let received = await right.received
    let outcomes = received.compactMap { if case .background(let event) = $0 { event } else { nil } }
    #expect(outcomes.map(\.tag) == ["mine"])
    let question = received.compactMap {
      if case .warning(let warning) = $0 { warning.question } else { nil }
    }
    try #require(question.count == 1)
    try question[0].answer(.stopWarning)
    // A command asks for the same: no front end shows a warning any more.
    let warnings = RefusalWarnings(of: file)
    #expect(warnings.warning(of: Refusal(.notAnImage, "x"), nil, canAsk: true) == nil)
    try await left.session.setBackground(Array("nor is this".utf8))
    try await left.until { if case .background = $0 { true } else { false } }
    try await left.session.perform(bee(1))
    try await left.untilContent { $0.emojiCount == 1 }
    #expect(await !left.received.contains { if case .warning = $0 { true } else { false } })
    #expect(try folder.bytes("bees.emojiart") == before)
    #expect(await left.session.snapshot.content.background == nil)
    #expect(await workspace.close() == nil)
    try warnings.keep()
  }

  @Test("U10 a session that is too slow for the document's events still receives the event of its background")
  func slowSession() async throws {
    try folder.make()
    let workspace = try await open { $0.warnings = .never }
    let session = try await workspace.open("bees.emojiart", as: ada)
    let events = session.listen(capacity: 3)
    for x in 1...5 { try await session.perform(bee(Double(x))) }
    session.shared.receive(
      DocumentBackgrounds.Event(
        .rejected(Refusal(.dns, "no host")), url: "http://nowhere.example/", isRequested: true,
        tag: session.shared.note("mine", 7, of: session)))
    for x in 6...10 { try await session.perform(bee(Double(x))) }
    #expect(await workspace.close() == nil)
    var tags: [String?] = []
    var lines: [Int?] = []
    var hasMissed = false
    for await event in events {
      switch event {
      case .background(let background):
        tags.append(background.tag)
        lines.append(background.line)
      case .document(.resync): hasMissed = true
      case .document, .warning, .degraded, .watching, .rescanned, .moved, .removed: break
      }
    }
    #expect(tags == ["mine"] && lines == [7] && hasMissed)
  }

  @Test("U11 sessions of two documents that swap their names follow their own files")
  func swapped() async throws {
    for name in ["ants.emojiart", "bees.emojiart"] { try folder.make(name) }
    let workspace = try await open { $0.autosave = AutosavePolicy(changes: 1_000, delay: .seconds(3_600)) }
    let ants = await Follower(try await workspace.open("ants.emojiart", as: ada))
    let bees = await Follower(try await workspace.open("bees.emojiart", as: bob))
    try await ants.session.perform(bee(1))
    for (from, to) in [
      ("ants.emojiart", "third"), ("bees.emojiart", "ants.emojiart"), ("third", "bees.emojiart"),
    ] {
      try #require(rename(folder[from], folder[to]) == 0)
    }
    #expect(try await ants.until { if case .moved("bees.emojiart") = $0 { true } else { false } })
    #expect(try await bees.until { if case .moved("ants.emojiart") = $0 { true } else { false } })
    #expect([ants.session.path, bees.session.path] == ["bees.emojiart", "ants.emojiart"])
    try await ants.session.save()
    #expect(try DocumentFile(folder["bees.emojiart"]).read().emojiCount == 1)
    #expect(try DocumentFile(folder["ants.emojiart"]).read().emojiCount == 0)
    #expect(await workspace.close() == nil)
  }

  @Test("U12 deleting another name of an open document does not end its sessions")
  func otherNameTrashed() async throws {
    try folder.make()
    try #require(link(folder["bees.emojiart"], folder["wasps.emojiart"]) == 0)
    let workspace = try await open()
    let session = try await workspace.open("bees.emojiart", as: ada)
    _ = try await workspace.delete("wasps.emojiart", by: folder.recovery(Reports()))
    try await session.perform(bee(1))
    try await session.save()
    #expect(try DocumentFile(folder["bees.emojiart"]).read().emojiCount == 1)
    #expect(!FileManager.default.fileExists(atPath: folder["wasps.emojiart"]))
    #expect(await workspace.close() == nil)
  }

  @Test("U12 a second close of the last session waits for the save of the first")
  func closedTwice() async throws {
    try folder.make()
    let workspace = try await open { $0.autosave = AutosavePolicy(changes: 1_000, delay: .seconds(3_600)) }
    let session = try await workspace.open("bees.emojiart", as: ada)
    try await session.perform(bee(1))
    async let first: Void = session.close()
    async let second: Void = session.close()
    try await second
    #expect(try DocumentFile(folder["bees.emojiart"]).read().emojiCount == 1)
    try await first
    #expect(await workspace.close() == nil)
  }

  @Test("U12 sessions of a document that is deleted save first, receive its removal, and end")
  func trashed() async throws {
    try folder.make()
    let workspace = try await open { $0.autosave = AutosavePolicy(changes: 1_000, delay: .seconds(3_600)) }
    let follower = await Follower(try await workspace.open("bees.emojiart", as: ada))
    try await follower.session.perform(bee(1))
    let reports = Reports()
    let trashed = try await workspace.delete("bees.emojiart", by: folder.recovery(reports))
    #expect(try await follower.until { if case .removed = $0 { true } else { false } })
    #expect(try await !follower.until { _ in false }, "its events have ended")
    #expect(!FileManager.default.fileExists(atPath: folder["bees.emojiart"]))
    let error = await #expect(throws: ArtError.self) { try await follower.session.perform(bee(2)) }
    #expect(error?.code == .closed)
    let file = try Documents(by: folder.recovery(reports)).undelete(trashed)
    #expect(try file.read().emojiCount == 1 && reports.all.isEmpty)
    let again = try await workspace.open("bees.emojiart", as: ada)
    try await again.undo()
    #expect(await workspace.close() == nil)
  }

  @Test("U12 the last session of a document saves and closes it, and stays open when its save fails")
  func lastSession() async throws {
    let file = try folder.make()
    let workspace = try await open { $0.autosave = AutosavePolicy(changes: 1_000, delay: .seconds(3_600)) }
    let (left, right) = (
      try await workspace.open("bees.emojiart", as: ada), try await workspace.open("bees.emojiart", as: bob)
    )
    try await left.perform(bee(1))
    try await left.close()
    #expect(try file.read().emojiCount == 0, "another session has it open")
    let ended = await #expect(throws: ArtError.self) { try await left.perform(bee(9)) }
    #expect(ended?.code == .closed)
    try folder.move("bees.emojiart", "bees.away")
    await #expect(throws: ArtError.self) { try await right.close() }
    try await right.perform(bee(2))
    try folder.move("bees.away", "bees.emojiart")
    try await right.close()
    #expect(try file.read().emojiCount == 2)
    let again = try await workspace.open("bees.emojiart", as: ada)
    #expect(again.shared !== left.shared)
    try await again.undo()
    #expect(await workspace.close() == nil)
    #expect(try file.read().emojiCount == 1)
  }
}
