// SPDX-License-Identifier: Apache-2.0

import ArtSystem
import Foundation
import TestSupport
import Testing

@testable import ArtModel
@testable import ArtStore

@Suite("Names that leave no room for a journal") struct LongNameTests {
  private let folder: Workspace

  init() throws { folder = try Workspace() }

  /// A document under a name of so many bytes, without its ending.
  private func document(_ bytes: Int) throws -> DocumentFile {
    let file = try folder.document("bees.emojiart", seed: UInt64(bytes))
    let path = folder[String(repeating: "b", count: bytes) + ".emojiart"]
    try #require(rename(file.path, path) == 0)
    return DocumentFile(path)
  }

  @Test("C14 a document is made under a name of 238 bytes at most, which the error says")
  func creating() throws {
    let longest = String(repeating: "b", count: 238)
    #expect(try folder.document(longest + ".emojiart").read().emojiCount == 0)
    for name in [longest + "b", longest + "bbbbbbbb", longest + longest] {
      let error = failure { try folder.document(name + ".emojiart") }
      #expect(
        error?.code == .badValue && error?.cause.contains("at most 238 bytes") == true, "\(name.utf8.count)")
    }
    // The number is the file system's, and what SQLite and the ending need.
    #expect(FileSystem.longestName(in: folder.path) - ".emojiart".utf8.count - "-journal".utf8.count == 238)
  }

  @Test(
    "C14 a document under a longer name is read, listed and moved, and says why it is not edited",
    arguments: [239, 246])
  func reading(bytes: Int) throws {
    let file = try document(bytes)
    #expect(try file.read().emojiCount == 0 && file.summary().emojiCount == 0)
    #expect(try file.check().faults.isEmpty)
    #expect(try file.readOnlyReason()?.contains("at most 238 bytes") == true)
    let error = failure { try file.add(seed: 1) }
    #expect(error?.code == .badValue && error?.cause.contains("at most 238 bytes") == true)
    let moved = try file.move(to: folder["bees.emojiart"])
    try moved.add(seed: 2)
    #expect(try moved.read().emojiCount == 1)
  }

  @Test("U5 W12 folders, special files and AppleDouble files are no documents of a folder")
  func listing() throws {
    _ = try folder.document("bees.emojiart")
    try #require(symlink("bees.emojiart", folder["link.emojiart"]) == 0)
    try write([], to: folder["empty.emojiart"])
    try write(Array("\u{0}\u{5}\u{16}\u{7}".utf8), to: folder["._bees.emojiart"])
    try #require(mkdir(folder["folder.emojiart"], 0o755) == 0)
    try #require(symlink("folder.emojiart", folder["folder link.emojiart"]) == 0)
    try #require(mkfifo(folder["pipe.emojiart"], 0o644) == 0)
    #expect(
      try FolderListing(of: folder.path).names == ["bees.emojiart", "empty.emojiart", "link.emojiart"])
  }
}
