// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@testable import ArtWatch

@Suite("Subfolders watched by the real helper", .timeLimit(.minutes(10))) struct TreeWatchTests {
  /// A watcher on a folder, past its first scan.
  private func watch(_ folder: ScratchFolder, _ name: String = "") async throws -> Follower {
    let path = name.isEmpty ? folder.path : folder[name]
    let follower = Follower(FolderWatcher(path, .real()), root: path)
    try await follower.until { !$0.scans.isEmpty }
    return follower
  }

  private func agree(_ follower: Follower) async throws {
    let expected = try ScratchFolder.found(in: follower.root)
    try await follower.until { Set($0.files) == Set(expected) }
    try await end(follower)
    #expect(try await Set(follower.files) == Set(ScratchFolder.found(in: follower.root)))
  }

  /// Waits until a last file is reported; everything before it has then been reported, too.
  private func end(_ follower: Follower) async throws {
    try "x".write(toFile: "\(follower.root)/zz-last.emojiart", atomically: false, encoding: .utf8)
    try await follower.until { $0.files.contains("zz-last.emojiart") }
    await follower.watcher.close()
  }

  @Test("W11 files that are made together with their new subfolders are reported, at any depth")
  func together() async throws {
    let folder = try ScratchFolder()
    let follower = try await watch(folder)
    try folder.shell(
      "for i in 1 2 3 4 5; do mkdir -p a$i/b/c/d/e && touch a$i/x.emojiart a$i/b/c/d/e/y.emojiart a$i/b/z.txt; done"
    )
    try await agree(follower)
    #expect(await follower.view().degraded.isEmpty)
    #expect(await follower.view().reasons.isEmpty, "an ordinary change has no reason")
  }

  @Test("W11 a new subfolder is watched: a file that is made in it later is reported")
  func later() async throws {
    let folder = try ScratchFolder()
    let follower = try await watch(folder)
    try folder.make("a/b")
    try await follower.until { $0.scans.count > 0 }
    try folder.write("a/b/bees.emojiart")
    try await follower.until { $0.files == ["a/b/bees.emojiart"] }
    try folder.write("a/b/bees.emojiart", "more")
    try await follower.until { $0.hasReported("a/b/bees.emojiart") }
    await follower.watcher.close()
  }

  @Test(
    "W11 a subfolder that is moved within the folder, out of it or into it is watched with all its files where it is then"
  )
  func moved() async throws {
    let folder = try ScratchFolder()
    try folder.shell(
      "mkdir -p art/a/b art/c out/in; touch art/a/1.emojiart art/a/b/2.emojiart out/in/3.emojiart")
    let follower = try await watch(folder, "art")
    #expect(await follower.files == ["a/1.emojiart", "a/b/2.emojiart"])
    try folder.move("art/a", to: "art/c/moved")
    try await follower.until { $0.files == ["c/moved/1.emojiart", "c/moved/b/2.emojiart"] }
    try folder.write("art/c/moved/b/2.emojiart", "changed")
    try await follower.until { $0.hasReported("c/moved/b/2.emojiart") }
    try folder.move("out/in", to: "art/in")
    try await follower.until { $0.files.contains("in/3.emojiart") }
    try folder.move("art/c", to: "out/c")
    try await follower.until { $0.files == ["in/3.emojiart"] }
    try folder.write("out/c/moved/9.emojiart")
    try folder.write("art/in/4.emojiart")
    let events = try await follower.until { $0.files == ["in/3.emojiart", "in/4.emojiart"] }
    #expect(
      !events.contains {
        if case .changed(let files) = $0 { files.contains { $0.path.contains("9") } } else { false }
      })
    try await agree(follower)
  }

  @Test(
    "W11 after subfolders are swapped, made again and moved over each other, the reported files are those that are there"
  )
  func shuffled() async throws {
    let folder = try ScratchFolder()
    try folder.shell("for i in a b c d; do mkdir -p $i/x; touch $i/$i.emojiart $i/x/$i$i.emojiart; done")
    let follower = try await watch(folder)
    try folder.shell(
      """
      mv a t; mv b a; mv t b
      rm -r c; mkdir c; touch c/new.emojiart
      mv d/x a/x/under; mkdir d/x; touch d/x/again.emojiart
      for i in 1 2 3 4 5 6 7 8 9 10; do mv a z; mv z a; rm -r c; mkdir -p c/y; touch c/y/$i.emojiart; done
      """)
    try await agree(follower)
  }

  @Test("W11 after random moves of real folders the reported files are those that find lists")
  func random() async throws {
    var steps = 0
    let campaign = Campaign("subfolders", smoke: 1)
    for seed in campaign.cases {
      var random = campaign.random(seed)
      let folder = try ScratchFolder()
      let follower = try await watch(folder)
      let names = ["a", "b", "a/c", "b/c", "a/c/d", "e"]
      for _ in 0..<60 {
        steps += 1
        let (one, two) = (
          names.randomElement(using: &random) ?? "a", names.randomElement(using: &random) ?? "a"
        )
        // Impossible moves fail, and the test goes on.
        switch Int.random(in: 0..<5, using: &random) {
        case 0: try folder.shell("mkdir -p \(one); touch \(one)/\(steps).emojiart || :")
        case 1: try folder.shell("mv -T \(one) \(two) 2>/dev/null || :")
        case 2: try folder.shell("rm -rf \(one)")
        case 3: try folder.shell("touch \(one)/x.emojiart 2>/dev/null || :")
        default: try folder.shell("mv \(one)/*.emojiart \(two)/ 2>/dev/null || :")
        }
      }
      try await agree(follower)
    }
    print("W11 subfolders: \(steps) random moves")
    campaign.report(tried: campaign.count)
  }

  @Test(
    "W12 links are not followed, no FIFO and nothing outside the folder is reported, and any name in UTF-8 is reported as it is"
  )
  func links() async throws {
    let folder = try ScratchFolder()
    try folder.shell("mkdir -p art outside/deep; touch outside/o.emojiart outside/deep/p.emojiart")
    let follower = try await watch(folder, "art")
    try folder.shell(
      """
      cd art; ln -s ../outside linked; ln -s ../outside/o.emojiart l.emojiart; mkfifo f.emojiart
      mkdir sub; ln -s ../../outside sub/linked; touch "$(printf 'a\\nb\\033[31m c\\\\.emojiart')" "$(printf 'u\\377.emojiart')"
      touch "$(printf '\\303\\251.emojiart')" "$(printf 'e\\314\\201.emojiart')"
      """)
    let expected = ["a\nb\u{1b}[31m c\\.emojiart", "\u{e9}.emojiart", "e\u{301}.emojiart"]
    try await follower.until { view in
      expected.allSatisfy { name in view.changedFiles.contains { $0.path.utf8.elementsEqual(name.utf8) } }
    }
    try folder.write("outside/q.emojiart")
    try folder.write("outside/deep/r.emojiart")
    try await end(follower)
    let view = await follower.view()
    #expect(!view.changedFiles.contains { $0.path.contains("linked") || $0.path.contains("q.") })
    #expect(view.scans.flatMap(\.files).isEmpty)
    #expect(!view.changedFiles.contains { $0.path.hasPrefix("u") })
  }

  @Test(
    "W12 folders beyond the longest path are ignored without an event, and all files above them are reported")
  func long() async throws {
    let folder = try ScratchFolder()
    // Plain names, and names that are four times as long in the helper's lines.
    for letter in ["d", "\n"] {
      let name = String(repeating: letter, count: 250)
      var here = open(folder.path, O_RDONLY | O_DIRECTORY)
      for _ in 1...20 {
        #expect(mkdirat(here, name, 0o700) == 0)
        let next = openat(here, name, O_RDONLY | O_DIRECTORY)
        close(here)
        here = next
        close(openat(here, "a.emojiart", O_CREAT | O_WRONLY, 0o600))
      }
      close(here)
    }
    defer { _ = try? folder.shell("rm -rf ?????*") }
    let observed = ObservedHelper()
    let follower = Follower(FolderWatcher(folder.path, start: observed.start), root: folder.path)
    try await follower.until { !$0.scans.isEmpty }
    // Each level is 251 bytes.
    let levels = (Int(PATH_MAX) - 1 - folder.path.utf8.count) / 251
    #expect(await follower.files.count == 2 * levels && levels < 17)
    let last = Array(repeating: String(repeating: "\n", count: 250), count: levels).joined(separator: "/")
    try folder.shell("cd '\(last)'; mkdir '\(String(repeating: "e", count: 250))'; touch bees.emojiart")
    try await follower.until { $0.hasReported("\(last)/bees.emojiart") }
    #expect(await follower.view().degraded.isEmpty && observed.processes.count == 1)
    await follower.watcher.close()
  }

  @Test("W12 folders more than 64 deep are reported as not watched, and all files above them are reported")
  func deep() async throws {
    let folder = try ScratchFolder()
    let chain = Array(repeating: "d", count: 70)
    try folder.make(chain.joined(separator: "/"))
    let at64 = chain.prefix(64).joined(separator: "/")
    try folder.write("\(at64)/in.emojiart")
    try folder.write("\(at64)/d/out.emojiart")
    let follower = Follower(FolderWatcher(folder.path, .real()), root: folder.path)
    try await follower.until { !$0.scans.isEmpty }
    #expect(await follower.files == ["\(at64)/in.emojiart"])
    #expect(await follower.view().degraded.first?.contains("64 folders deep") == true)
    await follower.watcher.close()
  }
}

extension ScratchFolder {
  static func found(in path: String) throws -> [String] {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/find")
    process.arguments = [path, "-type", "f", "-name", "?*.emojiart", "-printf", "%P\\0"]
    let output = Pipe.unshared()
    process.standardOutput = output
    try process.start()
    let text = output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    return String(decoding: text, as: UTF8.self).split(separator: "\0").map(String.init)
  }
}
