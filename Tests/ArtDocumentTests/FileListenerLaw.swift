// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtStore
import Foundation
import TestSupport
import Testing

@testable import ArtDocument

/// The law of `ListenerLaw` on a real file: this process has a document open, with listeners, while streams and commands of the
/// real program edit the same file and are killed.
///
///     Document + listeners ── save, refresh, abandon and open ──▶ bees.emojiart ◀── emojiart edit --json, add, undo, restore
///
/// The steps follow from the seed, but the moment at which a process saves does not.
final class FileListenerLaw {
  /// Counts of what was tried.
  struct Tally {
    var steps = 0
    var edits = 0
    var saves = 0
    var rebases = 0
    var adopted = 0
    var dropped = 0
    var othersLines = 0
    var commands = 0
    var kills = 0
    var openings = 0
    var resyncs = 0
    var checks = 0
    /// Listeners whose content differed from the document's.
    var broken = 0

    static func + (left: Tally, right: Tally) -> Tally {
      var sum = left
      for field in [
        \Tally.steps, \.edits, \.saves, \.rebases, \.adopted, \.dropped, \.othersLines, \.commands, \.kills,
        \.openings,
        \.resyncs, \.checks, \.broken,
      ] { sum[keyPath: field] += right[keyPath: field] }
      return sum
    }

    var text: String {
      """
      \(steps) steps: \(edits) changes heard, \(saves) saves, \(rebases) rebases, \(adopted) of others, \(dropped) edits \
      dropped, \(othersLines) lines to other processes and \(commands) commands, \(kills) of them killed, \(openings) openings, \
      \(resyncs) resyncs; \(checks) listeners compared, \(broken) wrong
      """
    }
  }

  private struct Follower {
    var listener: ListenerLaw.Listener
    var events: DocumentEvents.Iterator
  }

  private var random: SplitMix64
  private let folder: DocumentFolder
  private let file: DocumentFile
  private let program: String
  private let environment: [String: String]
  private let ids: [EmojiID]
  private let clients: [DocumentClient]
  private let reading: ListenerLaw.Reading
  private var document: Document
  private var followers: [Follower] = []
  private var streams: [SpawnedProgram] = []
  private(set) var tally = Tally()
  /// The first failure.
  private(set) var failure: String?

  init(seed: UInt64, reading: ListenerLaw.Reading = .effects) async throws {
    var random = SplitMix64(seed: seed)
    let ids = (0..<8).map { _ in EmojiID.random(using: &random) }
    clients = try [
      DocumentClient(author: "ada", session: SessionID(using: &random)),
      DocumentClient(author: "bob", session: SessionID(using: &random)),
    ]
    self.ids = ids
    self.reading = reading
    folder = try DocumentFolder()
    file = DocumentFile(try folder.make().path, timeout: .seconds(60))
    let own = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
    let variables = ProcessInfo.processInfo.environment
    program = variables["EMOJIART_BINARY"] ?? own.appendingPathComponent("emojiart").path
    environment = variables.merging(
      ["EMOJIART_STATE": folder.path + "/state", "TMPDIR": folder.path]) { $1 }
    document = try await Self.open(file, folder)
    self.random = random
    try await document.perform(
      Edit(name: "begin", changes: ids.map { .add(try Self.emoji($0, x: 1, y: 1)) }))
    try await document.save()
    for _ in 0..<3 { await follow() }
    for _ in 0..<2 { try startStream() }
  }

  deinit { for stream in streams { stream.kill() } }

  /// Opens the document as the program does: its journal is in the folder that the other processes use.
  private static func open(_ file: DocumentFile, _ folder: DocumentFolder) async throws -> Document {
    try await Document.open(
      file, journal: .folder(JournalFolder(folder.path + "/state/journal")),
      autosave: AutosavePolicy(changes: 1_000_000, delay: .seconds(3_600)), refreshInterval: nil,
      clock: ManualClock())
  }

  /// Plays the given number of steps, and compares every listener at the end.
  func play(_ steps: Int) async throws {
    for _ in 0..<steps where failure == nil || reading == .edits {
      tally.steps += 1
      try await step()
    }
    for stream in streams { stream.endInput() }
    for stream in streams {
      while try await lines(of: stream) != nil {}
      let status = try stream.wait()
      if status != 0 { fail("a stream ends with \(status.map(String.init) ?? "a signal")") }
    }
    streams = []
    // No edit is made meanwhile, which would need another save.
    try await document.save()
    _ = await document.refresh()
    for index in followers.indices { try await check(index) }
    let (content, stored) = (await document.content, try file.read())
    if !content.looksLike(stored) {
      let difference = ContentEffect(from: stored, to: content)
      fail(
        "the file lacks in the end: \(difference); revisions \(content.revision), \(stored.revision), state \(await document.state)"
      )
    }
    if try !file.check().faults.isEmpty { fail("the file is damaged: \(try file.check().faults)") }
    try await document.close()
  }

  private func below(_ count: Int) -> Int { random.below(count) }
  private func fail(_ what: String) { failure = failure ?? "step \(tally.steps): \(what)" }

  // MARK: Steps

  private func step() async throws {
    switch below(40) {
    case 0...10: try await edit()
    case 11...12: await perform([ClientRequest(below(3) == 0 ? .redo(1) : .undo(1), by: clients[below(2)])])
    case 13...15: try await save()
    case 16...18: await refresh()
    case 19...22: try await others(waiting: true)
    case 23...24: try await others(waiting: false)
    case 25: try await killStream()
    case 26: try await command()
    case 27: if below(4) == 0 { try await openAgain() }
    case 28: await follow()
    case 29: if followers.count > 1 { followers.removeFirst() }
    default: try await check(below(followers.count))
    }
  }

  private func follow() async {
    let capacity = [3, 1_000][below(2)]
    let (snapshot, events) = await document.follow(capacity: capacity)
    followers.append(
      Follower(
        listener: ListenerLaw.Listener(snapshot, capacity: capacity), events: events.makeAsyncIterator()))
    if followers.count > 6 { followers.removeFirst() }
  }

  /// A listener applies its pending events. All events up to a snapshot's version were sent before the snapshot was taken.
  private func check(_ index: Int) async throws {
    let snapshot = await document.snapshot
    let document = document
    var received = followers[index].listener.version
    while received < snapshot.version {
      guard let event = await followers[index].events.next() else {
        return fail("a listener has ended at version \(received) of \(snapshot.version)")
      }
      followers[index].listener.waiting.append(event)
      count(event)
      received = max(received, event.version ?? received)
    }
    let (fits, resyncs) = followers[index].listener.catchUp(reading, now: snapshot)
    let listener = followers[index].listener
    tally.checks += 1
    tally.resyncs += resyncs
    guard await document.version == snapshot.version else { return fail("the content changes by itself") }
    guard !fits || listener.version != snapshot.version || !listener.content.looksLike(snapshot.content)
    else {
      return
    }
    tally.broken += 1
    let difference = ContentEffect(from: listener.content, to: snapshot.content)
    fail("version \(listener.version) of \(snapshot.version): \(difference)")
    // The control continues from the correct content.
    followers[index].listener = ListenerLaw.Listener(snapshot, capacity: listener.capacity)
  }

  private func count(_ event: DocumentEvent) {
    switch event {
    case .changed(let change):
      tally.edits += 1
      if change.cause == .rebase { tally.rebases += 1 }
      if !change.cause.isOwn { tally.adopted += 1 }
    case .dropped: tally.dropped += 1
    case .state, .saved, .setAside, .resync, .renamed, .repeated: break
    }
  }

  // MARK: This process

  private static func emoji(_ id: EmojiID, x: Int, y: Int) throws -> Emoji {
    Emoji(
      id: id, text: try EmojiText("🐝"), position: try Point(x: Double(x), y: Double(y)),
      size: try FontSize(Double(10 + x)), z: y)
  }

  private func change() throws -> Change {
    let emoji = try Self.emoji(ids[below(ids.count)], x: below(9), y: below(9))
    switch below(11) {
    case 0: return .add(emoji)
    case 1: return .remove(emoji.id)
    case 2...4: return .move(emoji.id, to: emoji.position)
    case 5: return .resize(emoji.id, to: emoji.size)
    case 6: return .setText(emoji.id, to: try EmojiText(["🐝", "🌸", "🐛"][below(3)]))
    case 7: return .order(emoji.id, to: emoji.z)
    case 8: return .rotate(emoji.id, to: try Rotation(degrees: Double(below(360))))
    case 9: return .setFill(Color(red: UInt8(below(256)), green: 0, blue: 0))
    default: return .setCanvas(try Canvas(width: 1 + below(900), height: 1 + below(900)))
    }
  }

  private func edit() async throws {
    var requests: [ClientRequest] = []
    for _ in 0...below(3) {
      var changes: [Change] = []
      for _ in 0...below(3) { changes.append(try change()) }
      requests.append(ClientRequest(.edit(Edit(name: "edit", changes: changes)), by: clients[below(2)]))
    }
    await perform(requests)
  }

  /// A request that does not fit the content is refused.
  private func perform(_ requests: [ClientRequest]) async { _ = await document.perform(requests) }

  /// Saves; in half of the cases edits are made while the save runs.
  private func save() async throws {
    tally.saves += 1
    let document = document
    let saving = Task<Void, any Error> { try await document.save() }
    if below(2) == 0 { try await edit() }
    try await saving.value
  }

  private func refresh() async { _ = await document.refresh() }

  /// Abandons or closes the document, and opens it again.
  private func openAgain() async throws {
    tally.openings += 1
    for index in followers.indices { try await check(index) }
    followers = []
    if below(2) == 0 { await document.abandon() } else { try await document.close() }
    document = try await Self.open(file, folder)
    for _ in 0..<2 { await follow() }
  }

  // MARK: Other processes

  private func startStream() throws {
    streams.append(try start(["edit", file.path, "--json", "--autosave-changes", "\(1 + below(4))"]))
  }

  private func start(_ words: [String]) throws -> SpawnedProgram {
    try SpawnedProgram(program, words, environment: environment, errors: folder.path + "/errors")
  }

  private func line() -> String {
    let id = ids[below(ids.count)]
    switch below(10) {
    case 0: return #"{"add":{"text":"🐛","x":\#(below(99)),"y":1}}"#
    case 1: return #"{"remove":{"ref":"\#(id)"}}"#
    case 2: return #"{"undo":1}"#
    case 3: return #"{"order":{"ref":"\#(id)","front":true}}"#
    case 4...5: return #"{"resize":{"ref":"\#(id)","to":\#(10 + below(40))}}"#
    default: return #"{"move":{"ref":"\#(id)","to":[\#(below(9)),\#(below(9))]}}"#
    }
  }

  /// Another process edits. With `waiting` this returns when the requested save is done, otherwise at once.
  private func others(waiting: Bool) async throws {
    let stream = streams[below(streams.count)]
    let lines = (0...below(4)).map { _ in line() }
    tally.othersLines += lines.count
    let tag = "step-\(tally.steps)"
    let text = lines + [#"{"save":true,"tag":"\#(tag)"}"#]
    stream.send(Array(text.map { $0 + "\n" }.joined().utf8))
    guard waiting else { return }
    while let received = try await self.lines(of: stream) {
      if received.contains(where: { $0.contains(tag) }) { return }
    }
    fail("a stream has ended by itself: \(try errors())")
  }

  private func killStream() async throws {
    let stream = streams.remove(at: below(streams.count))
    stream.send(Array((0..<20).map { _ in line() + "\n" }.joined().utf8))
    usleep(UInt32(below(5_000)))
    stream.kill()
    while try await lines(of: stream) != nil {}
    if try stream.wait() == nil { tally.kills += 1 }
    try startStream()
  }

  /// Runs a command, and kills it in one of four cases.
  private func command() async throws {
    let words = [
      ["add", file.path, "🌼"], ["undo", file.path], ["restore", file.path],
      ["move", file.path, "--all", "--by", "1,0"],
    ][below(4)]
    let child = try start(words)
    tally.commands += 1
    if below(4) == 0 {
      usleep(UInt32(below(20_000)))
      child.kill()
    }
    child.endInput()
    while try await lines(of: child) != nil {}
    guard let status = try child.wait() else { return tally.kills += 1 }
    // An undo may find nothing to undo.
    if status != 0, words[0] != "undo" { fail("\(words[0]) ends with \(status): \(try errors())") }
  }

  private func lines(of program: SpawnedProgram) async throws -> [String]? {
    nonisolated(unsafe) let program = program
    return try await onThread { try program.lines() }
  }

  private func errors() throws -> String {
    String(
      decoding: try Data(contentsOf: URL(fileURLWithPath: folder.path + "/errors")).suffix(500), as: UTF8.self
    )
  }
}

@Suite("Events add up to a document that other processes edit", .timeLimit(.minutes(30)))
struct FileListenerLawTests {
  @Test(
    "D17 a snapshot with the later changes equals the content of a real file that other processes edit while they are killed"
  )
  func law() async throws {
    let campaign = Campaign("listeners-of-files", smoke: 150)
    var tally = FileListenerLaw.Tally()
    while tally.steps < campaign.count {
      // The seed of an episode is the number of its first step.
      let seed = campaign.seed + UInt64(tally.steps)
      let law = try await FileListenerLaw(seed: seed)
      try await law.play(min(500, campaign.count - tally.steps))
      tally = tally + law.tally
      #expect(law.failure == nil, "seed \(seed)")
      if law.failure != nil { break }
    }
    print("D17 law of files from seed \(campaign.seed): \(tally.text)")
    campaign.report(tried: tally.steps)
    #expect(tally.broken == 0 && tally.steps == campaign.count)
    #expect(tally.adopted > 0 && tally.rebases > 0)
    if campaign.count >= 1_000 { #expect(tally.kills > 0 && tally.resyncs > 0 && tally.openings > 0) }
  }

  @Test("D17 a listener that applies edits instead of effects ends with wrong content, also with a real file")
  func control() async throws {
    let law = try await FileListenerLaw(seed: 1, reading: .edits)
    try await law.play(200)
    print("D17 control of files: \(law.tally.text)")
    #expect(law.tally.broken > 0)
  }
}
