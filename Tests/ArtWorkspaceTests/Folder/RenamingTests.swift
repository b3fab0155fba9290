// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtStore
import ArtWatch
import Foundation
import TestSupport
import Testing

@testable import ArtWorkspace

@Suite("Documents that appear, disappear and are renamed") struct RenamingTests {
  private let watched: WatchedFolder

  init() throws { watched = try WatchedFolder() }

  private static func changedPath(_ event: FolderEvent?) -> String? {
    if case .changed(let path, _)? = event { path } else { nil }
  }

  private func documents(_ names: String...) throws {
    for name in names { try watched.make(name + ".emojiart") }
  }

  @Test("W8 a missing document is reported as removed after 250 ms")
  func gone() async throws {
    try documents("a")
    let open = try await OpenFolder(watched)
    try watched.remove("a.emojiart")
    #expect(try await open.refresh("a.emojiart").isEmpty)
    #expect(await open.folder.documents.map(\.path) == ["a.emojiart"])
    #expect(await open.source.rechecks.map(\.delay) == [.milliseconds(250)])
    #expect(try await open.recheck() == [.removed("a.emojiart")])
    #expect(await open.folder.documents.isEmpty)
    #expect(try await open.recheck().isEmpty)
    await open.folder.close()
  }

  @Test("W8 a document that comes back within 250 ms is not reported as removed")
  func back() async throws {
    try documents("a")
    let open = try await OpenFolder(watched)
    try watched.move("a.emojiart", "a")
    #expect(try await open.refresh("a.emojiart").isEmpty)
    try watched.move("a", "a.emojiart")
    #expect(try await open.recheck().isEmpty)
    try watched.remove("a.emojiart")
    #expect(try await open.refresh("a.emojiart").isEmpty)
    #expect(try await open.recheck() == [.removed("a.emojiart")])
    await open.folder.close()
  }

  @Test("W8 a document that comes back locked and disappears again is reported as removed after a new delay")
  func backAndBusy() async throws {
    try documents("a")
    let open = try await OpenFolder(watched)
    try watched.move("a.emojiart", "a")
    #expect(try await open.refresh("a.emojiart").isEmpty)
    try watched.move("a", "a.emojiart")
    let lock = try FileLock(watched["a.emojiart"], alone: true, writing: true)
    #expect(try await open.refresh("a.emojiart").isEmpty)
    lock.release()
    try watched.remove("a.emojiart")
    // Repeated refreshes do not report it earlier.
    for _ in 0..<3 { #expect(try await open.refresh("a.emojiart").isEmpty) }
    #expect(try await open.recheck() == [.removed("a.emojiart")])
    await open.folder.close()
  }

  @Test(
    "W8 a document under another name is reported as renamed, whichever name is refreshed first, then as changed if it differs"
  )
  func renamed() async throws {
    try documents("a")
    let open = try await OpenFolder(watched)
    try watched.move("a.emojiart", "b.emojiart")
    #expect(
      try await open.refresh("a.emojiart", "b.emojiart") == [.renamed("b.emojiart", from: "a.emojiart")])
    #expect(try await open.recheck().isEmpty)
    try watched.move("b.emojiart", "c.emojiart")
    #expect(try await open.refresh("c.emojiart") == [.renamed("c.emojiart", from: "b.emojiart")])
    #expect(try await open.refresh("b.emojiart").isEmpty)
    try watched.move("c.emojiart", "d.emojiart")
    #expect(try await open.refresh("c.emojiart").isEmpty)
    try DocumentFile(watched["d.emojiart"]).addBee()
    let received = try await open.refresh("d.emojiart")
    #expect(received.first == .renamed("d.emojiart", from: "c.emojiart") && received.count == 2)
    #expect(Self.changedPath(received.last) == "d.emojiart")
    #expect(try await open.recheck().isEmpty)
    #expect(await open.folder.documents.map(\.path) == ["d.emojiart"])
    await open.folder.close()
  }

  @Test("W8 documents that take each other's names are each reported under the new name")
  func places() async throws {
    try documents("a", "b")
    let open = try await OpenFolder(watched)
    try watched.move("b.emojiart", "c.emojiart")
    try watched.move("a.emojiart", "b.emojiart")
    let chain = try await open.refresh("a.emojiart", "b.emojiart", "c.emojiart")
    #expect(
      chain == [.renamed("c.emojiart", from: "b.emojiart"), .renamed("b.emojiart", from: "a.emojiart")])
    // A document that replaces another one: the replaced one is gone with it.
    try watched.move("c.emojiart", "b.emojiart")
    #expect(
      try await open.refresh("b.emojiart", "c.emojiart") == [.renamed("b.emojiart", from: "c.emojiart")])
    #expect(try await open.recheck().isEmpty)
    try documents("a")
    #expect(try await open.refresh("a.emojiart").count == 1)
    let ids = await open.folder.documents.map(\.base?.id)
    try watched.move("a.emojiart", "x")
    try watched.move("b.emojiart", "a.emojiart")
    try watched.move("x", "b.emojiart")
    _ = try await open.refresh("a.emojiart", "b.emojiart")
    #expect(try await open.recheck().isEmpty)
    #expect(await open.folder.documents.map(\.base?.id) == ids.reversed())
    await open.folder.close()
  }

  @Test("W8 a new document at the old name of a renamed one is reported with the rename")
  func oldPlace() async throws {
    try documents("a")
    let open = try await OpenFolder(watched)
    try watched.move("a.emojiart", "b.emojiart")
    try documents("a")
    #expect(
      try await open.refresh("b.emojiart")
        == [.renamed("b.emojiart", from: "a.emojiart"), .added("a.emojiart", revision: 0)])
    #expect(try await open.refresh("a.emojiart").isEmpty)
    await open.folder.close()
  }

  @Test("W8 a write through a removed hard link is reported under the other name")
  func goneLink() async throws {
    try documents("a")
    try #require(link(watched["a.emojiart"], watched["b.emojiart"]) == 0)
    let open = try await OpenFolder(watched)
    try DocumentFile(watched["a.emojiart"]).addBee()
    try watched.remove("a.emojiart")
    #expect(Self.changedPath(try await open.refresh("a.emojiart").first) == "b.emojiart")
    #expect(try await open.recheck() == [.removed("a.emojiart")])
    await open.folder.close()
  }

  @Test(
    "W8 another document in a file with the same inode is reported as added, and the first one as removed")
  func reused() async throws {
    try documents("a")
    let open = try await OpenFolder(watched)
    try documents("other")
    try watched.move("a.emojiart", "b.emojiart")
    // The same file with the content of another document.
    try watched.overwrite("b.emojiart", watched.bytes("other.emojiart"))
    #expect(try await open.refresh("a.emojiart", "b.emojiart") == [.added("b.emojiart", revision: 0)])
    #expect(try await open.recheck() == [.removed("a.emojiart")])
    await open.folder.close()
  }

  @Test("W8 a hard link is reported as added, and a change through one name is reported under all names")
  func hardLinks() async throws {
    try documents("a")
    let open = try await OpenFolder(watched)
    try #require(link(watched["a.emojiart"], watched["b.emojiart"]) == 0)
    #expect(try await open.refresh("b.emojiart") == [.added("b.emojiart", revision: 0)])
    try DocumentFile(watched["b.emojiart"]).addBee()
    let received = try await open.refresh("b.emojiart")
    #expect(
      received.map(Self.changedPath) == ["b.emojiart", "a.emojiart"])
    try watched.overwrite("a.emojiart", "text".utf8)
    #expect(try await open.refresh("a.emojiart").isEmpty)
    // Each name is checked again, and the two names do not cause endless rechecks of each other.
    let delays = await open.source.rechecks.map(\.delay)
    #expect(delays == [.seconds(2), .milliseconds(50)])
    #expect(try await open.recheck().count == 1)
    #expect(await open.source.rechecks.map(\.delay) == [.seconds(2)])
    #expect(try await open.recheck().count == 1)
    #expect(await open.folder.documents.allSatisfy { $0.trouble != nil })
    await open.folder.close()
  }

  @Test("W8 a hard link whose first name is removed is reported as renamed")
  func linkAndUnlink() async throws {
    try documents("a")
    let open = try await OpenFolder(watched)
    try #require(link(watched["a.emojiart"], watched["b.emojiart"]) == 0)
    try watched.remove("a.emojiart")
    #expect(
      try await open.refresh("b.emojiart", "a.emojiart") == [.renamed("b.emojiart", from: "a.emojiart")])
    await open.folder.close()
  }

  @Test(
    "W6 a scan refreshes the listed files and the known documents of its folder, and emits its reason after their events"
  )
  func scans() async throws {
    try #require(mkdir(watched["sub"], 0o755) == 0)
    try #require(mkdir(watched["sub2"], 0o755) == 0)
    try documents("a", "sub/b", "sub/c", "sub2/d")
    let open = try await OpenFolder(watched)
    try watched.remove("a.emojiart")
    try watched.remove("sub2/d.emojiart")
    try watched.move("sub/b.emojiart", "sub/e.emojiart")
    try watched.remove("sub/c.emojiart")
    #expect(
      try await open.scan("sub", ["sub/e.emojiart"]) == [.renamed("sub/e.emojiart", from: "sub/b.emojiart")])
    #expect(try await open.recheck() == [.removed("sub/c.emojiart")])
    #expect(
      try await open.scan("", ["sub/e.emojiart"], reason: "the queue was full")
        == [.removed("a.emojiart"), .removed("sub2/d.emojiart"), .rescanned("the queue was full")])
    #expect(try await open.scan("", ["sub/e.emojiart"]).isEmpty)
    await open.folder.close()
  }

  @Test(
    "W6 an unreadable file in a scan is checked again before it is reported")
  func listedTrouble() async throws {
    try documents("a")
    let open = try await OpenFolder(watched)
    try watched.overwrite("a.emojiart", "text".utf8)
    #expect(try await open.scan("", ["a.emojiart"]).isEmpty)
    #expect(try await open.recheck().isEmpty)
    #expect(await open.source.rechecks.map(\.delay) == [.seconds(2)])
    #expect(try await open.recheck().count == 1)
    #expect(try await open.scan("", ["a.emojiart"]).isEmpty)
    #expect(try await open.recheck().isEmpty)
    await open.folder.close()
  }

  @Test(
    "W11 the documents of a removed folder are reported as removed at once, and as added when the folder is back"
  )
  func rootGone() async throws {
    try documents("a", "b")
    let open = try await OpenFolder(watched)
    try #require(rename(watched.path, watched.path + ".away") == 0)
    #expect(
      try await open.scan("", [], reason: "moved")
        == [.removed("a.emojiart"), .removed("b.emojiart"), .rescanned("moved")])
    try #require(rename(watched.path + ".away", watched.path) == 0)
    #expect(try await open.scan("", ["a.emojiart", "b.emojiart"]).count == 2)
    await open.folder.close()
  }

  @Test("W12 symbolic links, pipes and folders with names of documents are not documents")
  func noDocuments() async throws {
    try documents("a")
    let outside = try WatchedFolder()
    try outside.make("out.emojiart")
    try #require(symlink(outside["out.emojiart"], watched["link.emojiart"]) == 0)
    try #require(symlink("a.emojiart", watched["near.emojiart"]) == 0)
    try #require(symlink(outside.path, watched["sub"]) == 0)
    try #require(mkfifo(watched["pipe.emojiart"], 0o644) == 0)
    try #require(mkdir(watched["folder.emojiart"], 0o755) == 0)
    let names = ["link", "near", "pipe", "folder", "sub/out"].map { "\($0).emojiart" }
    let open = try await OpenFolder(watched, files: names + ["a.emojiart"])
    #expect(await open.folder.documents.map(\.path) == ["a.emojiart"])
    #expect(try await open.send(.changed(names.map { WatchedFile($0, isQuiet: true) })).isEmpty)
    try watched.remove("a.emojiart")
    try #require(symlink(outside["out.emojiart"], watched["a.emojiart"]) == 0)
    #expect(try await open.refresh("a.emojiart").isEmpty)
    #expect(try await open.recheck() == [.removed("a.emojiart")])
    await open.folder.close()
  }

  @Test("W10 names that look alike are different names, and line breaks and escapes are kept")
  func names() async throws {
    let names = ["e\u{301}", "\u{e9}", "a\nb", "\u{1b}[31m"].map { "\($0).emojiart" }
    for name in names { try watched.make(name) }
    let open = try await OpenFolder(watched, files: names)
    #expect(await open.folder.documents.count == 4)
    try DocumentFile(watched[names[1]]).addBee()
    try watched.remove(names[0])
    let path = try #require(Self.changedPath(try await open.refresh(names[0], names[1]).first))
    #expect(path.utf8.elementsEqual(names[1].utf8))
    #expect(try await open.recheck().count == 1)
    #expect(await open.document(names[1])?.base?.revision == 1)
    #expect(await open.document(names[0]) == nil)
    await open.folder.close()
  }
}
