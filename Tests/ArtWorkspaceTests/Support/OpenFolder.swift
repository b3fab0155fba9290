// SPDX-License-Identifier: Apache-2.0

import ArtDocument
import ArtModel
import ArtStore
import ArtWatch
import TestSupport

@testable import ArtWorkspace

/// A folder that is open, with news from a script, and one listener.
struct OpenFolder {
  let folder: DocumentFolder
  let news: ScriptedEvents
  let clock = ManualClock()
  private let events: EventSequence<FolderEvent>

  init(_ watched: WatchedFolder, files: [String]? = nil) async throws {
    let news = ScriptedEvents(files: files ?? watched.names)
    self.news = news
    // What is looked at once more in the beginning is waited for by the clock.
    let ticking = Task { [clock] in
      while !Task.isCancelled {
        clock.advance(by: .milliseconds(50))
        await Task.yield()
      }
    }
    defer { ticking.cancel() }
    folder = try await DocumentFolder.open(watched.path, clock: clock) { _ in news }
    events = folder.events(capacity: 1_000_000)
  }

  /// What was told since the last call.
  func heard() async -> [FolderEvent] {
    let mark = FolderEvent.degraded("this is all")
    folder.broadcast.send(mark)
    var heard: [FolderEvent] = []
    for await event in events {
      if event == mark { break }
      heard.append(event)
    }
    return heard
  }

  /// What is told of news, once they have been dealt with.
  func say(_ news: WatchEvent) async -> [FolderEvent] {
    await self.news.say(news)
    await self.news.settled()
    return await heard()
  }

  /// What is told when something happened to files.
  func look(_ paths: String..., isQuiet: Bool = true) async -> [FolderEvent] {
    await say(.changed(paths.map { WatchedFile($0, isQuiet: isQuiet) }))
  }

  /// What is told when everything, or a folder, is listed.
  func scan(_ folder: String = "", _ files: [String], reason: String? = nil) async -> [FolderEvent] {
    await say(.scanned(FolderScan(folder, files: files, reason: reason)))
  }

  /// What is told of the files that the folder has asked for once more, at the last one's time.
  func again() async -> [FolderEvent] {
    let asked = await news.takeAgain()
    clock.advance(by: asked.map(\.delay).max() ?? .zero)
    let files = asked.map { WatchedFile($0.path, isQuiet: true) }
    return files.isEmpty ? [] : await say(.changed(files))
  }

  /// What is told when files cannot be read and nobody writes to them any more.
  func lookUntilSure(_ paths: String...) async -> [FolderEvent] {
    var events = await say(.changed(paths.map { WatchedFile($0, isQuiet: true) }))
    while await !news.again.isEmpty { events += await again() }
    return events
  }

  /// A document as it is known.
  func document(_ path: String = "bees.emojiart") async -> FolderDocument? {
    await folder.documents.first { $0.path.utf8.elementsEqual(path.utf8) }
  }
}
