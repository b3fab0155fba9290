// SPDX-License-Identifier: Apache-2.0

import ArtDocument
import ArtModel
import ArtStore
import ArtWorker
import Foundation
import TestSupport
import Testing

@testable import ArtWorkspace

@Suite("Backgrounds of an open document", .timeLimit(.minutes(10))) struct DocumentBackgroundsTests {
  private let watched: WatchedFolder
  private let file: DocumentFile

  init() throws {
    watched = try WatchedFolder()
    mkdir(watched["locks"], 0o700)
    file = try watched.make()
  }

  private func open() async throws -> Document {
    try await Document.open(
      file, journal: .none, autosave: AutosavePolicy(changes: 1_000, delay: .seconds(3_600)),
      refreshInterval: nil)
  }

  private func typed(_ url: String) throws -> BackgroundRequest {
    BackgroundRequest(try BackgroundURL(url), isUserInitiated: true)
  }

  private func next(
    _ events: EventSequence<DocumentBackgrounds.Event>
  ) async throws -> DocumentBackgrounds.Event {
    let event = try await events.elements(until: "the outcome of a request", { _ in true }).last
    guard let event else { throw FetchingProgram.Over() }
    return event
  }

  @Test(
    "B28 the newest request wins: an older one and its late answer are dropped, and editing continues meanwhile"
  )
  func newestWins() async throws {
    let server = try PictureServer(pictures: ["bee.png"])
    let document = try await open()
    let backgrounds = DocumentBackgrounds(document, locks: watched["locks"])
    let events = backgrounds.events()
    await backgrounds.request(try typed("\(server.url)/hold/bee.png"), tag: "1")
    try await server.get("/held/bee.png")
    for _ in 0..<10 { try await document.perform(Edit(name: "edit", changes: [.add(try Emoji.one())])) }
    await backgrounds.request(try typed("\(server.url)/picture?2"), tag: "2")
    #expect(try await next(events).tag == "2")
    try await server.get("/release/bee.png")
    await backgrounds.request(try typed("\(server.url)/picture?3"), tag: "3")
    let last = try await next(events)
    guard case .set(let background, let revision) = last.outcome else { return #expect(Bool(false)) }
    #expect(last.tag == "3" && last.isRequested && background.url == "\(server.url)/picture?3")
    #expect(revision == 12)
    await backgrounds.close()
    try await document.close()
    #expect(try file.read().background == background && file.background() != nil)
  }

  @Test("B21 a refused or cancelled request changes nothing")
  func refused() async throws {
    let server = try PictureServer(pictures: ["bee.png"])
    let document = try await open()
    let backgrounds = DocumentBackgrounds(document, locks: watched["locks"])
    let events = backgrounds.events()
    for (path, reason) in [("status/404", Refusal.Reason.status), ("html", .notAnImage)] {
      await backgrounds.request(try typed("\(server.url)/\(path)"))
      guard case .rejected(let refusal) = try await next(events).outcome else { return #expect(Bool(false)) }
      #expect(refusal.reason == reason)
    }
    await backgrounds.request(Array("no picture".utf8), tag: "own")
    let own = try await next(events)
    #expect(own.tag == "own" && own.url == nil)
    await backgrounds.request(try typed("\(server.url)/hold/bee.png"))
    try await server.get("/held/bee.png")
    #expect(await backgrounds.isFetching)
    await backgrounds.cancel()
    try await server.get("/release/bee.png")
    await backgrounds.idle()
    await backgrounds.close()
    for await event in events { #expect(Bool(false), "\(event)") }
    #expect(await !document.hasUnsavedChanges)
    try await document.close()
  }

  @Test(
    "B25 a URL that becomes pending while the document is open is fetched, and one that was pending before is not"
  )
  func pending() async throws {
    let server = try PictureServer()
    try file.want("\(server.url)/picture?before")
    let document = try await open()
    let backgrounds = DocumentBackgrounds(document, allowsPrivate: true, locks: watched["locks"])
    let events = backgrounds.events()
    await backgrounds.begin()
    let later = try PendingBackground(
      url: "\(server.url)/picture?own", since: 1, reason: "later", anchor: .topLeft)
    try await document.perform(.later(later))
    let own = try await next(events)
    guard case .set(let background, _) = own.outcome else { return #expect(Bool(false), "\(own)") }
    #expect(!own.isRequested && background.url == later.url)
    try await document.save()
    try file.want("\(server.url)/picture?other")
    await document.refresh()
    guard case .set(let other, _) = try await next(events).outcome else { return #expect(Bool(false)) }
    #expect(other.url == "\(server.url)/picture?other")
    try await document.save()
    try file.want("\(server.url)/status/404")
    await document.refresh()
    guard case .rejected = try await next(events).outcome else { return #expect(Bool(false)) }
    #expect(await document.content.pending == nil)
    await backgrounds.close()
    try await document.close()
    #expect(try await server.count("?before") == 0)
    #expect(try await server.count() == 3)
    #expect(try file.read().background == other)
  }
}
