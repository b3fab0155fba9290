// SPDX-License-Identifier: Apache-2.0

import ArtDocument
import ArtModel
import ArtStore
import Foundation
import TestSupport
import Testing

@testable import ArtWorkspace

@Suite("Pending backgrounds of a folder", .timeLimit(.minutes(10))) struct PendingBackgroundsTests {
  private let watched: WatchedFolder

  init() throws {
    watched = try WatchedFolder()
    mkdir(watched["locks"], 0o700)
  }

  private func place(_ name: String) -> PendingLocation { PendingLocation(source: 0, document: name) }

  @Test(
    "B24 a URL that becomes pending is fetched, and becomes the background by one edit, with its bytes in the file"
  )
  func received() async throws {
    let server = try PictureServer()
    let bees = try watched.make()
    let program = try await FetchingProgram(watched)
    try bees.want("\(server.url)/picture")
    guard case .set(let location, let background, let revision) = try await program.next() else {
      return #expect(Bool(false))
    }
    #expect(location == place("bees.emojiart") && revision == 2)
    let content = try bees.read()
    #expect(content.revision == 2 && content.pending == nil && content.background == background)
    #expect(background.url == "\(server.url)/picture" && content.canvas == background.size)
    #expect(try bees.background()?.bytes.isEmpty == false)
    await program.close()
    #expect(try await server.count() == 1)
    // No lock is left.
    #expect(try FileManager.default.contentsOfDirectory(atPath: watched["locks"]).isEmpty)
  }

  @Test(
    "B25 a URL that was pending before or arrives with a document is fetched only in mode all, and an offline one never"
  )
  func modes() async throws {
    for (mode, expected) in [
      (PendingMode.none, Set<String>()), (.changed, ["became"]), (.all, ["before", "came", "became"]),
    ] {
      let watched = try WatchedFolder()
      mkdir(watched["locks"], 0o700)
      let server = try PictureServer()
      let ask = { (name: String) in "\(server.url)/picture?\(name)" }
      try watched.make("before.emojiart").want(ask("before"))
      try watched.make("offline.emojiart").want(ask("offline"), reason: "offline")
      let bees = try watched.make()
      let program = try await FetchingProgram(watched, mode)
      let other = try WatchedFolder()
      try other.make("came.emojiart").want(ask("came"))
      try #require(rename(other["came.emojiart"], watched["came.emojiart"]) == 0)
      try await program.waitForEvent { $0 == .added("came.emojiart", revision: 1) }
      try bees.want(ask("left"), reason: "offline")
      try bees.want(ask("became"))
      var received: Set<String> = []
      for _ in expected {
        guard case .set(_, let background, _) = try await program.next() else {
          return #expect(Bool(false))
        }
        received.insert(String(background.url?.split(separator: "?").last ?? ""))
      }
      try await program.waitForEvent {
        if case .changed("bees.emojiart", let change) = $0 { change.revision >= 2 } else { false }
      }
      await program.close()
      #expect(received == expected, "\(mode)")
      #expect(try await server.count() == expected.count, "\(mode)")
    }
  }

  @Test(
    "B27 a URL that is refused for good is given up by one edit of one program, which reports it"
  )
  func refusedForGood() async throws {
    let server = try PictureServer()
    let bees = try watched.make()
    let programs = [try await FetchingProgram(watched), try await FetchingProgram(watched)]
    try bees.want("\(server.url)/status/404")
    for program in programs {
      try await program.waitForEvent {
        if case .changed(_, let change) = $0 { change.revision == 2 } else { false }
      }
    }
    var events: [PendingBackgrounds.Event] = []
    for program in programs {
      await program.close()
      for await event in program.events { events.append(event) }
    }
    guard events.count == 1, case .rejected(let location, let refusal, let url) = events[0] else {
      return #expect(Bool(false), "\(events)")
    }
    #expect(location == place("bees.emojiart") && refusal.reason == .status && !refusal.isTransient)
    #expect(url == "\(server.url)/status/404")
    let content = try bees.read()
    #expect(content.revision == 2 && content.pending == nil && content.background == nil)
    #expect(content.log.last.flatMap { BackgroundEdit.refusal(in: $0) } == .status)
    #expect(try await server.count() == 1)
  }

  @Test(
    "B26 a temporary refusal is reported once, and its URL stays pending and is tried again after doubling pauses"
  )
  func refusedForNow() async throws {
    let server = try PictureServer()
    let bees = try watched.make()
    let clock = ManualClock()
    let program = try await FetchingProgram(watched, clock: clock)
    let before = try bees.want("\(server.url)/status/503")
    guard case .rejected(_, let refusal, _) = try await program.next() else { return #expect(Bool(false)) }
    #expect(refusal.reason == .status && refusal.isTransient)
    for (number, pause) in [60, 120, 240].enumerated() {
      try await clock.sleepers(1)
      #expect(try await server.count() == number + 1)
      clock.advance(by: .seconds(pause - 1))
      #expect(try await server.count() == number + 1)
      clock.advance(by: .seconds(1))
    }
    try await clock.sleepers(1)
    #expect(try await server.count() == 4)
    #expect(try bees.base() == before && bees.read().pending != nil)
    // No event was emitted between: the next one is of another kind.
    try bees.want("\(server.url)/status/410")
    guard case .rejected(_, let last, _) = try await program.next() else { return #expect(Bool(false)) }
    #expect(!last.isTransient)
    await program.close()
  }

  @Test("B27 one program fetches while it holds the lock, and another one takes over when it ends")
  func takesOver() async throws {
    let server = try PictureServer(pictures: ["bee.png"])
    let bees = try watched.make()
    let first = try await FetchingProgram(watched)
    try bees.want("\(server.url)/hold/bee.png")
    try await server.get("/held/bee.png")
    let clock = ManualClock()
    let second = try await FetchingProgram(watched, .all, clock: clock)
    try await clock.sleepers(1)
    #expect(try await server.count("/hold/") == 1)
    await first.close()
    try await server.get("/release/bee.png")
    clock.advance(by: .seconds(2))
    guard case .set(_, _, let revision) = try await second.next() else { return #expect(Bool(false)) }
    #expect(revision == 2)
    #expect(try await server.count("/hold/") == 2)
    await second.close()
  }

  @Test("B27 a program holds the lock of a fetch until its edit is in the file")
  func heldUntilSaved() async throws {
    let document = try watched.make().base().id
    // A URL that is refused before a helper process is needed.
    let source = SlowSource(PendingKey(document: document, url: "nonsense"))
    let pending = PendingBackgrounds(locks: watched["locks"])
    let events = pending.events()
    await pending.follow(source)
    try await source.notified()
    #expect(try FetchLock.acquire(document, "nonsense", in: watched["locks"]) == nil)
    source.finishEdit()
    var reported = 0
    for await event in events {
      guard case .rejected = event else { return #expect(Bool(false), "\(event)") }
      reported += 1
      Task { await pending.close() }
    }
    #expect(reported == 1)
    // The lock is released when the program that fetched has ended.
    var lock: FetchLock?
    try await until("the lock of a finished fetch") {
      lock = try FetchLock.acquire(document, "nonsense", in: watched["locks"])
      return lock != nil
    }
  }

  @Test("a document that is renamed while its background is fetched gets the background")
  func renamed() async throws {
    let server = try PictureServer(pictures: ["bee.png"])
    let bees = try watched.make()
    let program = try await FetchingProgram(watched)
    try bees.want("\(server.url)/hold/bee.png")
    try await server.get("/held/bee.png")
    try watched.move("bees.emojiart", "wasps.emojiart")
    try await program.waitForEvent { $0 == .renamed("wasps.emojiart", from: "bees.emojiart") }
    try await server.get("/release/bee.png")
    guard case .set(let location, _, _) = try await program.next() else { return #expect(Bool(false)) }
    #expect(location == place("wasps.emojiart"))
    #expect(try DocumentFile(watched["wasps.emojiart"]).read().background != nil)
    await program.close()
    #expect(try await server.count("/hold/") == 1)
  }

  @Test(
    "B28 a picture is dropped when its URL is cleared or replaced, or its document is removed, during the fetch"
  )
  func dropped() async throws {
    let server = try PictureServer(pictures: ["bee.png", "ant.png", "fly.png"])
    let program = try await FetchingProgram(watched)
    for (name, change) in [
      ("bee.png", { try $0.clearBackground() }),
      ("ant.png", { try $0.want("\(server.url)/picture") }),
      ("fly.png", { try self.watched.remove(String($0.path.split(separator: "/").last ?? "")) }),
    ] as [(String, (DocumentFile) throws -> Void)] {
      let file = try watched.make("\(name).emojiart")
      try await program.waitForEvent { $0 == .added("\(name).emojiart", revision: 0) }
      try file.want("\(server.url)/hold/\(name)")
      try await server.get("/held/\(name)")
      try change(file)
      // The events of the pending URL and of what became of it.
      for _ in 0..<2 {
        try await program.waitForEvent {
          switch $0 {
          case .changed("\(name).emojiart", _), .removed("\(name).emojiart"): true
          default: false
          }
        }
      }
      try await server.get("/release/\(name)")
    }
    guard case .set(let location, let background, _) = try await program.next() else {
      return #expect(Bool(false))
    }
    #expect(location == place("ant.png.emojiart") && background.url == "\(server.url)/picture")
    await program.close()
    #expect(try DocumentFile(watched["bee.png.emojiart"]).read().background == nil)
  }

  @Test("B27 a URL that is pending in copies of one document is fetched once")
  func copies() async throws {
    let server = try PictureServer()
    try watched.make().want("\(server.url)/picture")
    try watched.overwrite("copy.emojiart", watched.bytes("bees.emojiart"))
    let program = try await FetchingProgram(watched, .all)
    for _ in 0..<2 {
      guard case .set = try await program.next() else { return #expect(Bool(false)) }
    }
    await program.close()
    #expect(try await server.count() == 1)
    for name in ["bees", "copy"] {
      #expect(try DocumentFile(watched["\(name).emojiart"]).read().background != nil)
    }
  }

  @Test("B9 a pending URL with an address of this machine is refused, unless private addresses are allowed")
  func untrusted() async throws {
    let server = try PictureServer()
    let bees = try watched.make()
    let program = try await FetchingProgram(watched, allowsPrivate: false)
    try bees.want("\(server.url)/picture")
    guard case .rejected(_, let refusal, _) = try await program.next() else { return #expect(Bool(false)) }
    #expect(refusal.reason == .notAllowed && !refusal.isTransient)
    for url in ["file:///etc/passwd", "nonsense"] {
      try bees.want(url)
      guard case .rejected(_, let refusal, _) = try await program.next() else { return #expect(Bool(false)) }
      #expect([.scheme, .badURL].contains(refusal.reason))
    }
    await program.close()
    #expect(try await server.get("/connections") == "0\n")
  }
}
