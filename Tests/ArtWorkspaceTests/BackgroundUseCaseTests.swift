// SPDX-License-Identifier: Apache-2.0

import ArtDocument
import ArtModel
import ArtStore
import ArtWorker
import TestSupport
import Testing

@testable import ArtWorkspace

@Suite("Backgrounds as a use case", .timeLimit(.minutes(10))) struct BackgroundUseCaseTests {
  private let watched: WatchedFolder
  private let file: DocumentFile
  private let url = "http://example.org/meadow.png"

  init() throws {
    watched = try WatchedFolder()
    file = try watched.make()
  }

  private func background(_ transfer: CannedTransfer, expecting: Int? = nil) -> FileBackground<CannedTransfer>
  {
    FileBackground(file, by: watched.recovery(), transfer: transfer, expecting: expecting)
  }

  private func set(_ transfer: CannedTransfer) throws -> ChangedBackground {
    try background(transfer).set(PictureSource(typed: url), typed: url)
  }

  @Test("B21 a refused background leaves the document, its revision and its background as they were")
  func refused() throws {
    _ = try set(.picture())
    let before = try watched.bytes("bees.emojiart")
    #expect { try set(.refusal(.dns)) } throws: {
      ($0 as? BackgroundRefusal)
        == BackgroundRefusal(
          Refusal(.dns, "as the test says"), asked: url, shown: url)
    }
    #expect { try background(.refusal(.notAnImage)).refresh() } throws: { $0 is BackgroundRefusal }
    #expect {
      try background(.refusal(.dns)).set(PictureSource(typed: "ftp://a"), typed: "ftp://a")
    } throws: {
      ($0 as? BackgroundRefusal)?.refusal.reason == .scheme
    }
    // The document's revision is checked before anything is fetched.
    let unexpected = CannedTransfer { _ in throw ArtError(.unavailable, "it was fetched for") }
    #expect(
      code { try background(unexpected, expecting: 7).set(PictureSource(typed: url), typed: url) } == .movedOn
    )
    #expect(try watched.bytes("bees.emojiart") == before)
  }

  @Test(
    "B21 a pending background stays pending after a temporary refusal, and is no longer pending after a final one"
  )
  func pendingRefused() throws {
    try file.want(url)
    #expect { try background(.refusal(.dns)).fetchPending() } throws: {
      ($0 as? BackgroundRefusal)?.aftermath == .staysPending
    }
    #expect(try file.read().pending?.url == url && file.base().revision == 1)
    #expect { try background(.refusal(.notAnImage)).fetchPending() } throws: {
      ($0 as? BackgroundRefusal)?.aftermath == .isNoLongerPending
    }
    #expect(try file.read().pending == nil)
    #expect(code { try background(.picture()).fetchPending() } == .noBackground)
  }

  @Test("U2 each change of a background gives the same result on a document's file and on an open document")
  func sameOnBoth() async throws {
    let other = try watched.make("open.emojiart")
    let document = try await watched.opened(other)
    let later = try #require(try PendingBackground(later: BackgroundURL(url + "?2"), at: 5))
    let (small, large) = (try CannedTransfer.picture(3, 2), try CannedTransfer.picture(30, 20))
    func received(_ transfer: CannedTransfer) throws -> ReceivedPicture {
      try transfer.receive(untrusted: url, for: file.path, allowsPrivate: false)
    }
    func compare(_ change: BackgroundChange, _ picture: ReceivedPicture?, _ changed: ChangedBackground)
      async throws
    {
      try await document.make(change, picture) { #expect($0 == changed.state, "\(change)") }
      let (one, two) = (try file.read(), await document.content)
      #expect(one.background == two.background && one.pending == two.pending && one.canvas == two.canvas)
      #expect(one.log.map(\.edit) == two.log.map(\.edit))
    }
    try await compare(.set(), received(small), set(small))
    let old = try #require(try file.read().background)
    try await compare(.refresh(old), received(large), background(large).refresh())
    let new = try #require(try file.read().background)
    #expect(new.size == (try Canvas(width: 30, height: 20)) && new != old)
    try await compare(.later(later), nil, background(small).change(.later(later)))
    try await compare(
      .fetchPending(url: later.url), ReceivedPicture(received(small).picture, url: later.url),
      background(small).fetchPending())
    try await compare(.forgetURL, nil, background(small).change(.forgetURL))
    try await compare(.clear, nil, background(small).change(.clear))
    #expect(try file.base().revision == 6)
    // A picture that was fetched for a background that has changed since is dropped, on both.
    _ = try set(small)
    let picture = try received(large)
    do {
      try await document.make(.refresh(new), picture) { _ in }
      #expect(Bool(false), "it was set")
    } catch {
      #expect(error.code == .movedOn)
    }
    try await document.close()
  }

  @Test("U2 the background of an open document is fetched again from its URL, and the outcome is an event")
  func refreshOpen() async throws {
    let server = try PictureServer(pictures: ["bee.png"])
    let document = try await watched.opened(file)
    let backgrounds = DocumentBackgrounds(document, locks: watched["locks"])
    var events = backgrounds.events().makeAsyncIterator()
    do {
      try await backgrounds.refresh()
      #expect(Bool(false), "there is nothing to refresh")
    } catch {
      #expect(error.code == .noBackground)
    }
    let url = try BackgroundURL("\(server.url)/files/bee.png")
    await backgrounds.request(BackgroundRequest(url, isUserInitiated: true))
    #expect(await events.next()?.url == url.string)
    // An automatic request has no right to a special address, such as this machine's.
    try await backgrounds.refresh(tag: "2")
    guard case .rejected(let refusal)? = await events.next()?.outcome else {
      return #expect(Bool(false), "it was fetched")
    }
    #expect(refusal.reason == .notAllowed)
    try await backgrounds.refresh(allowsPrivate: true, tag: "3")
    let last = try #require(await events.next())
    guard case .set(let background, let revision) = last.outcome else {
      return #expect(Bool(false), "\(last)")
    }
    #expect(last.tag == "3" && background.url == url.string && revision == 1)
    await backgrounds.close()
    try await document.close()
  }

  @Test("B21 the use case fetches a picture over HTTP and checks it, and a refused picture makes no document")
  func overHTTP() async throws {
    let server = try PictureServer(pictures: ["bee.png"])
    let (file, recovery) = (file, watched.recovery())
    let typed = "\(server.url)/files/bee.png"
    let changed = try await onThread {
      try FileBackground(file, by: recovery, transfer: BlockingTransfer())
        .set(PictureSource(typed: typed), typed: typed)
    }
    #expect(changed.state.background?.url == typed && changed.state.isChanged && changed.state.revision == 1)
    let again = try await onThread {
      try FileBackground(file, by: recovery, transfer: BlockingTransfer(), allowsPrivate: true).refresh()
    }
    #expect(!again.state.isChanged && again.state.revision == 1)
    let made = DocumentFile(watched["new.emojiart"])
    let missing = "\(server.url)/status/404"
    await #expect {
      try await onThread {
        try Documents(by: recovery).create(
          made, background: PictureSource(typed: missing), typed: missing, transfer: BlockingTransfer())
      }
    } throws: {
      ($0 as? BackgroundRefusal)?.refusal.reason == .status
    }
    #expect(!watched.names.contains("new.emojiart"))
  }

  @Test("B22 the answer that stops a warning stops it in every front end")
  func questions() throws {
    let refusal = Refusal(.dns, "as the test says")
    func warnings() throws -> RefusalWarnings {
      RefusalWarnings(of: file, store: try WarningStore(for: file, in: watched["warnings"]))
    }
    let first = try #require(try warnings().warning(of: refusal, nil, asked: url, canAsk: true))
    try #require(first.question).answer(.keepWarning)
    #expect(try warnings().state().state == .active)
    let second = try #require(try warnings().warning(of: refusal, nil, asked: "http://b", canAsk: true))
    try #require(second.question).answer(.stopWarning)
    #expect(try warnings().state().state == .stopped)
    // Another front end, which cannot ask.
    #expect(try warnings().warning(of: refusal, nil, canAsk: false) == nil)
    #expect(try warnings().warning(of: refusal, .always, canAsk: true)?.question == nil)
    // The user asks for the same URL again.
    #expect(try warnings().warning(of: refusal, nil, asked: "http://b", canAsk: true) != nil)
    try warnings().forget()
    #expect(try warnings().warning(of: refusal, nil, asked: "http://b", canAsk: true) == nil)
    try warnings().keep()
    let warning = try #require(try warnings().warning(of: refusal, nil, canAsk: false))
    #expect(warning.question == nil && warning.refusal == refusal)
    #expect(try warnings().state().state == .shown)
    #expect(try warnings().warning(of: refusal, nil, canAsk: true) == nil)
  }
}
