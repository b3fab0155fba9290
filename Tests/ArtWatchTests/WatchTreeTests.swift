// SPDX-License-Identifier: Apache-2.0

import ArtSystem
import Foundation
import TestSupport
import Testing

@testable import ArtWatch

@Suite("Folders and watches") struct WatchTreeTests {
  private func entry(_ number: Int32) -> WatchTree.Entry {
    WatchTree.Entry(watch: number, identity: FileIdentity(device: 1, inode: UInt(number)))
  }

  @Test("a watch belongs to the folder that it was given to last")
  func moves() {
    var tree = WatchTree()
    #expect(tree.put(.root, entry(1)) == nil)
    #expect(tree.put(FilePath("a"), entry(2)) == nil)
    #expect(tree.put(FilePath("a/b"), entry(3)) == nil)
    #expect(tree.put(FilePath("c"), entry(2)) == nil, "a moved folder keeps its watch")
    #expect(tree.path(of: 2) == FilePath("c"))
    #expect(tree.folders[FilePath("a")] == nil)
    #expect(
      tree.put(FilePath("c"), entry(4)) == 2,
      "another folder has this path now: the former watch is to end")
    #expect(tree.path(of: 2) == nil)
    #expect(tree.remove(within: FilePath("a")) == [3])
    tree.drop(4)
    tree.drop(77)
    #expect(tree.path(of: 4) == nil)
    #expect(tree.folders.keys.map(\.string) == [""])
  }

  @Test("after random inputs each folder has a watch, and each watch its folder")
  func anyOrder() {
    var random = SplitMix64(seed: 18)
    var tree = WatchTree()
    let names = ["", "a", "a/b", "a/b/c", "ab", "ab/c", "d"].map { FilePath($0) }
    for _ in 0..<20_000 {
      let name = names.randomElement(using: &random) ?? .root
      let number = Int32.random(in: 1..<12, using: &random)
      switch Int.random(in: 0..<4, using: &random) {
      case 0: tree.drop(number)
      case 1:
        let ended = tree.remove(within: name, except: [names[2]])
        #expect(ended.allSatisfy { tree.path(of: $0) == nil })
        #expect(!tree.folders.keys.contains { $0.isWithin(name) && $0 != names[2] })
      default:
        _ = tree.put(name, entry(number))
        #expect(tree.path(of: number) == name)
      }
      for (path, entry) in tree.folders { #expect(tree.path(of: entry.watch) == path) }
    }
  }

  @Test("names are compared by their bytes, and a folder is not within one whose name is its prefix")
  func names() {
    #expect(FilePath("\u{e9}") != FilePath("e\u{301}"))
    #expect(Set([FilePath("\u{e9}"), FilePath("e\u{301}")]).count == 2)
    #expect(FilePath("a/b").isWithin(FilePath("a")))
    #expect(FilePath("a").isWithin(FilePath("a")))
    #expect(!FilePath("ab").isWithin(FilePath("a")))
    #expect(!FilePath("a").isWithin(FilePath("a/b")))
    #expect(FilePath("a").isWithin(.root))
    #expect(FilePath("a/b").parent == FilePath("a"))
    #expect(FilePath("a").parent == .root)
    #expect(FilePath("").parent == nil)
    #expect(FilePath("a/b/c").depth == 3)
    #expect(FilePath("/a").isWithin(FilePath("/")) && !FilePath("a").isWithin(FilePath("/")))
    // The scalar before the point forms one character with it.
    let name = FilePath("\u{600}.emojiart")
    #expect(!name.string.hasSuffix(".emojiart") && name.hasEnding(".emojiart"))
    #expect(name.without(ending: ".emojiart") == FilePath("\u{600}"))
    #expect(FilePath("/\u{301}a").isAbsolute && FilePath("a/").endsWithSlash)
  }
}

@Suite("Listing a folder") struct FolderWalkTests {
  private func walk(_ folder: ScratchFolder, _ change: (inout WatchSettings) -> Void = { _ in }) -> FolderWalk
  {
    var settings = WatchSettings(ending: ".emojiart")
    change(&settings)
    return FolderWalk(folder.path, settings)
  }

  @Test(
    "W12 only regular files with a wanted name are found: no links, no FIFOs, no folders, no names outside UTF-8"
  )
  func wanted() throws {
    let folder = try ScratchFolder()
    try folder.shell(
      """
      touch bees.emojiart 'a b.emojiart' notes.txt .emojiart bees.emojiart-journal "$(printf 'x\\377.emojiart')" "$(printf 'x\\ny.emojiart')"
      mkfifo fifo.emojiart; ln -s bees.emojiart link.emojiart; mkdir dir.emojiart sub; ln -s sub linked; ln bees.emojiart hard.emojiart
      """)
    let flat = try #require(try walk(folder).contents(of: .root))
    #expect(
      flat.files.map(\.string).sorted() == [
        "a b.emojiart", "bees.emojiart", "hard.emojiart", "x\ny.emojiart",
      ])
    #expect(flat.folders.isEmpty)
    let deep = try #require(try walk(folder) { $0.isRecursive = true }.contents(of: .root))
    #expect(deep.folders.map(\.string).sorted() == ["dir.emojiart", "sub"])
    let one = try #require(try walk(folder) { $0.only = "bees.emojiart" }.contents(of: .root))
    #expect(one.files.map(\.string) == ["bees.emojiart"])
    #expect(try walk(folder).contents(of: FilePath("linked")) == nil, "a link is not followed")
    #expect(try walk(folder).contents(of: FilePath("nowhere")) == nil)
    #expect(try walk(folder).contents(of: FilePath("bees.emojiart")) == nil)
  }

  @Test("an event of a journal is an event of its document, and other names are ignored")
  func journals() throws {
    let walk = walk(try ScratchFolder())
    let sub = FilePath("sub")
    #expect(walk.wanted(Array("bees.emojiart-journal".utf8), in: sub) == FilePath("sub/bees.emojiart"))
    #expect(walk.wanted(Array("bees.emojiart".utf8), in: .root) == FilePath("bees.emojiart"))
    for name in [
      ".emojiart", "._bees.emojiart", "bees.txt", "-journal", ".emojiart-journal", "bees.emojiart-wal", "",
    ] {
      #expect(walk.wanted(Array(name.utf8), in: .root) == nil)
    }
    #expect(walk.wanted([0xFF] + Array(".emojiart".utf8), in: .root) == nil)
  }

  @Test("the wanted files are found among 100,000 other files")
  func crowd() throws {
    let folder = try ScratchFolder()
    for number in 0..<100_000 { close(open(folder["file-\(number).png"], O_CREAT | O_WRONLY, 0o600)) }
    for number in 0..<500 { try folder.write("d\(number).emojiart") }
    var found = 0
    let time = try ContinuousClock().measure {
      found = try walk(folder).contents(of: .root)?.files.count ?? 0
    }
    print("looking through: 100500 entries in \(time)")
    #expect(found == 500)
  }

  @Test("W4 remote file systems are recognised by their names in mountinfo")
  func remote() {
    let mounts = """
      22 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw
      40 22 0:45 / /mnt/far rw shared:9 - nfs4 server:/x rw
      41 22 0:46 / /mnt/ssh rw - fuse.sshfs host: rw
      42 22 259:300 / /mnt/usb rw - fuseblk /dev/sdb1 rw
      """
    #expect(RemoteFileSystem.kind(of: 0x801, in: mounts) == nil)
    #expect(RemoteFileSystem.kind(of: 45, in: mounts) == "nfs4")
    #expect(RemoteFileSystem.kind(of: 46, in: mounts) == "fuse.sshfs")
    #expect(RemoteFileSystem.kind(of: (300 & 0xFF) | (300 & ~0xFF) << 12 | 259 << 8, in: mounts) == nil)
    #expect(RemoteFileSystem.kind(of: 4711, in: mounts) == nil)
    var status = stat()
    #expect(stat("/proc", &status) == 0 && RemoteFileSystem.kind(of: UInt(status.st_dev)) == nil)
  }
}
