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

/// The examples of docs/LIBRARY.md, verbatim, for the compiler. Those that need a folder or the network are not run.
private enum LibraryExamples {
  static func folder() async throws {
    let folder = try await DocumentFolder.open("posters", isRecursive: true)
    for await event in folder.events() {
      if case .changed(let document, let change) = event { print(document, change.edits.map(\.title)) }
    }
  }

  static func document() async throws {
    let document = try await Document.open(DocumentFile("bees.emojiart"), author: "Ada")

    Task {
      for await event in document.events() { print(event) }
    }
    try await document.perform(.add([EmojiText("🐝")], at: .center, size: .standard))
    try await document.undo()
    try await document.close()
  }

  static func fetch(into document: Document) async throws {
    let fetch = BackgroundFetcher().fetch(
      BackgroundRequest(try BackgroundURL("https://example.org/meadow.jpg"), isUserInitiated: true))
    do {
      let picture = try await fetch.picture
      try await document.setBackground(picture, from: "https://example.org/meadow.jpg")
    } catch BackgroundFailure.refused(let refusal) {
      print(refusal.reason, refusal.detail)
    }
  }

  static func share() async throws {
    let workspace = try await Workspace.open("posters")
    let ada = try DocumentClient(author: "Ada", session: SessionID("5e55100n0001"))
    let session = try await workspace.open("bees.emojiart", as: ada)
    let (snapshot, events) = await session.follow()
    Task {
      var shown = snapshot.content
      for await case .document(.changed(let change)) in events where change.after > snapshot.version {
        shown.apply(change.effect)
      }
    }
    try await session.perform(.action(.add([EmojiText("🐝")], at: .center, size: .standard)))
    try await session.undo()
    try await session.close()
  }

  static func draw(_ document: Document) async throws -> Int {
    let scene = DrawingScene(await document.content, picture: nil)
    let drawing = Drawing(
      scene: scene, region: CanvasRect(scene.canvas), format: .png(try PixelSize(width: 1024, height: 768)),
      fonts: EmojiFont.find(nil))
    let (drawn, png) = try await Renderer().draw(drawing, limit: 64 << 20)
    print(drawn)
    return png.count
  }

  static func exchange(_ bytes: [UInt8], _ document: Document, to output: inout [UInt8]) async throws {
    let art = try bytes.withUnsafeBufferPointer { try ForeignArt(reading: $0) }
    print(art.dialect.rawValue, art.emojiCount, art.report.notes.map(\.text))
    try Dialect.emojiart2021b.write(await document.content, picture: nil) { piece in output += piece }
  }

  static func read() {
    do throws(ArtError) {
      let content = try DocumentFile("bees.emojiart").read()
      print(content.emojisInOrder().map(\.text))
    } catch {
      print(error.code, error.subject ?? "", error.cause)
    }
  }

  static func lines() throws {
    let line = Array(#"{"undo":1,"tag":"7"}"#.utf8)
    let request = try line.withUnsafeBufferPointer { try ProtocolRequest($0) }
    print(String(decoding: request?.line ?? [], as: UTF8.self))
  }

  static func names() {
    let found = EmojiNames.search(["honeybee"], limit: 5)
    print(found?.emojis.map(\.emoji) ?? [])
  }
}

/// Examples in Swift on pages, compared with a source that has them for the compiler.
struct CompiledExamples {
  /// The text of that source.
  let source: String

  init(in file: String = #filePath) throws {
    source = try String(contentsOf: URL(filePath: file), encoding: .utf8)
  }

  /// The examples of a page, in order.
  static func examples(in page: String) -> [String] {
    page.components(separatedBy: "```swift\n").dropFirst().compactMap {
      $0.components(separatedBy: "\n```").first
    }
  }

  /// Without blanks and line breaks, which differ in the source.
  private func plain(_ code: some Sequence<Character>) -> String { String(code.filter { !$0.isWhitespace }) }

  /// The parts of the examples that are not in the source.
  func missing(_ examples: [String]) -> [String] {
    let lines = Set(source.components(separatedBy: "\n"))
    let code = plain(source)
    return examples.flatMap { example in
      let parts = example.components(separatedBy: "\n")
      let imports = parts.filter { $0.hasPrefix("import ") }
      let rest = plain(parts.dropFirst(imports.count).joined())
      return imports.filter { !lines.contains($0) } + (code.contains(rest) ? [] : [example])
    }
  }
}

@Suite("The page of the libraries")
struct LibraryPageTests {
  @Test("the examples of LIBRARY.md are compiled verbatim")
  func examples() throws {
    let page = try String(contentsOf: Project.root.appending(path: "docs/LIBRARY.md"), encoding: .utf8)
    let examples = CompiledExamples.examples(in: page)
    let compiled = try CompiledExamples()
    #expect(examples.count == 9)
    #expect(compiled.missing(examples) == [])
    // The control: an example that is not compiled is found.
    let other = try #require(examples.last).replacingOccurrences(of: "limit:", with: "of:")
    #expect(
      compiled.missing(["import Nothing\n\n\(other)"]) == ["import Nothing", "import Nothing\n\n\(other)"])
  }

  @Test("the example of exchange reads one document and writes another")
  func exchange() async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "emojiart-library-\(UUID())").path
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { #expect(throws: Never.self) { try FileManager.default.removeItem(atPath: folder) } }
    let file = DocumentFile("\(folder)/bees.emojiart")
    var random = SystemRandomNumberGenerator()
    _ = try file.create(canvas: .standard, using: &random)
    let document = try await Document.open(file, journal: .none)
    try await document.perform(.add([EmojiText("🐝")], at: .center, size: .standard))
    let old = Project.fixtures.appending(path: "exchange/2017-url.emojiart")
    var output: [UInt8] = []
    try await LibraryExamples.exchange([UInt8](Data(contentsOf: old)), document, to: &output)
    try await document.close()
    #expect(
      String(decoding: output, as: UTF8.self)
        == #"{"background":{"blank":{}},"emojis":[{"id":1,"size":40,"text":"🐝","x":0,"y":0}],"uniqueEmojiId":1}"#
    )
  }
}
