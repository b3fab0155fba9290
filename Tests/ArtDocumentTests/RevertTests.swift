// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtStore
import TestSupport
import Testing

@testable import ArtDocument

@Suite("Going back to a revision of an open document") struct RevertTests {
  private let folder: DocumentFolder
  private let ada: DocumentClient
  private let bob: DocumentClient

  init() throws {
    folder = try DocumentFolder()
    ada = try DocumentClient(author: "ada", session: SessionID(lowBits: 1))
    bob = try DocumentClient(author: "bob", session: SessionID(lowBits: 2))
  }

  private func open(_ file: DocumentFile) async throws -> Document {
    try await DocumentFolder.open(file, AutosavePolicy(changes: 10_000))
  }

  private func tag(_ text: String) throws -> RequestTag { try #require(RequestTag(text)) }

  private func places(_ content: DocumentContent) -> [Double] { content.emojisInOrder().map(\.position.x) }

  private func move(_ id: EmojiID, to x: Double) throws -> DocumentRequest {
    .edit(Edit(name: "move 🐝", changes: [.move(id, to: try Point(x: x, y: 0))]))
  }

  @Test("M40 a return to a revision is one edit of its client, one change, and is made once under its tag")
  func oneEdit() async throws {
    let file = try folder.make()
    let document = try await open(file)
    for x in 1...4 { try await document.perform(ClientRequest(.action(.bee(x: Double(x))), by: ada)) }
    try await document.save()
    let (snapshot, events) = await document.follow()
    let request = ClientRequest(.revert(to: 1), by: bob, tag: try tag("back"), since: .beginning)
    let answer = try await document.perform(request)
    let entry = try #require(answer.entries.first)
    #expect(answer.entries.count == 1 && answer.lost == [] && !answer.isRepeated)
    #expect(entry.edit.name == "back to revision 1" && entry.session == bob.session && entry.revision == 5)
    #expect(await places(document.content) == [1] && answer.unsaved == 1)
    #expect(try await document.content.looksLike(snapshot.content.content(at: 1)))
    #expect(try await document.perform(request).isRepeated)
    let changes = try await events.until { if case .changed = $0 { true } else { false } }
    guard case .changed(let change)? = changes.last else { return #expect(Bool(false), "\(changes)") }
    var followed = snapshot.content
    followed.apply(change.effect)
    #expect(change.cause == .edit && change.after == 5 && places(followed) == [1])
    // It outlives the program, and is undone by its client only.
    await document.abandon()
    let later = try await open(file)
    #expect(await places(later.content) == [1])
    try await later.undo(by: bob)
    #expect(await places(later.content) == [1, 2, 3, 4])
    try await later.close()
    #expect(try places(file.read()) == [1, 2, 3, 4] && file.check().faults == [])
  }

  @Test("M40 a return without effect makes no edit, and one that fails leaves no trace")
  func noEdit() async throws {
    let document = try await open(folder.make())
    for x in 1...3 { try await document.perform(.bee(x: Double(x))) }
    try await document.undo()
    let before = await document.snapshot
    for revision in [2, 4] {
      #expect(try await document.perform(ClientRequest(.revert(to: revision))).entries.isEmpty)
    }
    let other = EditID(origin: Origin(lowBits: 5), sequence: 1)
    for (request, code) in [
      (.revert(to: 5), .noSuchRevision), (.revert(to: -1), .noSuchRevision),
      (.revert(to: 1, head: other), .movedOn), (.group(name: "draw", [.revert(to: 1)]), .badValue),
    ] as [(DocumentRequest, ArtError.Code)] {
      let error = await #expect(throws: ArtError.self, "\(request)") {
        try await document.perform(ClientRequest(request))
      }
      #expect(error?.code == code, "\(request)")
    }
    let after = await document.snapshot
    #expect(after.content == before.content && after.version == before.version)
    try await document.close()
  }

  @Test("M21 a rebased return gives its values to its fields, and keeps what others did to all other fields")
  func rebased() async throws {
    let file = try folder.make()
    let document = try await open(file)
    for x in 1...2 { try await document.perform(.bee(x: Double(x))) }
    let bees = await document.content.emojisInOrder().map(\.id)
    try await document.perform(ClientRequest(move(bees[0], to: 10)))
    try await document.save()
    // Another program moves both, and this one does not know of it yet.
    let other = try await open(file)
    for bee in bees { try await other.perform(ClientRequest(move(bee, to: 99))) }
    try await other.close()
    try await document.perform(ClientRequest(.revert(to: 2)))
    let head = try #require(await document.content.head)
    try await document.save()
    let content = await document.content
    #expect(places(content) == [1, 99] && content.revision == 6 && content.head == head)
    #expect(content.log.last?.edit.name == "back to revision 2")
    try await document.undo()
    #expect(await places(document.content) == [99, 99])
    // What was revision 4 to the client is another edit by now.
    let error = await #expect(throws: ArtError.self) {
      try await document.perform(ClientRequest(.revert(to: 4, head: head)))
    }
    #expect(error?.code == .movedOn)
    #expect(try await document.perform(ClientRequest(.revert(to: 6, head: head))).entries.count == 1)
    #expect(await places(document.content) == [1, 99])
    try await document.close()
    #expect(try file.check().faults == [])
  }

  /// A version of a document's present state, with its art.
  private func keep(_ name: String, of file: DocumentFile) throws -> (NamedVersion, VersionContent) {
    var random = SystemRandomNumberGenerator()
    let stamp = EditStamp(id: EditID(origin: Origin(using: &random), sequence: 1), time: 1)
    _ = try file.keepVersion(named: name, stamp: stamp, in: file.base().id)
    return try file.version(name)
  }

  private func picture(_ number: UInt8) throws -> CheckedPicture {
    CheckedPicture(
      bytes: [UInt8](repeating: number, count: 100), mediaType: "image/png",
      size: try Canvas(width: 10, height: 20), isAnimated: false)
  }

  @Test(
    "M21 a rebased return to a version gives its values to its fields, and keeps what others did to all other fields"
  )
  func rebasedVersion() async throws {
    let file = try folder.make()
    let document = try await open(file)
    for x in 1...2 { try await document.perform(.bee(x: Double(x))) }
    try await document.save()
    let bees = await document.content.emojisInOrder().map(\.id)
    let (version, art) = try keep("draft", of: file)
    try await document.perform(ClientRequest(move(bees[0], to: 10)))
    try await document.save()
    // Another program moves both, and this one does not know of it yet.
    let other = try await open(file)
    for bee in bees { try await other.perform(ClientRequest(move(bee, to: 99))) }
    try await other.close()
    let request = ClientRequest(.revertToVersion(version, art, picture: nil), by: ada, tag: try tag("back"))
    let answer = try await document.perform(request)
    #expect(answer.entries.map(\.edit.name) == ["back to version \"draft\""] && answer.lost == [])
    try await document.save()
    let repeated = try await document.perform(request)
    #expect(repeated.isRepeated && repeated.entries.map(\.id) == answer.entries.map(\.id))
    #expect(await places(document.content) == [1, 99])
    try await document.undo(by: ada)
    #expect(await places(document.content) == [99, 99])
    try await document.close()
    #expect(try places(file.read()) == [99, 99] && file.check().faults == [])
  }

  @Test(
    "B19 a return to a version whose picture came into the file since the last refresh sets the background")
  func unknownPicture() async throws {
    let file = try folder.make()
    let document = try await Document.open(
      file, journal: .none, autosave: AutosavePolicy(changes: 10_000),
      refreshInterval: nil, clock: ManualClock())
    let other = try await open(file)
    try await other.setBackground(picture(1), from: "https://example.org/1.png")
    try await other.close()
    let (version, art) = try keep("draft", of: file)
    // One edit before, so that the edits of a save begin without the picture.
    try await document.perform(.bee())
    let digest = try #require(art.background?.digest)
    let answer = try await document.perform(
      ClientRequest(.revertToVersion(version, art, picture: digest)))
    #expect(answer.lost == [] && answer.entries.count == 1)
    #expect(await document.content.background?.digest == digest)
    try await document.close()
    let saved = try file.read()
    #expect(saved.background?.digest == digest && saved.pending == nil && saved.emojiCount == 0)
    #expect(saved.revision == 3 && saved.log.count == saved.revision)
    #expect(try file.background() != nil && file.check().faults == [])
  }

  @Test("B19 a return to a background that the file no longer keeps makes its URL pending")
  func lostBackground() async throws {
    let file = try folder.make()
    let document = try await open(file)
    for number in 1...6 {
      let picture = CheckedPicture(
        bytes: [UInt8](repeating: UInt8(number), count: 100), mediaType: "image/png",
        size: try Canvas(width: 10 + number, height: 20), isAnimated: false)
      try await document.setBackground(picture, from: "https://example.org/\(number).png")
    }
    let before = await document.content
    let kept = try await document.perform(ClientRequest(.revert(to: 4)))
    #expect(kept.lost == [])
    #expect(try await document.content.looksLike(before.content(at: 4)))
    try await document.undo()
    let answer = try await document.perform(ClientRequest(.revert(to: 1)))
    let first = try #require(try before.content(at: 1).background)
    #expect(answer.lost == [first] && answer.entries.count == 1)
    let content = await document.content
    #expect(content.background == nil && content.canvas == first.size)
    #expect(content.pending?.url == first.url && content.pending?.reason == "undo")
    try await document.undo()
    #expect(await document.content.looksLike(before))
    try await document.close()
    #expect(try file.read().looksLike(before) && file.background() != nil && file.check().faults == [])
  }

  @Test("M39 an open document reaches as far back as its log, which a save cuts as the file's")
  func reach() async throws {
    let file = try folder.make()
    let document = try await open(file)
    try await document.perform(.bee())
    let bee = try #require(await document.content.emojisInOrder().first).id
    let moves = try (2...1_150).map { try move(bee, to: Double($0)) }
    for answer in await document.perform(moves) { _ = try answer.get() }
    try await document.save()
    let (content, stored) = (await document.content, try file.read())
    let known = try content.reachableRevisions
    #expect(try known == stored.reachableRevisions && (1_000...1_064).contains(known.count - 1))
    for revision in [known.lowerBound, known.lowerBound + 1, 1_000, 1_149] {
      #expect(try places(content.content(at: revision)) == [Double(revision)])
      #expect(try stored.content(at: revision).looksLike(content.content(at: revision)))
    }
    let error = await #expect(throws: ArtError.self) {
      try await document.perform(ClientRequest(.revert(to: known.lowerBound - 1)))
    }
    #expect(error?.code == .noSuchRevision && error?.cause.contains("\(known.lowerBound)") == true)
    #expect(try await document.perform(ClientRequest(.revert(to: known.lowerBound))).entries.count == 1)
    #expect(await places(document.content) == [Double(known.lowerBound)])
    try await document.close()
  }
}
