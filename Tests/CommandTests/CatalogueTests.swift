// SPDX-License-Identifier: Apache-2.0

import ArtDocument
import ArtExchange
import ArtModel
import ArtNames
import ArtProtocol
import ArtStore
import ArtWorker
import ArtWorkspace
import Foundation
import Testing

/// The examples of the catalogues, verbatim, for the compiler. Those that need a folder or the network are not run.
private enum CatalogueExamples {
  static func model() throws {
    var random = SystemRandomNumberGenerator()
    var content = DocumentContent(id: DocumentID(using: &random), canvas: .standard)
    let action = Action.add([try EmojiText("🐝")], at: .center, size: .standard)
    let plan = try action.plan(on: content, using: &random)
    let applied = try content.apply(plan.edit.changes)
    print(content.emojiCount)
    // The inverse takes the edit back.
    _ = try content.apply(applied.inverse)
    print(content.emojiCount)
  }

  static func store() throws {
    let file = DocumentFile("bees.emojiart")
    var random = SystemRandomNumberGenerator()
    _ = try file.create(using: &random)
    var author = try Author(origin: Origin(using: &random), name: "Ada")
    let add = Action.add([try EmojiText("🐝")], at: .center, size: .standard)
    let performed = try file.perform(add, by: &author, at: WallClock.milliseconds())
    print(performed.revision, try file.read().emojiCount)
  }

  static func document() async throws {
    let document = try await Document.open(DocumentFile("bees.emojiart"), author: "Ada")
    let edit = try await document.perform(.add([EmojiText("🐝")], at: .center, size: .standard))
    print(edit?.title ?? "no change", await document.hasUnsavedChanges)
    try await document.undo()
    try await document.close()
  }

  static func workspace() async throws {
    let workspace = try await Workspace.open("posters")
    let client = try DocumentClient(author: "Ada", session: SessionID("5e55100n0001"))
    let session = try await workspace.open("bees.emojiart", as: client)
    try await session.perform(.action(.add([EmojiText("🐝")], at: .center, size: .standard)))
    print(await session.snapshot.content.emojiCount)
    try await session.close()
  }

  static func reply(to line: [UInt8], in session: Session) async throws -> [UInt8] {
    let request = try line.withUnsafeBufferPointer { try ProtocolRequest($0) }
    guard let request, let asked = request.documentRequest else { return [] }
    let answer = try await session.perform(
      asked, tag: request.tag?.requestTag, since: request.since)
    return ProtocolAnswer(.init(answer, to: request), tag: request.tag).line()
  }

  static func convert(_ bytes: [UInt8], to dialect: Dialect) throws -> [UInt8] {
    var random = SystemRandomNumberGenerator()
    let art = try bytes.withUnsafeBufferPointer { try ForeignArt(reading: $0) }
    let (content, report) = try art.content(
      picture: nil, digest: nil, url: nil, pending: nil, using: &random)
    print(content.emojiCount, report.emojisLeftOut)
    var output: [UInt8] = []
    try dialect.write(content, picture: nil) { piece in output += piece }
    return output
  }

  static func fetch() async throws {
    let fetch = BackgroundFetcher().fetch(
      BackgroundRequest(try BackgroundURL("https://example.org/meadow.jpg"), isUserInitiated: true))
    do {
      let picture = try await fetch.picture
      print(picture.size.width, picture.size.height)
    } catch BackgroundFailure.refused(let refusal) {
      print(refusal.reason, refusal.detail)
    }
  }

  static func names() {
    let found = EmojiNames.search(["bee"], limit: 3)
    for emoji in found?.emojis ?? [] { print(emoji.shortcode, emoji.emoji) }

    let german = EmojiNames.search(["Löwe"], in: .german, limit: 3)
    print(german?.emojis.first?.name ?? "")
  }
}

@Suite("The catalogues of the libraries")
struct CatalogueTests {
  private static let tutorial = Project.root.appending(path: "Sources/ArtWorkspace/ArtWorkspace.docc")

  @Test("A13 the examples of the catalogues are compiled verbatim")
  func examples() throws {
    let sources = Project.root.appending(path: "Sources")
    let pages = try FileManager.default.subpathsOfDirectory(atPath: sources.path)
      .filter { $0.contains(".docc/") && $0.hasSuffix(".md") }
    let examples = try pages.flatMap { page in
      CompiledExamples.examples(in: try String(contentsOf: sources.appending(path: page), encoding: .utf8))
    }
    #expect(examples.count >= 8)
    let compiled = try CompiledExamples(in: #filePath)
    #expect(compiled.missing(examples) == [])
    // The control: an example that is not compiled is found.
    let other = try #require(examples.first) + "\nother()"
    #expect(compiled.missing([other]) == [other])
  }

  @Test("A13 the tutorial's program prints what the tutorial says")
  func tutorialProgram() async throws {
    let run = try CommandRun()
    let script = run.place.appending(path: "tutorial")
    let program = try Project.built.deletingLastPathComponent().appending(path: "FollowADocument").path
    let commands = """
      emojiart new bees >/dev/null
      emojiart add bees 🐝 --at 100,100 >/dev/null
      '\(program)'
      emojiart history bees | grep -c 'move 🐝'
      """
    try Data(commands.utf8).write(to: script)
    let outcome = try await run.run(script: script)
    try run.remove()
    let printed = """
      🐝 is at 100.0,100.0
      Ada: move 🐝
        now at 160.0,80.0
      Ada: Undo move 🐝
        now at 100.0,100.0

      """
    #expect(outcome == CommandCase.Outcome(stdout: printed + "2\n"))
    let page = try String(
      contentsOf: Self.tutorial.appending(path: "FollowADocument.tutorial"), encoding: .utf8)
    for line in printed.split(separator: "\n") {
      #expect(page.contains("`\(line.trimmingCharacters(in: .whitespaces))`"), "the tutorial says \(line)")
    }
  }
}
