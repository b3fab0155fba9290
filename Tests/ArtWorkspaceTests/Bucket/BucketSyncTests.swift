// SPDX-License-Identifier: Apache-2.0

import ArtDocument
import ArtModel
import ArtSystem
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import ArtStore
@testable import ArtWorkspace

/// A store in memory, to which things happen. The real ones are those of `scripts/dev torture bucket`.
private final class MemoryStore: Sendable {
  struct State {
    var objects: [FilePath: (etag: String, body: [UInt8])] = [:]
    var hasBucket = true
    var number = 0
    var requests: [StoreRequest] = []
    /// What happens to the next requests: nothing, another answer than the store's, or an answer that does not come.
    var faults: [Fault] = []
    /// What another client does right before the next write.
    var beforeWrite: (@Sendable () -> Void)?
    /// The pages of a listing that lies, by their numbers.
    var pages: (@Sendable (Int) -> String)?
    /// How many requests are being answered, and how many were at most.
    var (running, mostRunning) = (0, 0)
  }

  enum Fault {
    case none
    case status(Int)
    case lost
  }

  let state = Mutex(State())

  subscript(name: String) -> [UInt8]? {
    get { state.withLock { $0.objects[FilePath("art/" + name)]?.body } }
    set {
      state.withLock { state in
        state.number += 1
        state.objects[FilePath("art/" + name)] = newValue.map { ("\"\(state.number)\"", $0) }
      }
    }
  }

  var names: [String] {
    state.withLock { $0.objects.keys.map { String($0.string.dropFirst(4)) }.sorted() }
  }

  /// Takes a while, in which other requests can come.
  func answer(slowly request: StoreRequest) async throws(BackgroundFailure) -> StoreResponse {
    state.withLock { state in
      state.running += 1
      state.mostRunning = max(state.mostRunning, state.running)
    }
    for _ in 0..<100 { await Task.yield() }
    defer { state.withLock { $0.running -= 1 } }
    return try answer(request)
  }

  func answer(_ request: StoreRequest) throws(BackgroundFailure) -> StoreResponse {
    let fault = state.withLock { state in
      state.requests.append(request)
      return state.faults.isEmpty ? nil : state.faults.removeFirst()
    }
    if case .status(let status)? = fault { return StoreResponse(status: status) }
    if request.method == .put { state.withLock { $0.beforeWrite.take() }?() }
    let response = state.withLock { Self.answer(request, &$0) }
    if case .lost? = fault { throw .refused(Refusal(.timeout, "no answer")) }
    return response
  }

  private static func answer(_ request: StoreRequest, _ state: inout State) -> StoreResponse {
    let path = String(request.url.split(separator: "?")[0].dropFirst("http://store/bucket".count))
    guard state.hasBucket else {
      return StoreResponse(status: 404, body: Array("<Error><Code>NoSuchBucket</Code></Error>".utf8))
    }
    let key = FilePath(path.dropFirst().removingPercentEncoding ?? "")
    let found = state.objects[key]
    func field(_ name: String) -> String? { request.fields.first { $0.name == name }?.value }
    switch request.method {
    case .get where path.isEmpty && state.pages != nil:
      let number = state.requests.count { $0.method == .get && $0.url.contains("list-type") }
      return StoreResponse(status: 200, body: Array((state.pages?(number) ?? "").utf8))
    case .get where path.isEmpty:
      let contents = state.objects.map {
        "<Contents><Key>\(RequestSignature.Canonical.encoded($0.key.string))</Key><ETag>\($0.value.etag)</ETag></Contents>"
      }
      return StoreResponse(status: 200, body: Array("<L>\(contents.joined())</L>".utf8))
    case .get, .head:
      guard let found else { return StoreResponse(status: 404) }
      return StoreResponse(
        status: 200, fields: ["etag": found.etag], body: request.method == .get ? found.body : [])
    case .put:
      if field("if-none-match") != nil, found != nil { return StoreResponse(status: 412) }
      if let etag = field("if-match"), etag != found?.etag { return StoreResponse(status: 412) }
      state.number += 1
      state.objects[key] = ("\"\(state.number)\"", request.body)
      return StoreResponse(status: 200, fields: ["etag": "\"\(state.number)\""])
    case .delete:
      state.objects[key] = nil
      return StoreResponse(status: 204)
    }
  }
}

@Suite("A folder and a bucket") struct BucketSyncTests {
  private let folder: WatchedFolder
  private let store = MemoryStore()

  init() throws { folder = try WatchedFolder() }

  private func sync(bytesAtOnce: Int = 16 << 20) throws -> BucketSync {
    let settings = try BucketSettings(endpoint: "http://store") { name in
      [
        "AWS_ACCESS_KEY_ID": "id", "AWS_SECRET_ACCESS_KEY": "key", "AWS_CONFIG_FILE": "/dev/null",
        "AWS_SHARED_CREDENTIALS_FILE": "/dev/null",
      ][name]
    }
    let bucket = try Bucket(
      BucketLocation("s3://bucket/art"), settings, now: { 1_800_000_000_000 },
      exchange: { [store] (request, _) async throws(BackgroundFailure) in
        try await store.answer(slowly: request)
      })
    return BucketSync(
      folder.path, bucket, by: folder.recovery(), clock: InstantClock(), bytesAtOnce: bytesAtOnce)
  }

  /// What a run does, as `sent bees`, sorted.
  private func run(_ sync: BucketSync) async throws -> [String] {
    let box = Lines()
    try await sync.run { event in
      switch event {
      case .uploaded(let name): box.add("sent \(name)")
      case .downloaded(let name): box.add("received \(name)")
      case .merged(let name, let received, let sent, _):
        box.add("merged \(name) \(received.map(String.init) ?? "nothing") \(sent)")
      case .failed(let name, let error): box.add("failed \(name) \(error.code)")
      case .leftOut(let count, let name): box.add("left out \(count) \(name)")
      }
    }
    return box.sorted
  }

  private func places(_ name: String = "bees.emojiart") throws -> Set<Double> {
    Set(try DocumentFile(folder[name]).read().emojisInOrder().map(\.position.x))
  }

  private func add(_ x: Double) throws {
    try DocumentFile(folder["bees.emojiart"]).save([.add(try Emoji.one(x: x))])
  }

  /// The object becomes another state of the document in the folder.
  private func editObject(_ x: Double) throws {
    try folder.overwrite("other", try #require(store["bees.emojiart"]))
    try DocumentFile(folder["other"]).save([.add(try Emoji.one(x: x))])
    store["bees.emojiart"] = try folder.bytes("other")
    try folder.remove("other")
  }

  @Test("Y8 a document is sent and received, and edits of both sides come together, once")
  func together() async throws {
    try folder.make()
    let sync = try sync()
    try await sync.probe()
    #expect(store.names.isEmpty, "the probe is gone")
    #expect(try await run(sync) == ["sent bees.emojiart"])
    #expect(try await run(sync) == [])
    try add(1)
    try editObject(2)
    #expect(try await run(sync) == ["merged bees.emojiart 1 true"])
    #expect(try places() == [1, 2] && store["bees.emojiart"] == folder.bytes("bees.emojiart"))
    try editObject(3)
    let third = try await run(sync)
    #expect(third == ["merged bees.emojiart 1 false"], "\(third)")
    store["wasps.emojiart"] = try folder.bytes("bees.emojiart")
    #expect(try await run(sync) == ["received wasps.emojiart"])
    // Another program begins with what the state folder knows, or without it.
    #expect(try await run(self.sync()) == [])
  }

  @Test("Y8 an object that is gone is written again, and a document that is gone is made again")
  func deleted() async throws {
    try folder.make()
    let sync = try sync()
    _ = try await run(sync)
    store["bees.emojiart"] = nil
    #expect(try await run(sync) == ["sent bees.emojiart"])
    try folder.remove("bees.emojiart")
    #expect(try await run(sync) == ["received bees.emojiart"])
    store.state.withLock { $0.hasBucket = false }
    for work in [{ try await sync.probe() }, { _ = try await self.run(sync) }]
      as [@Sendable () async throws -> Void]
    {
      let before = store.state.withLock(\.requests.count)
      await #expect { try await work() } throws: { ($0 as? ArtError)?.code == .noSuchDocument }
      #expect(store.state.withLock(\.requests.count) - before < 5)
    }
  }

  @Test("Y8 what another client has written first, and what the store has done without an answer, is merged")
  func contention() async throws {
    try folder.make()
    let sync = try sync()
    _ = try await run(sync)
    let base = try folder.bytes("bees.emojiart")
    try add(1)
    // Another client is faster.
    try folder.overwrite("other", base)
    try DocumentFile(folder["other"]).save([.add(try Emoji.one(x: 2))])
    let other = try folder.bytes("other")
    try folder.remove("other")
    store.state.withLock { [store] in $0.beforeWrite = { store["bees.emojiart"] = other } }
    #expect(try await run(sync) == ["merged bees.emojiart 1 true"])
    #expect(try places() == [1, 2])
    for (number, fault) in [MemoryStore.Fault.lost, .status(503), .status(409), .status(500), .status(412)]
      .enumerated()
    {
      try add(Double(10 + number))
      // The listing and the reading pass; the writing does not.
      store.state.withLock { $0.faults = [.status(503), fault, fault] }
      _ = try await run(sync)
      #expect(try store["bees.emojiart"] == folder.bytes("bees.emojiart"), "\(fault)")
    }
    store.state.withLock { $0.faults = Array(repeating: .status(503), count: 50) }
    await #expect(throws: ArtError.self, "a store that is busy for ever") { try await run(sync) }
  }

  @Test("Y8 a probe takes no passing fault for a store without conditions")
  func probing() async throws {
    let sync = try sync()
    for place in 0..<6 {
      for fault in [MemoryStore.Fault.lost, .status(503), .status(409), .status(429)] {
        store.state.withLock { $0.faults = Array(repeating: .none, count: place) + [fault] }
        try await sync.probe()
      }
    }
    #expect(store.names.isEmpty)
  }

  @Test(
    "Y8 nothing but an old probe of its own letters is removed, and no name that cannot be seen is carried")
  func hostileNames() async throws {
    try folder.make()
    let sync = try sync()
    let bees = try folder.bytes("bees.emojiart")
    let probe = ".emojiart-probe-1-0123456789ab"
    let others = [
      ".emojiart-probe-1-x/../../../evil", ".emojiart-probe-1-x/evil", ".emojiart-probe-1-..",
      ".emojiart-probe-1-\u{200B}",
    ]
    let invisible = ["\u{200B}", "bees\u{2060}", "\u{200C}", "\u{FEFF}bees"].map { $0 + ".emojiart" }
    let shown = "می\u{200C}خواهم.emojiart"
    for name in [probe, shown] + others + invisible { store[name] = bees }
    let told = try await run(sync)
    #expect(
      told.contains("received \(shown)") && told.contains { $0.hasPrefix("left out \(invisible.count)") },
      "\(told)")
    #expect(store[probe] == nil && others.allSatisfy { store[$0] == bees })
    #expect(!invisible.contains { access(folder[$0], F_OK) == 0 })
  }

  @Test("Y8 conflict copies and what is no document are not carried, and names are compared by their bytes")
  func names() async throws {
    let copy = "bees.sync-conflict-20261122-131350-GT4PTP5.emojiart"
    try folder.make()
    try folder.overwrite(copy, folder.bytes("bees.emojiart"))
    let sync = try sync()
    #expect(try await run(sync) == ["sent bees.emojiart"])
    store[copy] = try folder.bytes("bees.emojiart")
    store["bad.emojiart"] = Array("no document".utf8)
    store["a.txt"] = [1]
    #expect(try await run(sync) == ["failed bad.emojiart notADocument"])
    #expect(store["bad.emojiart"] == Array("no document".utf8))
    // With such a name, and yet a document of its own.
    try folder.make("ants.emojiart")
    let (ants, wasps) = (copy.replacing("bees", with: "ants"), copy.replacing("bees", with: "wasps"))
    try folder.make(ants)
    // What the document is may not be there for a moment.
    try folder.make(wasps)
    store["bad.emojiart"] = nil
    #expect(
      try await run(sync) == ["failed \(ants) badValue", "failed \(wasps) badValue", "sent ants.emojiart"])
    for name in [ants, wasps] { try folder.remove(name) }
    // The same name to Swift, and two files.
    let (composed, decomposed) = ("\u{E9}.emojiart", "e\u{301}.emojiart")
    for name in [composed, decomposed] { try folder.make(name) }
    #expect(try await run(sync).count == 2)
    #expect(store.names.count { $0.hasSuffix("\u{E9}.emojiart") } == 2)
  }
}

/// Links and twins.
extension BucketSyncTests {
  @Test(
    "Y16 a link is not carried, whosever it is: neither what it leads to is sent, nor is anything merged into it"
  )
  func links() async throws {
    try folder.make()
    try folder.make("private")
    let before = try folder.bytes("private")
    for (name, target) in [("link", "private"), ("none", "nowhere")] {
      try #require(symlink(folder[target], folder["\(name).emojiart"]) == 0)
    }
    let sync = try sync()
    #expect(
      try await run(sync)
        == ["failed link.emojiart notADocument", "failed none.emojiart noSuchDocument", "sent bees.emojiart"])
    #expect(store.names == ["bees.emojiart"])
    // An object of that name, with edits of the document behind the link.
    try folder.overwrite("other", before)
    try DocumentFile(folder["other"]).save([.add(try Emoji.one(x: 7))])
    for name in ["link", "none"] { store["\(name).emojiart"] = try folder.bytes("other") }
    #expect(
      try await run(sync) == ["failed link.emojiart notADocument", "failed none.emojiart noSuchDocument"])
    #expect(try folder.bytes("private") == before && FileIdentity(at: folder["nowhere"]) == nil)
  }

  @Test("Y17 an object whose name is the same text as that of a file, in other bytes, makes no document")
  func twins() async throws {
    let names = ["caf\u{E9}.emojiart", "cafe\u{301}.emojiart", "K.emojiart", "\u{212A}.emojiart"]
    try folder.make()
    for name in names { store[name] = try folder.bytes("bees.emojiart") }
    let sync = try sync()
    let first = try await run(sync)
    #expect(first.count { $0.hasPrefix("received") } == 2 && first.count { $0.hasSuffix(" exists") } == 2)
    #expect(folder.names.count == 3)
    #expect(try await run(sync).count { $0.hasSuffix(" exists") } == 2)
  }
}

/// Versions, and stores that lie.
extension BucketSyncTests {
  /// Names the state of a document's file.
  private func keepVersion(_ name: String, of path: String) throws {
    var random = SystemRandomNumberGenerator()
    let file = DocumentFile(path)
    let stamp = EditStamp(
      id: EditID(origin: Origin(using: &random), sequence: 1), time: 1_800_000_000_000, author: nil)
    _ = try file.keepVersion(named: name, stamp: stamp, in: try file.base().id)
  }

  private func versions(_ path: String) throws -> Set<String> {
    Set(try DocumentFile(path).versions().map(\.name))
  }

  @Test("Y8 a named version is sent without an edit, and two machines with a version each get both")
  func versions() async throws {
    try folder.make()
    let sync = try sync()
    _ = try await run(sync)
    try keepVersion("draft", of: folder["bees.emojiart"])
    #expect(try await run(sync) == ["merged bees.emojiart nothing true"])
    #expect(try store["bees.emojiart"] == folder.bytes("bees.emojiart"))
    // Another machine has one version more, and this one, too.
    try folder.overwrite("other", try #require(store["bees.emojiart"]))
    try keepVersion("theirs", of: folder["other"])
    store["bees.emojiart"] = try folder.bytes("other")
    try folder.remove("other")
    try keepVersion("ours", of: folder["bees.emojiart"])
    #expect(try await run(sync) == ["merged bees.emojiart 0 true"])
    #expect(try versions(folder["bees.emojiart"]) == ["draft", "ours", "theirs"])
    #expect(try store["bees.emojiart"] == folder.bytes("bees.emojiart"))
    // A program without the record finds it out, too, and a removed one is not brought back.
    let file = DocumentFile(folder["bees.emojiart"])
    _ = try file.removeVersion("draft", in: try file.base().id)
    #expect(try await run(self.sync()) == ["merged bees.emojiart nothing true"])
    #expect(try await run(self.sync()) == [])
  }

  @Test("Y8 copies that no merge makes equal are told, and neither is sent over the other one for ever")
  func unequal() async throws {
    try folder.make()
    try add(1)
    let sync = try sync()
    _ = try await run(sync)
    // The same edits, and another content: no program of ours writes such a file.
    try folder.overwrite("other", try #require(store["bees.emojiart"]))
    let other = DocumentFile(folder["other"])
    let emoji = try #require(try other.read().emojisInOrder().first)
    var moved = emoji
    moved.position = try Point(x: 77, y: 1)
    try other.edit { [moved] (transaction) throws(ArtError) in try transaction.update(emoji, to: moved) }
    let forged = try folder.bytes("other")
    store["bees.emojiart"] = forged
    try folder.remove("other")
    #expect(try await run(sync) == ["failed bees.emojiart parted"])
    #expect(store["bees.emojiart"] == forged)
    #expect(try await run(sync) == ["failed bees.emojiart parted"], "it is told each time")
  }

  @Test("Y7 a listing that does not end is given up")
  func endless() async throws {
    let sync = try sync()
    // Each page has another token. `scripts/dev torture attacks` has pages with objects.
    store.state.withLock { state in
      state.pages = {
        "<L><IsTruncated>true</IsTruncated><NextContinuationToken>\($0)</NextContinuationToken></L>"
      }
    }
    await #expect { _ = try await run(sync) } throws: { ($0 as? ArtError)?.code == .tooLarge }
    #expect(store.state.withLock(\.requests.count) < 110)
  }

  @Test("Y7 a store that lists objects which are not there is given up after a hundred of them")
  func gone() async throws {
    let sync = try sync()
    store.state.withLock { state in
      state.pages = { _ in
        "<L>"
          + (0..<2_000).map { "<Contents><Key>art/\($0).emojiart</Key><ETag>1</ETag></Contents>" }.joined()
          + "</L>"
      }
    }
    await #expect { _ = try await run(sync) } throws: { ($0 as? ArtError)?.code == .unavailable }
    #expect(store.state.withLock(\.requests.count) < 110)
  }

  @Test("Y8 a name that is not carried is told, in the folder and in the bucket")
  func hiddenNames() async throws {
    let hidden = [
      ".hidden.emojiart", "line\nbreak.emojiart", "escape\u{1B}[31m.emojiart", "turned\u{202E}.emojiart",
    ]
    for name in hidden {
      try folder.make("bees.emojiart")
      try folder.move("bees.emojiart", name)
    }
    let sync = try sync()
    #expect(try await run(sync) == hidden.map { "failed \($0) badValue" }.sorted())
    #expect(store.names.isEmpty)
    let bytes = try folder.bytes(hidden[0])
    for name in hidden { try folder.remove(name) }
    for name in hidden { store[name] = bytes }
    #expect(try await run(sync).map { $0.prefix(10) } == ["left out 4"])
    #expect(folder.names.isEmpty)
  }

  @Test("Y8 large documents are exchanged one at a time, and small ones beside each other")
  func budget() async throws {
    for number in 0..<8 { try folder.make("\(number).emojiart") }
    for (bytes, isSingle) in [(1, true), (16 << 20, false)] {
      store.state.withLock { state in (state.objects, state.mostRunning) = ([:], 0) }
      #expect(try await run(sync(bytesAtOnce: bytes)).count == 8)
      #expect((store.state.withLock(\.mostRunning) == 1) == isSingle)
    }
  }
}

/// Lines that several threads add.
private final class Lines: Sendable {
  private let lines = Mutex<[String]>([])
  func add(_ line: String) { lines.withLock { $0.append(line) } }
  var sorted: [String] { lines.withLock { $0.sorted() } }
}

/// A clock whose sleepers do not wait.
private struct InstantClock: Clock {
  typealias Instant = ContinuousClock.Instant
  var now: Instant { ContinuousClock().now }
  var minimumResolution: Duration { .zero }
  func sleep(until deadline: Instant, tolerance: Duration?) async throws { try Task.checkCancellation() }
}
