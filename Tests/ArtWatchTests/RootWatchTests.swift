// SPDX-License-Identifier: Apache-2.0

import ArtModel
import Foundation
import Testing

@testable import ArtWatch

@Suite("A watched folder that moves", .timeLimit(.minutes(10))) struct RootWatchTests {
  private func watch(_ folder: ScratchFolder, _ name: String, _ seen: SeenHelper = SeenHelper()) async throws
    -> Follower
  {
    var settings = WatchSettings.real()
    settings.pollEvery = .milliseconds(50)
    let watcher = FolderWatcher(folder[name], settings, start: seen.start)
    let follower = Follower(watcher, root: folder[name])
    try await follower.until { !$0.scans.isEmpty }
    return follower
  }

  /// Something new in the folder is told by an event.
  private func isAlive(_ follower: Follower) async throws {
    let name = "\(UUID().uuidString).emojiart"
    try "x".write(toFile: "\(follower.root)/\(name)", atomically: false, encoding: .utf8)
    try await follower.until { $0.looked(at: name) }
  }

  @Test(
    "W11 a folder that is deleted is said to be gone, with no files, and watched again when it is made again")
  func deleted() async throws {
    let folder = try ScratchFolder()
    try folder.shell("mkdir -p art/sub; touch art/sub/a.emojiart")
    let follower = try await watch(folder, "art")
    try folder.remove("art")
    let news = try await follower.until { $0.files.isEmpty && !$0.degraded.isEmpty }
    #expect(news.contains { if case .degraded(let why) = $0 { why.contains("is gone") } else { false } })
    try folder.shell("mkdir -p art/sub; touch art/sub/b.emojiart")
    let back = try await follower.until { $0.news.contains(.watching) && $0.files == ["sub/b.emojiart"] }
    #expect(!back.contains { if case .degraded = $0 { true } else { false } }, "gone is told once")
    try await isAlive(follower)
    await follower.watcher.close()
  }

  @Test("W11 a folder that is replaced by another one: the path is watched, not what was moved away")
  func replaced() async throws {
    let folder = try ScratchFolder()
    try folder.shell("mkdir art other; touch art/a.emojiart other/b.emojiart")
    let follower = try await watch(folder, "art")
    try folder.shell("mv art old; mv other art")
    let news = try await follower.until { $0.files == ["b.emojiart"] }
    #expect(
      news.contains {
        if case .scanned(let scan) = $0 { scan.reason?.contains("moved or replaced") == true } else { false }
      })
    try folder.write("old/c.emojiart")
    try await isAlive(follower)
    #expect(await !follower.files.contains("c.emojiart"))
    await follower.watcher.close()
  }

  @Test("W11 when a folder above it moves, the watched one is gone, and back with it")
  func above() async throws {
    let folder = try ScratchFolder()
    try folder.shell("mkdir -p one/two/art; touch one/two/art/a.emojiart")
    let follower = try await watch(folder, "one/two/art")
    try folder.move("one", to: "uno")
    try await follower.until { $0.files.isEmpty }
    try folder.write("uno/two/art/b.emojiart")
    try folder.move("uno", to: "one")
    try await follower.until { $0.news.contains(.watching) && $0.files == ["a.emojiart", "b.emojiart"] }
    try await isAlive(follower)
    try folder.shell("mv one/two one/zwei; mkdir -p one/two/art; touch one/two/art/z.emojiart")
    try await follower.until { $0.files == ["z.emojiart"] }
    try await isAlive(follower)
    await follower.watcher.close()
  }

  @Test("W11 a link that stands in the place of the folder is not followed")
  func linked() async throws {
    let folder = try ScratchFolder()
    try folder.shell("mkdir art; touch art/a.emojiart")
    let follower = try await watch(folder, "art")
    try folder.shell("mv art real; ln -s real art")
    try await follower.until { $0.files.isEmpty && !$0.degraded.isEmpty }
    try folder.shell("rm art; mv real art")
    try await follower.until { $0.files == ["a.emojiart"] && $0.news.contains(.watching) }
    try await isAlive(follower)
    await follower.watcher.close()
  }

  @Test("W11 a folder that is deleted and made again a hundred times ends as it is, with one helper")
  func again() async throws {
    let folder = try ScratchFolder()
    try folder.shell("mkdir art")
    let seen = SeenHelper()
    let follower = try await watch(folder, "art", seen)
    try folder.shell("for i in $(seq 1 100); do rm -r art; mkdir art; echo $i > art/$i.emojiart; done")
    try await follower.until { $0.files == ["100.emojiart"] }
    try await isAlive(follower)
    await follower.watcher.close()
    for process in seen.processes.dropLast() { #expect(SeenHelper.instances(of: process) == nil) }
  }
}
