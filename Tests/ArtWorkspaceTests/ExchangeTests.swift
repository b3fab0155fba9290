// SPDX-License-Identifier: Apache-2.0

import ArtExchange
import ArtModel
import ArtStore
import ArtSystem
import ArtWorker
import Foundation
import Testing

@testable import ArtWorkspace

@Suite("Import and export as use cases") struct ExchangeTests {
  private let watched: WatchedFolder

  init() throws {
    watched = try WatchedFolder()
    for folder in ["old", "new"] { mkdir(watched[folder], 0o700) }
  }

  private func put(_ text: String, _ name: String) throws {
    try watched.overwrite("old/\(name)", Array(text.utf8))
  }

  private func importer(
    _ list: ImportList, _ options: ImportOptions = ImportOptions(), _ transfer: CannedTransfer? = nil
  ) throws -> Importer<CannedTransfer> {
    Importer(list, options, transfer: try transfer ?? .picture())
  }

  private func list() -> ImportList {
    var list = ImportList(folder: watched["new"], isRecursive: false)
    list.addFolder(watched["old"])
    return list
  }

  /// The failure of an import.
  private func failure<Value>(_ body: () throws -> Value) -> ImportFailure? {
    do { _ = try body() } catch { return error as? ImportFailure }
    return nil
  }

  @Test(
    "U3 an import makes a whole document of each source or none, and reports why a source gives none")
  func sources() throws {
    try put(#"{"emojis":[{"text":"🐝","x":1,"y":2,"size":30}]}"#, "bees.json")
    try put("{", "bad.json")
    try put("no art", "notes")
    try watched.make("old/own.emojiart")
    var importer = try importer(list())
    var failed: [String: ArtError.Code] = [:]
    var made: [ImportedDocument] = []
    for source in list().sources {
      do {
        guard let foreign = try importer.read(source) else { continue }
        made.append(try importer.make(foreign, from: source))
      } catch ImportFailure.failed(let error) {
        failed[FilePath(source.name).name] = error.code
        importer.tally.addFailure(error.code)
      }
    }
    #expect(failed == ["bad.json": .badJSON] && made.map(\.found) == [1])
    #expect(
      made.first?.path == watched["new/bees.emojiart"] && made.first?.source == watched["old/bees.json"])
    #expect(try DocumentFile(watched["new/bees.emojiart"]).read().emojiCount == 1)
    let tally = importer.tally
    #expect(tally.documents == 1 && tally.failures == 1 && tally.firstFailure == .badJSON)
    #expect(tally.own == 1 && tally.others.count == 1 && tally.emojis == 1 && tally.emojisFound == 1)
    // A fetch that is cancelled.
    try put(#"{"emojis":[],"url":"https://example.org/a.png"}"#, "late.json")
    var failing = try self.importer(
      list(), ImportOptions(), CannedTransfer { _ in throw CancellationError() })
    let late = try #require(list().sources.first { FilePath($0.name).name == "late.json" })
    let foreign = try #require(try failing.read(late))
    #expect(throws: CancellationError.self) { try failing.make(foreign, from: late) }
    #expect(watched.everything.filter { $0.hasPrefix("new/") } == ["new/bees.emojiart"])
  }

  @Test("U3 an import may demand that something, or everything, is imported; else no document is made")
  func demands() throws {
    let sources: [(json: String, fails: Set<String>)] = [
      (#"{"emojis":[{"text":"🐝","x":1,"y":2,"size":30}]}"#, []), (#"{"emojis":[]}"#, []),
      (#"{"emojis":[{"text":"🐝","x":1,"y":2,"size":30},{"text":"🐝"}]}"#, ["everything"]),
      (#"{"emojis":[{"text":"🐝"}]}"#, ["something", "everything"]),
      (#"{"emojis":[{"text":"🐝"}],"url":"https://example.org/a.png"}"#, ["everything"]),
      (#"{"emojis":[],"url":"https://example.org/a.png"}"#, []),
      (#"{"emojis":[],"url":"data:image/png;base64,AAAA"}"#, ["something", "everything"]),
      (#"{"emojis":[],"url":"ftp://example.org/a.png"}"#, ["something", "everything"]),
      (#"{"emojis":[],"background":{"imageData":"AAAA"}}"#, ["something", "everything"]),
      (#"{"emojis":[{"text":"🐝","x":1,"y":2,"size":30}],"url":"ftp://a.org/a.png"}"#, ["everything"]),
    ]
    for (json, fails) in sources {
      try put(json, "bees.json")
      // These bytes are none of a picture.
      let transfer = try json.contains("AAAA") ? CannedTransfer.refusal(.notAnImage) : .picture()
      for demand in [ImportDemand.anything, .something, .everything] {
        var importer = try importer(list(), ImportOptions(demand: demand), transfer)
        let source = try #require(list().sources.first)
        let foreign = try #require(try importer.read(source))
        let failure = failure { try importer.make(foreign, from: source) }
        let isRefused = if case .incomplete? = failure { true } else { false }
        #expect(isRefused == fails.contains("\(demand)"), "\(json) \(demand)")
        #expect(watched.names.contains("new/bees.emojiart") == !isRefused)
        if !isRefused { try watched.remove("new/bees.emojiart") }
      }
    }
  }

  @Test("U3 an import says what a file is that is no JSON")
  func otherSources() throws {
    let files: [([UInt8], OtherSource?)] = [
      ([0x89, 0x50, 0x4E, 0x47, 0x0D], .picture), ([0xFF, 0xD8, 0xFF, 0xE0], .picture),
      (Array("RIFF\0\0\0\0WEBPVP8 ".utf8), .picture), (Array("\0\0\0\u{1c}ftypavif".utf8), .picture),
      (Array("<?xml version=\"1.0\"?>\n<svg xmlns=\"x\"/>".utf8), .svg), (Array("<html>".utf8), .text),
      (Array("\n```json\n{}\n```".utf8), .fencedJSON), (Array("[{\"text\":\"🐝\"}]".utf8), .list),
      (Array("hello".utf8), .text), (Array("\u{feff}hello".utf8), .text), (Array("{\"emojis\":[}".utf8), nil),
      ([], nil), ([1, 2, 3], nil), (Array("  ".utf8), nil),
    ]
    for (bytes, kind) in files { #expect(OtherSource(bytes) == kind, "\(bytes.prefix(20))") }
    try put("[1]", "list.json")
    // One that was named: a list in a folder is passed over.
    var named = ImportList(folder: watched["new"], isRecursive: false)
    named.addFile(watched["old/list.json"])
    var importer = try importer(named)
    let source = try #require(named.sources.first)
    let failure = failure { try importer.read(source) }
    guard case .isOther(.list, let error)? = failure else {
      Issue.record("\(String(describing: failure))")
      return
    }
    #expect(error.code == .notADocument)
  }

  @Test("U3 an import leaves an existing file at its target, and fetches nothing for it")
  func inTheWay() throws {
    try put(#"{"emojis":[],"image":"https://example.org/a.png"}"#, "bees.json")
    try watched.make("new/bees.emojiart")
    let before = try watched.bytes("new/bees.emojiart")
    let unexpected = CannedTransfer { _ in throw ArtError(.unavailable, "it was fetched for") }
    var importer = try importer(list(), ImportOptions(), unexpected)
    let source = try #require(list().sources.first)
    let foreign = try #require(try importer.read(source))
    #expect(
      failure { try importer.make(foreign, from: source) } == .targetExists(watched["new/bees.emojiart"]))
    let unnamed = ImportSource(watched["old/bees.json"], target: watched["new/.."])
    #expect(failure { try importer.make(foreign, from: unnamed) } == .badName(watched["new/.."]))
    try put("", "file")
    let below = ImportSource(watched["old/bees.json"], target: watched["old/file/a.emojiart"])
    #expect(
      failure { try self.importer(list(), ImportOptions(isOffline: true)).making(foreign, below) }
        == .noFolder(watched["old/file"]))
    #expect(
      failure { try importer.read(ImportSource(watched["new/bees.emojiart"], target: "x")) }
        == .isDocument(watched["new/bees.emojiart"]))
    #expect(try watched.bytes("new/bees.emojiart") == before)
  }

  @Test("U3 an import whose background is refused has its emoji, and the refusal in its report")
  func refusedBackground() throws {
    try put(
      #"{"emojis":[{"text":"🐝","x":1,"y":2,"size":30}],"url":"https://example.org/a.png"}"#, "bees.json")
    let source = try #require(list().sources.first)
    let options = ImportOptions { $0.reason == .notAllowed ? "as the front end says" : nil }
    for (reason, isPending) in [(Refusal.Reason.notAllowed, false), (.dns, true)] {
      var importer = try importer(list(), options, .refusal(reason))
      let foreign = try #require(try importer.read(source))
      let document = try importer.make(foreign, from: source)
      #expect((document.refusal == nil) == isPending && (document.content.pending != nil) == isPending)
      #expect(document.report.notes.contains { $0.text.contains(reason.rawValue) })
      #expect(document.report.notes.contains { $0.text.contains("as the front end says") } == !isPending)
      #expect(try DocumentFile(document.path).read().emojiCount == 1)
      try watched.remove("new/bees.emojiart")
    }
    var offline = try importer(list(), ImportOptions(isOffline: true), .refusal(.status))
    let foreign = try #require(try offline.read(source))
    #expect(try offline.make(foreign, from: source).content.pending?.reason == "offline")
  }

  @Test(
    "X4 a document that is exported as our own JSON, with orphaned edits, and imported again is the same but for its id and log"
  )
  func roundTrip() async throws {
    let file = try watched.make()
    try file.addBee()
    try file.want("https://example.org/later.png")
    try await watched.orphan(2, of: file)
    let exporter = try Exporter(file, as: .json, recovery: watched.recovery())
    #expect(exporter.emojiCount == 3 && exporter.report.notes.isEmpty)
    try exporter.write(to: OutputFile(exporter.location(watched["old/bees.json"])))
    var importer = try importer(list())
    let source = try #require(list().sources.first)
    let document = try importer.make(try #require(try importer.read(source)), from: source)
    let (imported, exported) = (try DocumentFile(document.path).read(), exporter.view.content)
    #expect(imported.canvas == exported.canvas && imported.background == exported.background)
    #expect(imported.pending == exported.pending && imported.pending != nil)
    #expect(values(imported) == values(exported) && imported.emojiCount == 3)
    #expect(imported.looksLike(document.content))
    #expect(imported.id != exported.id && imported.revision == 0 && imported.log.isEmpty)
    // An export replaces only a file that is an exported document.
    try exporter.write(to: OutputFile(exporter.location(watched["old/bees.json"])))
    try put(#"{"ports":[80]}"#, "other.json")
    #expect(code { try exporter.location(watched["old/other.json"]) } == .exists)
  }
}

/// The emoji from bottom to top, without the numbers of their z-order: an import gives them new ones.
private func values(_ content: DocumentContent) -> [String] {
  content.emojisInOrder().map { "\($0.id) \($0.text) \($0.position) \($0.size)" }
}

extension Importer {
  /// The document that a copy of this importer makes.
  fileprivate func making(_ foreign: ForeignArt, _ source: ImportSource) throws -> ImportedDocument {
    var importer = self
    return try importer.make(foreign, from: source)
  }
}
