// SPDX-License-Identifier: Apache-2.0

import ArtDocument
import ArtModel
import ArtStore
import ArtWatch
import TestSupport

@testable import ArtWorkspace

/// An open folder with a scripted event source and one listener.
struct OpenFolder {
  let folder: DocumentFolder
  let source: ScriptedEvents
  let clock = ManualClock()
  private let events: EventSequence<FolderEvent>

  init(_ watched: WatchedFolder, files: [String]? = nil) async throws {
    let source = ScriptedEvents(files: files ?? watched.names)
    self.source = source
    // The clock runs for documents that are read again while the folder is opened.
    let ticking = Task { [clock] in
      while !Task.isCancelled {
        clock.advance(by: .milliseconds(50))
        await Task.yield()
      }
    }
    defer { ticking.cancel() }
    folder = try await DocumentFolder.open(watched.path, clock: clock) { _ in source }
    events = folder.events(capacity: 1_000_000)
  }

  /// The events since the last call.
  func received() async throws -> [FolderEvent] {
    let mark = FolderEvent.degraded("this is all")
    folder.broadcast.send(mark)
    return try await events.elements(until: "the events of a folder") { $0 == mark }.filter { $0 != mark }
  }

  /// The events that follow an event of the source, once it has been handled.
  func send(_ event: WatchEvent) async throws -> [FolderEvent] {
    await source.send(event)
    try await source.handled()
    return try await received()
  }

  /// The events when files have changed.
  func refresh(_ paths: String..., isQuiet: Bool = true) async throws -> [FolderEvent] {
    try await send(.changed(paths.map { WatchedFile($0, isQuiet: isQuiet) }))
  }

  /// The events when everything, or a folder, is listed.
  func scan(_ folder: String = "", _ files: [String], reason: String? = nil) async throws -> [FolderEvent] {
    try await send(.scanned(FolderScan(folder, files: files, reason: reason)))
  }

  /// The events of the files that the folder asked to check again, at the time of the last of them.
  func recheck() async throws -> [FolderEvent] {
    let rechecks = await source.takeRechecks()
    clock.advance(by: rechecks.map(\.delay).max() ?? .zero)
    let files = rechecks.map { WatchedFile($0.path, isQuiet: true) }
    return files.isEmpty ? [] : try await send(.changed(files))
  }

  /// The events of files that cannot be read and are quiet, until nothing is left to check again.
  func refreshUntilReported(_ paths: String...) async throws -> [FolderEvent] {
    var events = try await send(.changed(paths.map { WatchedFile($0, isQuiet: true) }))
    while await !source.rechecks.isEmpty { events += try await recheck() }
    return events
  }

  /// A document as the folder knows it.
  func document(_ path: String = "bees.emojiart") async -> FolderDocument? {
    await folder.documents.first { $0.path.utf8.elementsEqual(path.utf8) }
  }
}
