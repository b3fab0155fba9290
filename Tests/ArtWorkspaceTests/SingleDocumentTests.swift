// SPDX-License-Identifier: Apache-2.0

import ArtDocument
import ArtModel
import ArtStore
import ArtSystem
import Foundation
import TestSupport
import Testing

@testable import ArtWorkspace

@Suite("A document that is opened by itself", .timeLimit(.minutes(10))) struct SingleDocumentTests {
  private let place: URL

  init() throws {
    place = FileManager.default.temporaryDirectory.resolvingSymlinksInPath()
      .appendingPathComponent("emojiart-follow-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: place, withIntermediateDirectories: false)
  }

  private func with(_ body: () async throws -> Void) async throws {
    defer { try? FileManager.default.removeItem(at: place) }
    try await body()
  }

  private func path(_ name: String) -> String { place.appendingPathComponent(name).path }

  private func make(_ name: String = "bees.emojiart") throws -> DocumentFile {
    let file = DocumentFile(path(name))
    var random = SystemRandomNumberGenerator()
    _ = try file.create(canvas: .standard, using: &random)
    return file
  }

  /// Saves only on request.
  private func open(
    _ file: DocumentFile, as client: DocumentClient? = nil, helpers: HelperPrograms = .installed,
    clock: some Clock<Duration> = ManualClock(),
    watchClock: some Clock<Duration> = ContinuousClock()
  ) async throws -> Session {
    try await Session.open(
      file, as: client ?? DocumentClient(), settings(helpers: helpers), clock: clock, watchClock: watchClock)
  }

  private func settings(helpers: HelperPrograms) -> WorkspaceSettings {
    var settings = WorkspaceSettings()
    settings.journal = .none
    settings.autosave = AutosavePolicy(changes: 1_000, delay: .seconds(3_600))
    settings.pending = .none
    settings.helpers = helpers
    return settings
  }

  /// Adds a bee by another program.
  private func add(to file: DocumentFile, x: Double = 1) async throws {
    let other = try await open(file)
    try await other.perform(
      .action(.add([try EmojiText("🐝")], at: .point(x: x, y: 1), size: .standard)))
    try await other.close()
  }

  private func next(
    _ events: EventSequence<SessionEvent>, _ isWanted: (SessionEvent) -> Bool = { _ in true }
  ) async throws -> SessionEvent? {
    let last = try await events.elements(until: "an event of a session", isWanted).last
    return last.flatMap { isWanted($0) ? $0 : nil }
  }

  private func isChange(_ event: SessionEvent) -> Bool {
    if case .document(.changed) = event { true } else { false }
  }

  private func state(_ event: SessionEvent?) -> DocumentState? {
    if case .document(.state(let state)) = event { state } else { nil }
  }

  @Test("D13 a followed document receives others' edits without a clock, from its opening on")
  func follows() async throws {
    try await with {
      let file = try make()
      let session = try await open(file, watchClock: ManualClock())
      try await add(to: file)
      let events = session.listen()
      await session.begin()
      // The edit was made before the session began.
      #expect(try await next(events, isChange) != nil)
      #expect(await session.snapshot.content.emojiCount == 1)
      #expect(await session.end() == nil)
    }
  }

  @Test("D13 a document with any file name is followed")
  func otherNames() async throws {
    try await with {
      for name in ["bees.emojiart", "bees", "b", "a b\n🐝", "-journal.emojiart"] {
        let file = try make(name)
        let session = try await open(file)
        let events = session.listen()
        await session.begin()
        for x in 1...3 {
          try await add(to: file, x: Double(x))
          #expect(try await next(events, isChange) != nil)
        }
        #expect(await session.end() == nil)
      }
    }
  }

  @Test("D13 a followed document reports once that its file is gone, and once that it is back")
  func goneAndBack() async throws {
    try await with {
      let file = try make()
      let session = try await open(file)
      let events = session.listen()
      await session.begin()
      for _ in 1...3 {
        try FileManager.default.moveItem(atPath: file.path, toPath: path("away"))
        let gone = try await next(events)
        guard case .error(let error) = state(gone) else {
          return #expect(Bool(false), "\(String(describing: gone))")
        }
        #expect(error.code == .noSuchDocument)
        try FileManager.default.moveItem(atPath: path("away"), toPath: file.path)
        #expect(state(try await next(events)) == .open)
      }
      #expect(await session.end() == nil)
    }
  }

  @Test("D13 changes by another name or behind a link that moved are found by the clock")
  func links() async throws {
    try await with {
      let file = try make()
      try FileManager.default.createSymbolicLink(
        atPath: path("link.emojiart"), withDestinationPath: file.path)
      try FileManager.default.createDirectory(atPath: path("else"), withIntermediateDirectories: false)
      let clock = ManualClock()
      let byLink = try await open(DocumentFile(path("link.emojiart")), clock: clock)
      let events = byLink.listen()
      await byLink.begin()
      try await clock.sleepers(1)
      // The system reports changes where the link leads at first.
      try await add(to: file)
      #expect(try await next(events, isChange) != nil)
      // It does not report them where the link leads later.
      try FileManager.default.copyItem(atPath: file.path, toPath: path("else/bees.emojiart"))
      try await add(to: DocumentFile(path("else/bees.emojiart")))
      try FileManager.default.removeItem(atPath: path("link.emojiart"))
      try FileManager.default.createSymbolicLink(
        atPath: path("link.emojiart"), withDestinationPath: path("else/bees.emojiart"))
      try await clock.sleepers(1)
      clock.advance(by: .seconds(2))
      #expect(try await next(events, isChange) != nil)
      #expect(await byLink.snapshot.content.emojiCount == 2)
      #expect(await byLink.end() == nil)

      let direct = try await open(file, clock: clock)
      let received = direct.listen()
      await direct.begin()
      // A second name, which the watch notices at its next refresh: then the clock runs.
      try FileManager.default.linkItem(atPath: file.path, toPath: path("else/other.emojiart"))
      try await add(to: file)
      #expect(try await next(received, isChange) != nil)
      try await clock.sleepers(1)
      try await add(to: DocumentFile(path("else/other.emojiart")))
      clock.advance(by: .seconds(2))
      #expect(try await next(received, isChange) != nil)
      #expect(await direct.end() == nil)
    }
  }

  @Test(
    "D13 without the helper process degraded watching is reported once, and others' edits are found by refreshes"
  )
  func polling() async throws {
    try await with {
      let file = try make()
      let clock = ManualClock()
      let session = try await open(file, helpers: HelperPrograms(folders: []), watchClock: clock)
      let events = session.listen()
      await session.begin()
      let first = try await next(events)
      guard case .degraded = first else { return #expect(Bool(false), "\(String(describing: first))") }
      for x in 1...3 {
        try await add(to: file, x: Double(x))
        try await clock.sleepers(1)
        clock.advance(by: .seconds(2))
        #expect(try await next(events, isChange) != nil)
      }
      #expect(await session.end() == nil)
      #expect(state(try await next(events)) == .closed)
      #expect(try await next(events) == nil)
    }
  }

  @Test(
    "a session measures the words of a caption; without the helper program nothing is made, and a repeated request is answered"
  )
  func captions() async throws {
    try await with {
      let file = try make()
      let (ada, bob) = (
        try DocumentClient(author: "ada", session: SessionID(lowBits: 1)),
        try DocumentClient(author: "bob", session: SessionID(lowBits: 2))
      )
      let session = try await open(file, as: ada)
      let words = try Words("Happy\nbirthday")
      let caption = CaptionAction.add(words, at: .place(.center), size: .standard, color: nil)
      let tag = try #require(RequestTag("c1"))
      let answer = try await session.perform(caption, tag: tag)
      let text = try #require(answer.emojis.first?.text)
      #expect(text.string == words.string && (text.box?.height ?? 0) > 2.5 && (text.box?.width ?? 0) > 3)
      #expect(try await session.perform(caption, tag: tag).isRepeated)
      try await session.close()

      let alone = try await open(file, as: bob, helpers: HelperPrograms(folders: []))
      let error = await #expect(throws: ArtError.self) { try await alone.perform(caption) }
      #expect(error?.code == .unavailable && error?.cause.contains("emojiart-worker") == true)
      #expect(await alone.snapshot.content.emojiCount == 1)
      // The key is that of the client, and this one is another.
      await #expect(throws: ArtError.self) { try await alone.perform(caption, tag: tag) }
      try await alone.close()
      let same = try await open(file, as: ada, helpers: HelperPrograms(folders: []))
      #expect(try await same.perform(caption, tag: tag).isRepeated)
      try await same.close()
    }
  }
}
