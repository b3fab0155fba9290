// SPDX-License-Identifier: Apache-2.0

import ArtModel
import Foundation
import Testing

@testable import ArtWatch

@Suite("A watched folder that moves", .timeLimit(.minutes(10))) struct RootWatchTests {
  private func watch(_ folder: ScratchFolder, _ name: String, _ observed: ObservedHelper = ObservedHelper())
    async throws
    -> Follower
  {
    var settings = WatchSettings.real()
    settings.pollEvery = .milliseconds(50)
    let watcher = FolderWatcher(folder[name], settings, start: observed.start)
    let follower = Follower(watcher, root: folder[name])
    try await follower.until { !$0.scans.isEmpty }
    return follower
  }

  /// Checks that a new file in the folder is reported.
  private func checkIsWatched(_ follower: Follower) async throws {
    let name = "\(UUID().uuidString).emojiart"
    try "x".write(toFile: "\(follower.root)/\(name)", atomically: false, encoding: .utf8)
    try await follower.until { $0.hasReported(name) }
  }

  @Test(
    "W11 a folder that is deleted is reported as gone, without files, and is watched again when it is made again"
  )
  func deleted() async throws {
    let folder = try ScratchFolder()
    try folder.shell("mkdir -p art/sub; touch art/sub/a.emojiart")
    let follower = try await watch(folder, "art")
    try folder.remove("art")
    let events = try await follower.until { $0.files.isEmpty && !$0.degraded.isEmpty }
    #expect(events.contains { if case .degraded(let why) = $0 { why.contains("is gone") } else { false } })
    try folder.shell("mkdir -p art/sub; touch art/sub/b.emojiart")
    let back = try await follower.until { $0.events.contains(.watching) && $0.files == ["sub/b.emojiart"] }
    #expect(
      !back.contains { if case .degraded = $0 { true } else { false } }, "the folder is reported as gone once"
    )
    try await checkIsWatched(follower)
    await follower.watcher.close()
  }

  @Test(
    "W11 a folder that is replaced by another one is watched at its path, and the former one is not watched")
  func replaced() async throws {
    let folder = try ScratchFolder()
    try folder.shell("mkdir art other; touch art/a.emojiart other/b.emojiart")
    let follower = try await watch(folder, "art")
    try folder.shell("mv art old; mv other art")
    let events = try await follower.until { $0.files == ["b.emojiart"] }
    #expect(
      events.contains {
        if case .scanned(let scan) = $0 { scan.reason?.contains("moved or replaced") == true } else { false }
      })
    try folder.write("old/c.emojiart")
    try await checkIsWatched(follower)
    #expect(await !follower.files.contains("c.emojiart"))
    await follower.watcher.close()
  }

  @Test(
    "W11 a watched folder is without files while a folder above it is moved away, and is watched again after that is moved back"
  )
  func above() async throws {
    let folder = try ScratchFolder()
    try folder.shell("mkdir -p one/two/art; touch one/two/art/a.emojiart")
    let follower = try await watch(folder, "one/two/art")
    try folder.move("one", to: "uno")
    try await follower.until { $0.files.isEmpty }
    try folder.write("uno/two/art/b.emojiart")
    try folder.move("uno", to: "one")
    try await follower.until { $0.events.contains(.watching) && $0.files == ["a.emojiart", "b.emojiart"] }
    try await checkIsWatched(follower)
    try folder.shell("mv one/two one/zwei; mkdir -p one/two/art; touch one/two/art/z.emojiart")
    try await follower.until { $0.files == ["z.emojiart"] }
    try await checkIsWatched(follower)
    await follower.watcher.close()
  }

  @Test("W11 a link in the place of the folder is not followed")
  func linked() async throws {
    let folder = try ScratchFolder()
    try folder.shell("mkdir art; touch art/a.emojiart")
    let follower = try await watch(folder, "art")
    try folder.shell("mv art real; ln -s real art")
    try await follower.until { $0.files.isEmpty && !$0.degraded.isEmpty }
    try folder.shell("rm art; mv real art")
    try await follower.until { $0.files == ["a.emojiart"] && $0.events.contains(.watching) }
    try await checkIsWatched(follower)
    await follower.watcher.close()
  }

  @Test(
    "W11 a folder that is deleted and made again a hundred times ends with its present files and one helper")
  func again() async throws {
    let folder = try ScratchFolder()
    try folder.shell("mkdir art")
    let observed = ObservedHelper()
    let follower = try await watch(folder, "art", observed)
    try folder.shell("for i in $(seq 1 100); do rm -r art; mkdir art; echo $i > art/$i.emojiart; done")
    try await follower.until { $0.files == ["100.emojiart"] }
    try await checkIsWatched(follower)
    await follower.watcher.close()
    for process in observed.processes.dropLast() { #expect(ObservedHelper.instances(of: process) == nil) }
  }
}
