// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtStore
import ArtWatch
import Foundation
import TestSupport
import Testing

@testable import ArtWorkspace

@Suite("An open folder") struct OpenFolderTests {
  private let watched: WatchedFolder

  init() throws { watched = try WatchedFolder() }

  @Test(
    "W4 degraded watching is reported with its reason, until it ends, and can be queried")
  func degraded() async throws {
    let open = try await OpenFolder(watched)
    #expect(try await open.send(.degraded("no watches left")) == [.degraded("no watches left")])
    #expect(await open.folder.degraded == "no watches left")
    #expect(try await open.send(.watching).isEmpty)
    #expect(await open.folder.degraded == nil)
    _ = try await open.send(.degraded("no watches left"))
    #expect(
      try await open.scan("", [], reason: "the queue was full").isEmpty,
      "the scan emits no event while watching is degraded")
    _ = try await open.send(.watching)
    #expect(try await open.scan("", [], reason: "back") == [.rescanned("back")])
    await open.folder.close()
    let source = ScriptedEvents(first: .degraded("a network file system"))
    await source.send(.scanned(FolderScan("", files: [], reason: nil)))
    let second = try await DocumentFolder.open(watched.path) { _ in source }
    #expect(await second.degraded == "a network file system")
    await second.close()
  }

  @Test("D18 a listener that is too slow receives a resync, after which the folder has its current documents")
  func slow() async throws {
    let bees = try watched.make()
    let open = try await OpenFolder(watched)
    let slow = open.folder.events(capacity: 2)
    for _ in 0..<5 {
      try bees.addBee()
      #expect(try await open.refresh("bees.emojiart").count == 1)
    }
    #expect(try await open.document()?.base == bees.base())
    await open.folder.close()
    var received: [FolderEvent] = []
    for await event in slow { received.append(event) }
    #expect(received.first == .resync && received.count <= 2)
  }

  @Test(
    "D9 closing ends the watcher and the listeners' sequences, after the pending events, also during a refresh"
  )
  func closing() async throws {
    let open = try await OpenFolder(watched)
    let events = open.folder.events()
    for number in 100..<400 { try watched.make("\(number).emojiart") }
    // Each of the last hundred documents is waited for up to a tenth of a second, which is longer than the close may take.
    let held = try (300..<400).map {
      try FileLock(watched["\($0).emojiart"], alone: true, writing: true)
    }
    await open.source.send(.changed(watched.names.map { WatchedFile($0, isQuiet: true) }))
    var iterator = events.makeAsyncIterator()
    _ = await iterator.next()
    let met = await open.folder.documents.count
    await open.folder.close()
    #expect(met > 0)
    #expect(await open.source.rechecks.count < 100, "the close ended a running refresh")
    held.forEach { $0.release() }
    while await iterator.next() != nil {}
    #expect(await open.source.isClosed)
    let late = open.folder.events()
    for await event in late { Issue.record("\(event)") }
    await open.folder.close()
  }

  @Test("D9 a folder without references closes its watcher")
  func released() async throws {
    let source = ScriptedEvents(files: [])
    var folder: DocumentFolder? = try await DocumentFolder.open(watched.path) { _ in source }
    #expect(folder != nil)
    folder = nil
    try await source.closed()
  }

  @Test("the error for a folder that is missing, is a file or cannot be watched names its path")
  func errors() async throws {
    try watched.make()
    for (path, code) in [("none", ArtError.Code.noSuchDocument), ("bees.emojiart", .noSuchDocument)] {
      let error = await #expect(throws: ArtError.self) {
        _ = try await DocumentFolder.open(watched[path]) { _ in ScriptedEvents(files: []) }
      }
      #expect(error?.code == code && error?.cause.contains(watched[path]) == true)
    }
    let ended = ScriptedEvents(files: [])
    await ended.close()
    let error = await #expect(throws: ArtError.self) {
      _ = try await DocumentFolder.open(watched.path) { _ in ended }
    }
    #expect(error?.code == .unavailable)
  }
}
