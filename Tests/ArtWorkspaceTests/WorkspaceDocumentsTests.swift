// SPDX-License-Identifier: Apache-2.0

import ArtDocument
import ArtModel
import ArtStore
import ArtSystem
import Foundation
import TestSupport
import Testing

@testable import ArtWorkspace

@Suite("Whole documents of a workspace", .timeLimit(.minutes(5))) struct WorkspaceDocumentsTests {
  private let folder: WatchedFolder
  private let ada: DocumentClient

  init() throws {
    folder = try WatchedFolder()
    ada = try DocumentClient(author: "ada", session: SessionID(lowBits: 1))
  }

  private func open() async throws -> Workspace {
    var settings = WorkspaceSettings()
    settings.journal = .folder(folder.journals)
    settings.pending = .none
    settings.isRecursive = true
    settings.skipsHiddenFolders = true
    // Nothing but closing and asking saves.
    settings.autosave = AutosavePolicy(changes: 1_000, delay: .seconds(3_600))
    return try await Workspace.open(folder.path, settings)
  }

  private func bee() throws -> DocumentRequest {
    .action(.add([try EmojiText("🐝")], at: .point(x: 1, y: 2), size: .standard))
  }

  private var trash: Trash {
    Trash(home: folder["data/Trash"], time: { 1_800_000_000 }, topOf: { _ in nil })
  }

  private func refusal<Value>(_ work: () async throws -> Value) async -> ArtError.Code? {
    do {
      _ = try await work()
      return nil
    } catch {
      return (error as? ArtError)?.code
    }
  }

  @Test(
    "U15 a new document gets the first free name, and no path leads out of the folder or to a hidden file")
  func create() async throws {
    let workspace = try await open()
    let canvas = try Canvas(width: 1080, height: 1350)
    #expect(try await workspace.create("poster", canvas: canvas) == "poster.emojiart")
    #expect(try await workspace.create("poster.emojiart") == "poster 2.emojiart")
    #expect(try DocumentFile(folder["poster.emojiart"]).read().canvas == canvas)
    try await workspace.makeFolder("old")
    #expect(try await workspace.create("old/poster") == "old/poster.emojiart")
    #expect(try await workspace.folders(in: "") == ["old"])
    try #require(symlink(folder["old"], folder["link"]) == 0)
    try #require(mkdir(folder[".git"], 0o755) == 0)
    #expect(try await workspace.folders(in: "") == ["old"])
    for path in [
      "../out", "/tmp/out", "old/../../out", "", "link/out", ".hidden", "old/.hidden", "a/", "x\u{1B}[m",
    ] {
      #expect(await refusal { try await workspace.create(path) } == .badValue, "\(path)")
      #expect(await refusal { try await workspace.makeFolder(path) } == .badValue, "\(path)")
    }
    #expect(await refusal { try await workspace.create("none/poster") } == .noSuchDocument)
    #expect(await refusal { try await workspace.makeFolder("old") } == .exists)
    #expect(await refusal { try await workspace.folders(in: "..") } == .badValue)
    #expect(folder.names == ["old/poster.emojiart", "poster 2.emojiart", "poster.emojiart"])
    #expect(await workspace.close() == nil)
  }

  @Test(
    "U15 a folder that gives way to a link while a document is made in it gets the document, and not the link's folder"
  )
  func linkMeanwhile() async throws {
    let workspace = try await open()
    try await workspace.makeFolder("posters")
    try #require(mkdir(folder["../private"], 0o755) == 0)
    defer { rmdir(folder["../private"]) }
    let place = try await workspace.place("posters/poster")
    try #require(rename(folder["posters"], folder["away"]) == 0)
    try #require(symlink(folder["../private"], folder["posters"]) == 0)
    #expect(place.relative(place.path) == "posters/poster.emojiart")
    try place.named { () throws(ArtError) in
      try Documents(by: Recovery()).create(DocumentFile(place.path), canvas: nil)
    }
    #expect(access(folder["away/poster.emojiart"], F_OK) == 0)
    #expect(access(folder["../private/poster.emojiart"], F_OK) != 0)
    let error = #expect(throws: ArtError.self) {
      try place.named { () throws(ArtError) in
        try Documents(by: Recovery()).create(DocumentFile(place.path), canvas: nil)
      }
    }
    #expect(error?.cause == "posters/poster.emojiart exists already")
    for path in ["posters/x", "posters/poster.emojiart"] {
      #expect(await refusal { try await workspace.create(path) } == .badValue, "\(path)")
    }
    #expect(await refusal { try await workspace.folders(in: "posters") } == .badValue)
    #expect(await workspace.close() == nil)
  }

  @Test("U15 no session and no picture of a hidden document is opened")
  func hiddenDocuments() async throws {
    try folder.make()
    try #require(mkdir(folder[".hid"], 0o755) == 0)
    for name in [".hidden.emojiart", ".hid/bees.emojiart"] {
      try FileManager.default.copyItem(atPath: folder["bees.emojiart"], toPath: folder[name])
    }
    let workspace = try await open()
    for path in [".hidden.emojiart", ".hid/bees.emojiart", "../bees.emojiart", "bees"] {
      #expect(await refusal { try await workspace.open(path, as: ada) } == .badValue, "\(path)")
      #expect(await refusal { try workspace.file(path) } == .badValue, "\(path)")
    }
    #expect(await workspace.close() == nil)
  }

  @Test("U9 what opens a document ends without removing a newer one of the same file")
  func openings() throws {
    try folder.make()
    let file = try #require(FileIdentity(at: folder["bees.emojiart"]))
    var openings = Openings<String>()
    let first = openings.next
    openings.add("first", of: file)
    openings.remove(first, of: file)
    #expect(openings[file] == nil)
    let second = openings.next
    openings.add("second", of: file)
    // Who waited for the first one goes on only now.
    openings.remove(first, of: file)
    #expect(openings[file] == "second")
    openings.remove(second, of: file)
    #expect(openings[file] == nil)
  }

  @Test("U15 a copy, a template and a moved document have what their sessions have edited and not saved")
  func unsaved() async throws {
    try folder.make()
    let workspace = try await open()
    let recovery = workspace.recovery(by: "ada")
    let session = try await workspace.open("bees.emojiart", as: ada)
    let (_, events) = await session.follow()
    try await session.perform(bee())
    #expect(try await workspace.duplicate("bees.emojiart", by: recovery) == "bees copy.emojiart")
    try await session.perform(bee())
    #expect(try await workspace.create("ants", from: "bees.emojiart", by: recovery) == "ants.emojiart")
    try await session.perform(bee())
    #expect(try await workspace.rename("bees.emojiart", to: "wasps", by: recovery) == "wasps.emojiart")
    _ = try await events.elements(until: "the new path") { event in
      if case .moved(to: "wasps.emojiart") = event { true } else { false }
    }
    #expect(session.path == "wasps.emojiart")
    try await session.perform(bee())
    try await session.save()
    let counts = try ["bees copy", "ants", "wasps"].map {
      try DocumentFile(folder["\($0).emojiart"]).read().emojiCount
    }
    #expect(counts == [1, 2, 4])
    let template = try DocumentFile(folder["ants.emojiart"]).read()
    #expect(template.revision == 0 && template.log.isEmpty)
    let ids = try ["bees copy", "ants", "wasps"].map { try DocumentFile(folder["\($0).emojiart"]).read().id }
    #expect(Set(ids).count == 3)
    // The path is named as the workspace's callers know it.
    await #expect {
      try await workspace.rename("wasps.emojiart", to: "ants", by: recovery)
    } throws: { error in
      (error as? ArtError)?.code == .exists && (error as? ArtError)?.cause == "ants.emojiart exists already"
    }
    #expect(
      await refusal { try await workspace.rename("wasps.emojiart", to: "../ants", by: recovery) } == .badValue
    )
    #expect(session.path == "wasps.emojiart")
    let given = try await workspace.copy(of: "wasps.emojiart")
    try folder.overwrite("given.emojiart", given)
    #expect(try DocumentFile(folder["given.emojiart"]).read().emojiCount == 4)
    #expect(await workspace.close() == nil)
  }

  @Test("U8 a document that is deleted with unsaved edits comes back with them")
  func putBack() async throws {
    try folder.make()
    let workspace = try await open()
    let session = try await workspace.open("bees.emojiart", as: ada)
    try await session.perform(bee())
    let recovery = workspace.recovery(by: nil)
    let trashed = try await workspace.delete("bees.emojiart", by: recovery, into: trash)
    #expect(folder.names.filter { !$0.contains("Trash") }.isEmpty)
    #expect(try await workspace.putBack(trashed, by: recovery) == "bees.emojiart")
    #expect(try DocumentFile(folder["bees.emojiart"]).read().emojiCount == 1)
    #expect(await refusal { try await workspace.putBack(trashed, by: recovery) } != nil)
    #expect(await workspace.close() == nil)
  }

  @Test("U3 a file that is given as bytes becomes a document by what it is, or nothing is made")
  func uploads() async throws {
    let bees = try folder.make()
    try bees.addBee()
    let workspace = try await open()
    let own = try await workspace.add(
      UploadedFile(name: "C:\\art\\bees.emojiart", bytes: folder.bytes("bees.emojiart")), to: "")
    #expect(own.path == "bees 2.emojiart")
    #expect(try DocumentFile(folder["bees 2.emojiart"]).read().emojiCount == 1)
    let json =
      #"{"emojis":[{"text":"🐝","x":1,"y":2,"size":40,"id":1},{"text":"no emoji","x":1,"y":2,"size":40,"id":2}],"background":{"blank":{}}}"#
    try await workspace.makeFolder("old")
    let foreign = try await workspace.add(
      UploadedFile(name: "../meadow.json", bytes: Array(json.utf8)), to: "old")
    #expect(foreign.path == "old/meadow.emojiart" && foreign.report.notes.count == 1)
    #expect(try DocumentFile(folder["old/meadow.emojiart"]).read().emojiCount == 1)
    let names = folder.names
    for (name, bytes) in [
      ("notes.txt", Array("nothing".utf8)),
      ("cut.emojiart", Array(try folder.bytes("bees.emojiart").prefix(2_000))), ("empty", []),
      ("cut.png", [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]),
    ] {
      #expect(
        await refusal { try await workspace.add(UploadedFile(name: name, bytes: bytes), to: "") } != nil,
        "\(name)")
    }
    #expect(
      await refusal { try await workspace.add(UploadedFile(name: "bees", bytes: []), to: "..") } == .badValue)
    #expect(folder.names == names)
    #expect(await workspace.close() == nil)
  }

  @Test(
    "U15 the name of an uploaded file becomes one that documents may have",
    arguments: [
      ("bees.json", "bees"), ("/a/b/bees.emojiart", "bees"), ("..\\..\\bees", "bees"), (".hidden", "hidden"),
      ("...", "untitled"), ("", "untitled"),
      ("a\u{1B}[31m.png", "a[31m"), (" bees .png", "bees"),
      (String(repeating: "🐝", count: 90), String(repeating: "🐝", count: 50)),
    ])
  func stem(_ name: String, _ stem: String) { #expect(UploadedFile(name: name, bytes: []).stem == stem) }

  @Test("U16 hidden folders are not followed, and only so many folders are")
  func hidden() async throws {
    for name in [".trash", "a", "b"] { try #require(mkdir(folder[name], 0o755) == 0) }
    for name in [".trash/x", "a/x", "b/x"] { try folder.make("\(name).emojiart") }
    let workspace = try await open()
    #expect(await workspace.documents.map(\.path) == ["a/x.emojiart", "b/x.emojiart"])
    #expect(await workspace.documents(in: "a").map(\.path) == ["a/x.emojiart"])
    #expect(await workspace.documents(in: "").isEmpty)
    #expect(await workspace.close() == nil)
    var settings = WorkspaceSettings()
    settings.isRecursive = true
    settings.skipsHiddenFolders = true
    settings.mostFolders = 2
    settings.journal = .folder(folder.journals)
    let few = try await Workspace.open(folder.path, settings)
    #expect(await few.documents.count == 1)
    #expect(try #require(await few.degraded).contains("more than 2 folders"))
    #expect(await few.close() == nil)
  }

  @Test("K8 edits of killed programs are counted by their documents")
  func orphans() async throws {
    let file = try folder.make()
    try await folder.orphan(3, of: file)
    let workspace = try await open()
    #expect(workspace.orphanedEdits() == [try file.read().id: 3])
    let session = try await workspace.open("bees.emojiart", as: ada)
    #expect(await session.snapshot.content.emojiCount == 3)
    #expect(workspace.orphanedEdits().isEmpty)
    #expect(await workspace.close() == nil)
  }
}
