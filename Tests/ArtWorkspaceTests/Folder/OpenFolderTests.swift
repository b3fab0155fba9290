// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtStore
import ArtWatch
import Foundation
import TestSupport
import Testing

@testable import ArtWorkspace

@Suite("A folder that is open") struct OpenFolderTests {
  private let watched: WatchedFolder

  init() throws { watched = try WatchedFolder() }

  @Test(
    "W4 that and why the system does not tell of changes is told, and whether it is still so can be asked")
  func degraded() async throws {
    let open = try await OpenFolder(watched)
    #expect(await open.say(.degraded("no watches left")) == [.degraded("no watches left")])
    #expect(await open.folder.degraded == "no watches left")
    #expect(await open.say(.watching).isEmpty)
    #expect(await open.folder.degraded == nil)
    _ = await open.say(.degraded("no watches left"))
    #expect(await open.scan("", [], reason: "the queue was full").isEmpty, "as if it were over")
    _ = await open.say(.watching)
    #expect(await open.scan("", [], reason: "back") == [.rescanned("back")])
    await open.folder.close()
    let news = ScriptedEvents(first: .degraded("a network file system"))
    await news.say(.scanned(FolderScan("", files: [], reason: nil)))
    let second = try await DocumentFolder.open(watched.path) { _ in news }
    #expect(await second.degraded == "a network file system")
    await second.close()
  }

  @Test("D18 a listener that is too slow is told so, and the folder's documents then set it right")
  func slow() async throws {
    let bees = try watched.make()
    let open = try await OpenFolder(watched)
    let slow = open.folder.events(capacity: 2)
    for _ in 0..<5 {
      try bees.addBee()
      #expect(await open.look("bees.emojiart").count == 1)
    }
    #expect(try await open.document()?.base == bees.base())
    await open.folder.close()
    var heard: [FolderEvent] = []
    for await event in slow { heard.append(event) }
    #expect(heard.first == .resync && heard.count <= 2)
  }

  @Test(
    "D9 closing ends the watcher and the listeners' sequences, after what waits for them, also in the middle of a look"
  )
  func closing() async throws {
    let open = try await OpenFolder(watched)
    let events = open.folder.events()
    for number in 100..<400 { try watched.make("\(number).emojiart") }
    // Each of the last hundred is waited for a tenth of a second: nobody is as slow as all of that.
    let held = try (300..<400).map {
      try FileLock(watched["\($0).emojiart"], alone: true, writing: true)
    }
    await open.news.say(.changed(watched.names.map { WatchedFile($0, isQuiet: true) }))
    var iterator = events.makeAsyncIterator()
    _ = await iterator.next()
    let met = await open.folder.documents.count
    await open.folder.close()
    #expect(met > 0)
    #expect(await open.news.again.count < 100, "asked in the middle of a look, which was ended")
    held.forEach { $0.release() }
    while await iterator.next() != nil {}
    #expect(await open.news.isClosed)
    let late = open.folder.events()
    for await event in late { Issue.record("\(event)") }
    await open.folder.close()
  }

  @Test("D9 a folder that nobody keeps lets go of its watcher")
  func released() async throws {
    let news = ScriptedEvents(files: [])
    var folder: DocumentFolder? = try await DocumentFolder.open(watched.path) { _ in news }
    #expect(folder != nil)
    folder = nil
    await news.closed()
  }

  @Test("what is no folder, or cannot be looked into, or not be watched is an error that names it")
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
