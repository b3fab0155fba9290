// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtStore
import ArtSystem
import Foundation
import TestSupport
import Testing

@testable import ArtWorkspace

@Suite("Names that are the same text in other bytes") struct TypedPathTests {
  private let watched: WatchedFolder

  init() throws { watched = try WatchedFolder() }

  /// é as one scalar, and as two.
  private static let (composed, decomposed) = ("caf\u{E9}.emojiart", "cafe\u{301}.emojiart")
  private static let pairs = [
    (composed, decomposed), ("\u{AC00}.emojiart", "\u{1100}\u{1161}.emojiart"),
    ("K.emojiart", "\u{212A}.emojiart"),
  ]

  private var documents: Documents { Documents(by: watched.recovery()) }

  private var trash: Trash {
    Trash(home: watched["data/Trash"], time: { 1_800_000_000 }, topOf: { _ in nil })
  }

  private func isExisting(_ typed: String, _ name: String) throws -> Bool {
    FilePath(try TypedPath.existing(watched[typed])) == FilePath(watched[name])
  }

  private func exists(_ name: String) -> Bool { FileIdentity(at: watched[name]) != nil }

  @Test("C12 a typed name means the file with its bytes, else the one with its text", arguments: pairs)
  func existing(one: String, other: String) throws {
    for (there, typed) in [(one, other), (other, one)] {
      let watched = try WatchedFolder()
      try watched.make(there)
      #expect(FilePath(try TypedPath.existing(watched[typed])) == FilePath(watched[there]))
      try watched.make(typed)
      #expect(FilePath(try TypedPath.existing(watched[typed])) == FilePath(watched[typed]))
      #expect(FilePath(try TypedPath.existing(watched[there])) == FilePath(watched[there]))
    }
  }

  @Test("C12 a typed name with several files of its text is refused, with their names told apart")
  func several() throws {
    try watched.make("\u{C5}.emojiart")
    try watched.make("A\u{30A}.emojiart")
    let error = #expect(throws: ArtError.self) { try TypedPath.existing(watched["\u{212B}.emojiart"]) }
    #expect(error?.code == .ambiguous)
    #expect(error?.cause.contains(#"A\u{30A}.emojiart, \u{C5}.emojiart"#) == true)
  }

  @Test("C12 the folders of a typed path are found by their text, too")
  func folders() throws {
    try #require(mkdir(watched["cafe\u{301}"], 0o755) == 0)
    try watched.make("cafe\u{301}/bees.emojiart")
    #expect(try isExisting("caf\u{E9}/bees.emojiart", "cafe\u{301}/bees.emojiart"))
    #expect(
      FilePath(try TypedPath.inExistingFolder(watched["caf\u{E9}/new.emojiart"]))
        == FilePath(watched["cafe\u{301}/new.emojiart"]))
    #expect(try isExisting("nowhere/bees.emojiart", "nowhere/bees.emojiart"))
  }

  @Test("C13 no document is made under a name that is the text of another one", arguments: pairs)
  func twins(one: String, other: String) async throws {
    for (there, new) in [(one, other), (other, one)] {
      let watched = try WatchedFolder()
      let documents = Documents(by: watched.recovery())
      let file = try watched.make(there)
      let bees = try watched.make("bees.emojiart")
      let twin = DocumentFile(watched[new])
      let before = watched.everything
      let error = #expect(throws: ArtError.self) { try documents.create(twin) }
      #expect(error?.code == .exists && error?.cause.contains("in another spelling of Unicode") == true)
      #expect(code { try documents.create(twin, from: bees) } == .exists)
      #expect(code { try documents.duplicate(bees, as: twin) } == .exists)
      #expect(code { try documents.rename(bees, to: twin.path) } == .exists)
      try await watched.orphan(1, of: bees)
      var importer = Importer(
        ImportList(folder: watched.path, isRecursive: false), transfer: try CannedTransfer.picture())
      let foreign = try #require(
        try importer.read(
          .bytes(name: "stdin", target: twin.path),
          bytes: SourceBytes(sniffing: Array(#"{"emojis":[]}"#.utf8))))
      #expect(throws: ImportFailure.self) {
        try importer.make(foreign, from: .bytes(name: "stdin", target: twin.path))
      }
      #expect(watched.everything.filter { !$0.hasPrefix("state") } == before)
      // Its own name in the other spelling is free.
      let moved = try documents.rename(file, to: twin.path)
      #expect(FilePath(moved.path) == FilePath(twin.path))
      #expect(FileIdentity(at: watched[there]) == nil && FileIdentity(at: watched[new]) != nil)
      // Also in a workspace, which holds the folder open and names its files by that.
      var settings = WorkspaceSettings()
      settings.journal = .folder(watched.journals)
      settings.pending = .none
      let workspace = try await Workspace.open(watched.path, settings)
      #expect(try await workspace.rename(new, to: there, by: watched.recovery()) == there)
      await workspace.close()
      #expect(FileIdentity(at: watched[there]) != nil && FileIdentity(at: watched[new]) == nil)
    }
  }

  @Test(
    "C13 the edits of a killed program are not saved under such a name, and a document does not come back beside one"
  )
  func restoring() async throws {
    let file = try watched.make("bees.emojiart")
    try await watched.orphan(1, of: file)
    try watched.make(Self.composed)
    let selection = try OrphanedEditsSelection([file.path])
    let restoration = try Restoration(selection, by: watched.recovery())
    #expect(
      code { try restoration.run(.save(into: DocumentFile(watched[Self.decomposed]))) { _ in } } == .exists)
    let trashed = try documents.delete(DocumentFile(watched[Self.composed]), into: trash)
    try watched.make(Self.decomposed)
    #expect(code { try documents.undelete(trashed) } == .exists)
    try #require(unlink(watched[Self.decomposed]) == 0)
    try documents.undelete(trashed)
    #expect(exists(Self.composed))
  }

  @Test("C12 the trash is searched for the bytes of a name, then for its text")
  func trashed() throws {
    let first = try documents.delete(try watched.make(Self.composed), into: trash)
    #expect(try trash.newest(from: watched[Self.composed]) == first)
    #expect(try trash.newest(from: watched[Self.decomposed]) == first)
    let second = try documents.delete(try watched.make(Self.decomposed), into: trash)
    #expect(first != second && FilePath(second.original).name.utf8.count == Self.decomposed.utf8.count)
    #expect(try trash.newest(from: watched[Self.composed]) == first)
    #expect(try trash.newest(from: watched[Self.decomposed]) == second)
    #expect(code { try trash.newest(from: watched["caf\u{E8}.emojiart"]) } == .noSuchDocument)
  }

  @Test(
    "U8 a document of any name goes into the trash, and comes back under its whole name",
    arguments: [238, 239, 246])
  func longNames(bytes: Int) throws {
    // Two bytes a letter, so that a name is cut between letters.
    let stem = String(repeating: "\u{E9}", count: bytes / 2) + String(repeating: "e", count: bytes % 2)
    let name = stem + ".emojiart"
    let bees = try watched.make("bees.emojiart")
    try #require(rename(bees.path, watched[name]) == 0)
    for _ in 0..<2 {
      let trashed = try documents.delete(DocumentFile(watched[name]), into: trash)
      #expect(FilePath(trashed.path).name.utf8.count <= 245)
      #expect(try trash.newest(from: watched[name]) == trashed)
      // A second document of that name lies beside the first one.
      try watched.make("bees.emojiart")
      try #require(rename(watched["bees.emojiart"], watched[name]) == 0)
    }
    try #require(unlink(watched[name]) == 0)
    let trashed = try trash.newest(from: watched[name])
    #expect(FilePath(trashed.path).name.hasSuffix(".2.emojiart"))
    try documents.undelete(trashed)
    #expect(try DocumentFile(watched[name]).read().emojiCount == 0)
  }
}
