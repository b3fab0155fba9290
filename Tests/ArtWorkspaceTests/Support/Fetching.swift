// SPDX-License-Identifier: Apache-2.0

import ArtDocument
import ArtModel
import ArtStore
import ArtWorker
import Synchronization
import TestSupport
import Testing

@testable import ArtWorkspace

/// A program that watches a folder and fetches what is pending in it, as `emojiart watch` does.
struct FetchingProgram {
  let folder: DocumentFolder
  let pending: PendingBackgrounds
  let folderEvents: EventSequence<FolderEvent>
  let events: EventSequence<PendingBackgrounds.Event>

  init(
    _ watched: WatchedFolder, _ mode: PendingMode = .changed, allowsPrivate: Bool = true,
    clock: some Clock<Duration> = ContinuousClock()
  ) async throws {
    folder = try await DocumentFolder.open(watched.path)
    folderEvents = folder.events(capacity: 100_000)
    pending = PendingBackgrounds(
      mode, allowsPrivate: allowsPrivate, locks: watched["locks"], clock: clock)
    events = pending.events()
    await pending.follow(folder)
  }

  /// The outcome of the next fetch.
  func next() async throws -> PendingBackgrounds.Event {
    guard let event = try await events.elements(until: "the outcome of a fetch", { _ in true }).last else {
      throw Over()
    }
    return event
  }

  /// Waits for an event of the folder.
  func waitForEvent(_ isWanted: (FolderEvent) -> Bool) async throws {
    let events = try await folderEvents.elements(until: "an event of the folder", isWanted)
    guard events.last.map(isWanted) == true else { throw Over() }
  }

  struct Over: Error {}

  func close() async {
    await pending.close()
    await folder.close()
  }
}

extension DocumentFile {
  /// Makes a URL pending.
  @discardableResult
  func want(_ url: String, reason: String = "later") throws -> DocumentBase {
    var random = SystemRandomNumberGenerator()
    var author = try Author(origin: Origin(using: &random))
    let stamp = author.stamp(at: 1_800_000_000_000)
    let pending = try PendingBackground(url: url, since: 1, reason: reason, anchor: .topLeft)
    try edit { (transaction: DocumentTransaction) throws(ArtError) in
      guard let edit = try BackgroundEdit.later(pending).plan(on: transaction) else { return }
      _ = try transaction.perform(edit, stamp: stamp)
    }
    return try base()
  }

  /// Clears the background and the pending one.
  func clearBackground() throws {
    var random = SystemRandomNumberGenerator()
    var author = try Author(origin: Origin(using: &random))
    let stamp = author.stamp(at: 1_800_000_000_000)
    try edit { (transaction: DocumentTransaction) throws(ArtError) in
      guard let edit = try BackgroundEdit.clear.plan(on: transaction) else { return }
      _ = try transaction.perform(edit, stamp: stamp)
    }
  }
}

/// A document whose edit blocks until the test finishes it, and in which nothing is pending as soon as the edit has begun.
final class SlowSource: PendingSource {
  let key: PendingKey
  private let changes = AsyncStream<Void>.makeStream()
  private let notifications = AsyncStream<Void>.makeStream()
  private let edit = Mutex<CheckedContinuation<Void, Never>?>(nil)
  private let isWanted = Mutex(true)

  init(_ key: PendingKey) { self.key = key }

  func follow(_ notify: @Sendable () async -> Void) async {
    for await _ in changes.stream {
      await notify()
      notifications.continuation.yield()
    }
  }

  func pending(_ mode: PendingMode) async -> [(document: String, key: PendingKey, revision: Int)] {
    isWanted.withLock(\.self) ? [("bees", key, 1)] : []
  }

  nonisolated(nonsending) func isPending(_ key: PendingKey, in document: String) async throws(ArtError)
    -> PendingState
  { PendingState(revision: 1, isPending: true, background: nil) }

  nonisolated(nonsending) func apply(
    _ picture: CheckedPicture, _ key: PendingKey, in document: String
  ) async throws(ArtError) -> PendingState { try await refuse(.status, key, in: document) }

  nonisolated(nonsending) func refuse(
    _ reason: Refusal.Reason, _ key: PendingKey, in document: String
  ) async throws(ArtError) -> PendingState {
    await withCheckedContinuation { continuation in
      edit.withLock { $0 = continuation }
      isWanted.withLock { $0 = false }
      changes.continuation.yield()
    }
    return PendingState(revision: 2, isPending: true, background: nil)
  }

  /// Waits until the fetching program was notified that nothing is pending any more.
  func notified() async throws {
    _ = try await notifications.stream.elements(until: "a notification of the fetching program") { true }
  }

  /// Ends the edit: it is in the file.
  func finishEdit() { edit.withLock { $0.take() }?.resume() }
}
