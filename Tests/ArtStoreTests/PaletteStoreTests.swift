// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@testable import ArtModel
@testable import ArtStore

@Suite("The files of palettes") struct PaletteStoreTests {
  private let folder: Workspace
  private let bees: [EmojiText]

  init() throws {
    folder = try Workspace()
    bees = [try EmojiText("🐝")]
    try #require(mkdir(folder["state"], 0o700) == 0)
  }

  private var path: String { folder["config/palettes.json"] }
  private var recentPath: String { folder["state/recent.json"] }
  private var recentStore: RecentStore { RecentStore(in: folder["state"]) }
  private var store: PaletteStore { PaletteStore(in: folder["config"], recentStore) }

  private func names() throws -> [String] {
    guard FileManager.default.fileExists(atPath: folder["config"]) else { return [] }
    return try FileManager.default.contentsOfDirectory(atPath: folder["config"]).sorted()
  }

  private func make(_ name: String, in store: PaletteStore? = nil) throws {
    let bees = bees
    try (store ?? self.store).update { (palettes) throws(ArtError) in
      try palettes.make(PaletteName(name), of: bees)
    }
  }

  @Test("the file of palettes is private to its user, or keeps the permissions that it had")
  func kept() throws {
    #expect(try store.palettes() == Palettes())
    #expect(try names() == [], "reading makes no file")
    try make("bugs")
    #expect(try store.palettes()[PaletteName("bugs")]?.emojis == bees)
    var status = stat()
    try #require(stat(path, &status) == 0)
    #expect(status.st_mode & 0o777 == 0o600)
    try #require(stat(folder["config"], &status) == 0)
    #expect(status.st_mode & 0o777 == 0o700)
    chmod(path, 0o644)
    try make("more")
    try #require(stat(path, &status) == 0)
    #expect(status.st_mode & 0o777 == 0o644)
    #expect(try names() == ["palettes.json"])
    // An update without a change writes nothing.
    let before = try fingerprint(path)
    let bees = bees
    try store.update { (palettes) throws(ArtError) in
      try palettes.edit(PaletteName("bugs"), PaletteEdit(adding: bees))
    }
    #expect(try fingerprint(path) == before)
  }

  @Test(
    "the folder of palettes follows EMOJIART_CONFIG, XDG_CONFIG_HOME or HOME, and without one there are only the themes"
  )
  func places() throws {
    var variables = ["EMOJIART_CONFIG": "/c", "XDG_CONFIG_HOME": "/x", "HOME": "/h"]
    #expect(try ConfigFolder.path { variables[$0] } == "/c")
    variables["EMOJIART_CONFIG"] = nil
    #expect(try ConfigFolder.path { variables[$0] } == "/x/emojiart")
    variables["XDG_CONFIG_HOME"] = nil
    #expect(try ConfigFolder.path { variables[$0] } == "/h/.config/emojiart")
    #expect(failure { try ConfigFolder.path { _ in nil } }?.code == .inputOutput)
    variables = ["XDG_CONFIG_HOME": "x", "HOME": "/h"]
    #expect(try ConfigFolder.path { variables[$0] } == "/h/.config/emojiart")
    variables["HOME"] = "h"
    #expect(failure { try ConfigFolder.path { variables[$0] } } == .noConfigFolder)
    variables["EMOJIART_CONFIG"] = "c"
    #expect(failure { try ConfigFolder.path { variables[$0] } }?.code == .badValue)
    #expect(failure { try make("bugs", in: PaletteStore(in: nil, recentStore)) }?.code == .inputOutput)
    // A home that is not a folder has no palettes.
    for nowhere in [nil, "/dev/null/.config/emojiart"] {
      #expect(try PaletteStore(in: nowhere, recentStore).palettes() == Palettes())
    }
    // An empty variable counts as not set.
    let ended = try run(
      emojiart, ["palette", "make", "bugs", "🐝"],
      environment: ["EMOJIART_CONFIG": "", "XDG_CONFIG_HOME": folder["own"]])
    #expect(ended.status == 0 && access(folder["own/emojiart/palettes.json"], F_OK) == 0, "\(ended)")
  }

  @Test("L2 programs that change palettes at once lose no change")
  func together() async throws {
    let bees = self.bees
    let store = self.store
    let wrong = await withTaskGroup(of: Int.self) { group in
      for number in 0..<8 {
        group.addTask {
          var wrong = 0
          for round in 0..<10 {
            var isDone = false
            while !isDone {
              do throws(ArtError) {
                try store.update { (palettes) throws(ArtError) in
                  try palettes.make(PaletteName("p\(number)-\(round)"), of: bees)
                }
                isDone = true
              } catch {
                // On a busy machine an update may exceed its timeout, which is reported as busy.
                isDone = error.code != .busy
                wrong += isDone ? 1 : 0
              }
            }
          }
          return wrong
        }
      }
      return await group.reduce(0, +)
    }
    #expect(wrong == 0)
    #expect(try store.palettes().own.count == 80)
    #expect(try names() == ["palettes.json"])
  }

  @Test("L2 the file of a killed update does not hinder the next one, and a held lock is reported as busy")
  func killed() throws {
    try make("bugs")
    let whole = try bytes(path)
    for count in [0, 1, whole.count / 2, whole.count] {
      try write(Array(whole.prefix(count)), to: path + ".new")
      #expect(try store.palettes()[PaletteName("bugs")]?.emojis == bees)
      try make("p\(count)")
      #expect(try names() == ["palettes.json"])
    }
    let before = try bytes(path)
    let lock = open(folder["config"], O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    try #require(flock(lock, LOCK_EX) == 0)
    #expect(failure { try make("more") }?.code == .busy)
    #expect(try store.palettes().own.count == 5, "reading does not wait for the lock")
    close(lock)
    #expect(try bytes(path) == before)
  }

  @Test("L3 a file that is no valid palettes file is refused with its path, and stays as it is")
  func broken() throws {
    try make("bugs")
    let contents = [
      "", "{", "null", "{\"palettes\":{\"bugs\":[\"🐝\",]}}", "{\"palettes\":{},\"version\":9}",
      String(repeating: " ", count: 1 << 20) + " ",
    ]
    for content in contents {
      try write(Array(content.utf8), to: path)
      let before = try fingerprint(path)
      for error in [failure { try store.palettes() }, failure { try make("more") }] {
        let error = try #require(error)
        #expect(error.cause.contains(path) && [.badJSON, .newerFormat, .tooLarge].contains(error.code))
      }
      #expect(try fingerprint(path) == before)
    }
    try #require(unlink(path) == 0 && mkfifo(path, 0o600) == 0)
    #expect(failure { try make("more") }?.code == .notADocument)
    try #require(unlink(path) == 0 && mkdir(path, 0o700) == 0)
    #expect(failure { try make("more") }?.code == .notADocument)
    #expect(failure { try store.palettes() }?.code == .notADocument)
    #expect(try names() == ["palettes.json"])
  }

  @Test("a symbolic link to the file stays, and its target is replaced")
  func linked() throws {
    try #require(mkdir(folder["dotfiles"], 0o700) == 0 && mkdir(folder["config"], 0o700) == 0)
    symlink("../dotfiles/mine.json", path)
    #expect(failure { try make("bugs") } != nil, "a link without a target is not replaced")
    try write(Array(Palettes().fileText.utf8), to: folder["dotfiles/mine.json"])
    try make("bugs")
    #expect(try store.palettes().own.count == 1)
    var status = stat()
    #expect(lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFLNK)
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder["dotfiles"]) == ["mine.json"])
  }

  @Test(
    "L4 the recent emoji have their own file, and count as none where it is damaged, locked or absent"
  )
  func recent() throws {
    let store = recentStore
    #expect(store.emojis() == [])
    let flower = try EmojiText("🌸")
    let kept = [store.add(bees), store.add([flower]), store.add([])]
    #expect(kept == [true, true, true])
    #expect(store.emojis().map(\.string) == ["🌸", "🐝"])
    #expect(try self.store.palettes().recent == store.emojis())
    #expect(try names() == [])
    let before = try fingerprint(recentPath)
    store.add([flower])
    #expect(try fingerprint(recentPath) == before, "the newest emoji is not written again")
    for content in ["", "x", "[]", #"{"recent":["word"]}"#, String(repeating: " ", count: 1 << 17)] {
      try write(Array(content.utf8), to: recentPath)
      #expect(store.emojis() == [])
    }
    try write([], to: recentPath)
    #expect(store.add(bees) && store.emojis() == bees)
    let lock = open(folder["state"], O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    try #require(flock(lock, LOCK_EX) == 0)
    #expect(!store.add([flower]))
    #expect(store.emojis() == bees)
    close(lock)
    try store.forget()
    #expect(store.emojis() == [])
    unlink(recentPath)
    mkdir(recentPath, 0o700)
    #expect(!store.add(bees) && store.emojis() == [])
    rmdir(recentPath)
  }
}
