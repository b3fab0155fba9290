// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import ArtWatch

@Suite("A folder that is watched for real", .timeLimit(.minutes(1))) struct RealWatchTests {
  @Test("W21 a folder is looked through first, then each change to a file is told once")
  func plain() async throws {
    let folder = try ScratchFolder()
    try folder.write("bees.emojiart")
    try folder.write("notes.txt")
    let watcher = FolderWatcher(folder.path, .real(recursive: false))
    let follower = Follower(watcher, root: folder.path)
    #expect(try await follower.next() == .scanned(FolderScan("", files: ["bees.emojiart"], reason: nil)))
    close(open(folder["meadow.emojiart"], O_CREAT | O_WRONLY, 0o600))
    #expect(try await follower.next() == .look([WatchedFile("meadow.emojiart", isQuiet: true)]))
    let file = open(folder["bees.emojiart"], O_WRONLY)
    #expect(write(file, "y", 1) == 1 && close(file) == 0)
    #expect(try await follower.next() == .look([WatchedFile("bees.emojiart", isQuiet: true)]))
    try folder.move("bees.emojiart", to: "wasps.emojiart")
    try await follower.until { $0.looked(at: "wasps.emojiart") && $0.looked(at: "bees.emojiart") }
    try folder.remove("meadow.emojiart")
    try await follower.until { $0.looked(at: "meadow.emojiart") }
    #expect(await follower.files == ["wasps.emojiart"])
    await watcher.close()
    #expect(await watcher.next() == nil)
  }
}
