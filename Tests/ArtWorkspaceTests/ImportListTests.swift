// SPDX-License-Identifier: Apache-2.0

import ArtModel
import Foundation
import Testing

@testable import ArtWorkspace

@Suite("Lists of files to import")
struct ImportListTests {
  @Test("an import of a folder includes files that end in .emojiart or .json, or have no ending")
  func names() {
    for name in ["bees.emojiart", "bees.json", "bees", "a.b.json", "🏽.emojiart"] {
      #expect(ImportList.mayCount(name), "\(name)")
    }
    for name in ["bees.txt", "bees.json.gz", "bees.JSON", ".json", ".emojiart", "a.b"] {
      #expect(!ImportList.mayCount(name), "\(name)")
    }
  }

  @Test("an imported document has the name of its file, with our ending, in the target folder")
  func targets() {
    var list = ImportList(folder: "new", isRecursive: false)
    for path in ["old/bees.json", "bees.emojiart", "/x/bees", "a.b.json", "notes.txt"] { list.addFile(path) }
    #expect(
      list.sources.map(\.target) == [
        "new/bees.emojiart", "new/bees.emojiart", "new/bees.emojiart", "new/a.b.emojiart",
        "new/notes.txt.emojiart",
      ])
    var here = ImportList(folder: ".", isRecursive: false)
    here.addFile("old/bees.json")
    #expect(here.sources.map(\.target) == ["bees.emojiart"])
    #expect(here.sources.allSatisfy { !$0.isFound && !$0.isCalledDocument })
  }

  @Test(
    "folders are listed in the order of names, links and pipes are reported, and subfolders are included only on request"
  )
  func folders() throws {
    let watched = try WatchedFolder()
    let old = watched["old"]
    mkdir(old, 0o755)
    mkdir("\(old)/sub", 0o755)
    for name in ["b.json", "a.emojiart", "c", "d.txt", ".hidden.json", "sub/e.json"] {
      #expect(FileManager.default.createFile(atPath: "\(old)/\(name)", contents: Data("{}".utf8)))
    }
    symlink("b.json", "\(old)/link.json")
    symlink("sub", "\(old)/folder")
    symlink("b.json", "\(old)/link.txt")
    mkfifo("\(old)/pipe", 0o644)
    for isRecursive in [false, true] {
      var list = ImportList(folder: "new", isRecursive: isRecursive)
      list.addFolder(old)
      let below = isRecursive ? ["sub/e"] : []
      #expect(list.sources.map(\.target) == (["a", "b", "c"] + below).map { "new/\($0).emojiart" })
      #expect(list.sources.allSatisfy { $0.isFound })
      #expect(list.passed.map(\.name) == ["folder", "link.json", "pipe"].map { "\(old)/\($0)" })
      #expect(list.passed.map(\.kind) == ["a symbolic link", "a symbolic link", "a pipe"])
      #expect(list.foldersPassed == (isRecursive ? 0 : 1))
      #expect(list.others.count == 2 && list.others.first.count == 2 && list.faults.isEmpty && list.hasFolder)
    }
    var missing = ImportList(folder: "new", isRecursive: true)
    missing.addFolder("\(old)/nowhere")
    #expect(missing.faults.map(\.error.code) == [.noSuchDocument])
  }

  @Test("U4 an export replaces only JSON that is entirely a document, and an empty file")
  func replacing() throws {
    let watched = try WatchedFolder()
    let path = watched["a.json"]
    func place(_ text: String) throws -> OutputLocation {
      try Data(text.utf8).write(to: URL(filePath: path))
      return try OutputLocation(path, replacing: .exchanges(mayHaveOurEnding: false))
    }
    let foreign = [
      #"{"image":"nginx","ports":[80]}"#, #"{"url":"https://example.org"}"#, #"{"emojis":{}}"#,
      #"{"emojis":[]} and more"#,
    ]
    for text in foreign { #expect(throws: ArtError.self, "\(text)") { try place(text) } }
    for text in ["", #"{"emojis":[]}"#, #"{ "image": null, "emojis": [] }"#] {
      #expect(throws: Never.self, "\(text)") { try place(text) }
    }
  }
}
