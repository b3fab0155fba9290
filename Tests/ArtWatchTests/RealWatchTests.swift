// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@testable import ArtWatch

@Suite("A folder watched by the real helper", .timeLimit(.minutes(10))) struct RealWatchTests {
  @Test("W1 a folder is scanned first, then each change to a file is reported once")
  func plain() async throws {
    let folder = try ScratchFolder()
    try folder.write("bees.emojiart")
    try folder.write("notes.txt")
    // Any time may pass between the events of one change: only the test advances the clock.
    let (clock, observed) = (ManualClock(), ObservedHelper())
    let watcher = FolderWatcher(
      folder.path, .real(recursive: false), clock: clock, start: observed.start, remoteKind: { _ in nil })
    func isQuiet(after event: String) async throws {
      try await observed.waitUntilReceived(event)
      clock.advance(by: .milliseconds(20))
    }
    let follower = Follower(watcher, root: folder.path)
    #expect(try await follower.next() == .scanned(FolderScan("", files: ["bees.emojiart"], reason: nil)))
    close(open(folder["meadow.emojiart"], O_CREAT | O_WRONLY, 0o600))
    try await isQuiet(after: "8 meadow.emojiart")
    #expect(try await follower.next() == .changed([WatchedFile("meadow.emojiart", isQuiet: true)]))
    let file = open(folder["bees.emojiart"], O_WRONLY)
    #expect(write(file, "y", 1) == 1 && close(file) == 0)
    try await isQuiet(after: "8 bees.emojiart")
    #expect(try await follower.next() == .changed([WatchedFile("bees.emojiart", isQuiet: true)]))
    try folder.move("bees.emojiart", to: "wasps.emojiart")
    try await isQuiet(after: "80 wasps.emojiart")
    try await follower.until { $0.hasReported("wasps.emojiart") && $0.hasReported("bees.emojiart") }
    try folder.remove("meadow.emojiart")
    try await isQuiet(after: "200 meadow.emojiart")
    try await follower.until { $0.hasReported("meadow.emojiart") }
    #expect(await follower.files == ["wasps.emojiart"])
    await watcher.close()
    #expect(await watcher.next() == nil)
  }
}
