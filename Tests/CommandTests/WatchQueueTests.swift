// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtSystem
import ArtWorkspace
import Foundation
import Glibc
import TestSupport
import Testing

@testable import emojiart

@Suite("The queue of a watcher's command, and the folders of a watcher") struct WatchQueueTests {
  private func queue(_ changes: (String, String, Int?, String?)...) -> [ChangeQueue.Change] {
    var queue = ChangeQueue()
    for (document, event, revision, from) in changes {
      queue.put(
        ChangeQueue.Change(
          document: FilePath(document), event: event, revision: revision, from: from.map { FilePath($0) }))
    }
    var drained: [ChangeQueue.Change] = []
    while let change = queue.next() { drained.append(change) }
    #expect(queue.isEmpty)
    return drained
  }

  @Test("the queue keeps the latest change of each document, in the order of their first changes")
  func latest() {
    #expect(
      queue(
        ("a", "changed", 1, nil), ("b", "changed", 1, nil), ("a", "changed", 2, nil),
        ("b", "removed", nil, nil))
        == [.init(document: "a", event: "changed", revision: 2), .init(document: "b", event: "removed")])
    #expect(
      queue(("a", "added", 1, nil), ("a", "changed", 2, nil)) == [
        .init(document: "a", event: "added", revision: 2)
      ])
    #expect(
      queue(("a", "added", 1, nil), ("a", "removed", nil, nil)) == [.init(document: "a", event: "removed")])
    #expect(
      queue(("a", "removed", nil, nil), ("a", "added", 1, nil))
        == [.init(document: "a", event: "added", revision: 1)])
    #expect(
      queue(("a", "changed", 1, nil), ("a", "damaged", nil, nil)) == [.init(document: "a", event: "damaged")])
  }

  @Test("a renamed document is reported with the name that was reported before")
  func renamed() {
    #expect(
      queue(("a", "changed", 2, nil), ("b", "renamed", 2, "a"), ("b", "changed", 3, nil))
        == [.init(document: "b", event: "renamed", revision: 3, from: "a")])
    #expect(
      queue(("b", "renamed", 2, "a"), ("c", "renamed", 2, "b"))
        == [.init(document: "c", event: "renamed", revision: 2, from: "a")])
    #expect(
      queue(("a", "changed", 2, nil), ("b", "renamed", 2, "a"), ("a", "added", 1, nil)).map(\.document)
        == ["b", "a"])
    // A document that was never reported is new by its last name, and one that has its name again has changed.
    #expect(
      queue(("n", "added", 0, nil), ("m", "renamed", 0, "n"))
        == [.init(document: "m", event: "added", revision: 0)])
    #expect(
      queue(("b", "renamed", 2, "a"), ("a", "renamed", 2, "b"))
        == [.init(document: "a", event: "changed", revision: 2)])
  }

  @Test("the end of each reported document is reported, by its reported name")
  func ends() {
    #expect(
      queue(("a2", "renamed", 1, "a"), ("a2", "removed", nil, nil))
        == [.init(document: "a2", event: "removed"), .init(document: "a", event: "removed")])
    #expect(
      queue(("a2", "renamed", 1, "a"), ("a", "added", 0, nil), ("a2", "removed", nil, nil))
        == [.init(document: "a2", event: "removed"), .init(document: "a", event: "added", revision: 0)])
    #expect(
      queue(("a2", "renamed", 1, "a"), ("a2", "damaged", nil, nil))
        == [.init(document: "a2", event: "damaged"), .init(document: "a", event: "removed")])
    #expect(
      queue(("c", "renamed", 1, "a"), ("c", "renamed", 1, "b"))
        == [
          .init(document: "c", event: "renamed", revision: 1, from: "b"),
          .init(document: "a", event: "removed"),
        ])
    // A document that replaces another one continues.
    #expect(
      queue(("b", "changed", 2, nil), ("b", "renamed", 1, "a"), ("a", "renamed", 1, "b"))
        == [
          .init(document: "a", event: "changed", revision: 1), .init(document: "b", event: "removed"),
        ])
    #expect(
      queue(("a", "removed", nil, nil), ("a", "added", 0, nil), ("b", "renamed", 0, "a"))
        == [
          .init(document: "b", event: "added", revision: 0), .init(document: "a", event: "removed"),
        ])
    #expect(
      queue(("b", "renamed", 2, "a"), ("a", "added", 0, nil), ("c", "renamed", 2, "b"))
        == [
          .init(document: "c", event: "renamed", revision: 2, from: "a"),
          .init(document: "a", event: "added", revision: 0),
        ])
  }

  @Test("D18 a folder waits while the inbox is full")
  func inbox() async throws {
    let inbox = try WatchInbox(capacity: 2)
    let putting = Task {
      for number in 1...5 { await inbox.put(.removed("\(number)"), from: 0) }
      return true
    }
    let drained = try await onThread {
      var drained: [FolderEvent] = []
      while drained.count < 5 {
        try waitUntilReadable(inbox.wakeup.readEnd, for: "an event of the inbox")
        inbox.wakeup.clear()
        var count = 0
        for (_, event) in inbox.drain().events {
          drained.append(event)
          count += 1
        }
        #expect(count <= 2)
      }
      return drained
    }
    #expect(await putting.value)
    #expect(drained == (1...5).map { .removed("\($0)") })
  }

  @Test("a place within another watched folder, or named twice, is watched once")
  func places() throws {
    let run = try CommandRun()
    defer { #expect(throws: Never.self) { try run.remove() } }
    let here = run.place.appending(path: "work").path
    let files = FileManager.default
    for folder in ["art/old", "artful"] {
      try files.createDirectory(atPath: "\(here)/\(folder)", withIntermediateDirectories: true)
    }
    for name in ["art/bees", "art/ants", "art/old/wasps"] {
      #expect(files.createFile(atPath: "\(here)/\(name).emojiart", contents: Data()))
    }
    try files.createSymbolicLink(atPath: "\(here)/link", withDestinationPath: "art")
    try files.createSymbolicLink(atPath: "\(here)/b.emojiart", withDestinationPath: "art/bees.emojiart")
    func folders(_ names: String..., recursive: Bool = false) throws -> [String] {
      try FollowedFolder.places(names.map { "\(here)/\($0)" }, CommonOptions(), isRecursive: recursive).map {
        let folder = $0.folder.replacingOccurrences(of: here + "/", with: "")
        return $0.names.map { "\(folder): \($0.keys.sorted().map(\.string).joined(separator: " "))" }
          ?? folder
      }
    }
    #expect(try folders("art", "art/old", "artful") == ["art", "art/old", "artful"])
    #expect(try folders("art", "art/old", "artful", recursive: true) == ["art", "artful"])
    #expect(try folders("art/old", "art", recursive: true) == ["art"])
    #expect(try folders("art", "link", "art/") == ["art"])
    #expect(try folders("art/bees", "art") == ["art"])
    #expect(try folders("art", "art/old/wasps") == ["art", "art/old: wasps.emojiart"])
    #expect(try folders("art", "art/old/wasps", recursive: true) == ["art"])
    #expect(try folders("art/bees", "art/ants", "art/bees") == ["art: ants.emojiart bees.emojiart"])
    #expect(try folders("b") == ["art: bees.emojiart"])
    #expect(throws: ArtError.self) { try folders("nothing") }
    #expect(throws: ArtError.self) { try folders("art/none/") }
  }

  @Test("C6 a document's name in output is a path that every command accepts")
  func names() {
    #expect(FollowedFolder(folder: ".").argument(for: "bees.emojiart") == "bees.emojiart")
    #expect(FollowedFolder(folder: "art/").argument(for: "bees.emojiart") == "art/bees.emojiart")
    #expect(FollowedFolder(folder: ".").argument(for: "-x.emojiart") == "./-x.emojiart")
    let place = FollowedFolder(folder: "/real", names: [FilePath("b.emojiart"): "link.emojiart"])
    #expect(place.argument(for: "b.emojiart") == "link.emojiart")
  }
}
