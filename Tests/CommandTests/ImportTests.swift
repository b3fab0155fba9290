// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtSystem
import Foundation
import Testing

@testable import emojiart

@Suite("What import does before it reads a file") struct ImportTests {
  @Test("X62 a bar tells how far an import of many files is, after 200 ms, and goes without a trace")
  func bar() {
    var progress = ImportProgress(total: 2_048)
    #expect(!progress.isDue(at: .milliseconds(199)))
    #expect(progress.isDue(at: .milliseconds(200)))
    #expect(progress.clearing().isEmpty)
    let first = progress.drawing(512, at: .milliseconds(200), columns: 80)
    #expect(first == "\r[#####---------------] 512 of 2048 files")
    #expect(!progress.isDue(at: .milliseconds(299)))
    #expect(progress.isDue(at: .milliseconds(300)))
    // In a narrow one the bar gives way, and what was there is wiped.
    let narrow = progress.drawing(1_024, at: .milliseconds(300), columns: 20)
    #expect(narrow == "\r1024 of 2048" + String(repeating: " ", count: 28))
    #expect(
      progress.drawing(2_048, at: .seconds(1), columns: 5) == "\r2048" + String(repeating: " ", count: 8))
    #expect(progress.clearing() == "\r    \r")
    #expect(progress.clearing().isEmpty)
    #expect(!ImportProgress(total: 1).isDue(at: .seconds(9)))
    _ = progress.drawing(1, at: .seconds(2), columns: 0)
    #expect(progress.clearing().isEmpty)
  }

  @Test("X55 of a folder those files count that end in .emojiart or .json, or have no ending")
  func names() {
    for name in ["bees.emojiart", "bees.json", "bees", "a.b.json", "🏽.emojiart"] {
      #expect(ImportList.mayCount(name), "\(name)")
    }
    for name in ["bees.txt", "bees.json.gz", "bees.JSON", ".json", ".emojiart", "a.b"] {
      #expect(!ImportList.mayCount(name), "\(name)")
    }
  }

  @Test("X54 a document is called as its file was, with our ending, in the folder that was asked for")
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

  @Test("X55 folders are looked through in the order of names, links named, and those below only where asked")
  func folders() throws {
    let run = try CommandRun()
    defer { #expect(throws: Never.self) { try run.remove() } }
    let old = run.place.appending(path: "work/old").path
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
      #expect(list.others == 2 && list.faults.isEmpty && list.hasFolder)
    }
    var missing = ImportList(folder: "new", isRecursive: true)
    missing.addFolder("\(old)/nowhere")
    #expect(missing.faults.map(\.error.code) == [.noSuchDocument])
  }

  @Test(
    "X63 a signal that comes while a picture is waited for stays with the import, which holds it back, too")
  func heldTwice() throws {
    try #require(!SignalSource.isIgnored(SIGTERM))
    let outer = SignalSource([SIGTERM])
    let inner = SignalSource()
    pthread_kill(pthread_self(), SIGTERM)
    // Else it would end this program here.
    inner.release()
    #expect(outer.next() == SIGTERM)
    #expect(outer.next() == nil)
    outer.release()
  }

  @Test("X69 -o replaces only JSON that is a document, all of it, and an empty file")
  func replacing() throws {
    let run = try CommandRun()
    defer { #expect(throws: Never.self) { try run.remove() } }
    let path = run.place.appending(path: "work/a.json").path
    func place(_ text: String) throws -> FilePlace {
      try Data(text.utf8).write(to: URL(filePath: path))
      return try FilePlace(path, replacing: .exchanges(mayHaveOurEnding: false))
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

  @Test(
    "X71 with --offline what our own JSON says is still to come is left alone, and nothing is passed over in silence"
  )
  func silence() async throws {
    let run = try CommandRun()
    defer { #expect(throws: Never.self) { try run.remove() } }
    let script = run.place.appending(path: "script")
    let pending =
      #""pending":{"anchor":"center","reason":"timedOut","since":5,"url":"https://example.org/p.png"}"#
    let commands = """
      mkdir -p old/sub
      echo '{"background":null,"canvas":{"height":6,"width":8},"emojis":[],\(pending),"revision":1}' >old/own.json
      echo '{"emojis":[{"string":"🐝","x":1,"y":2,"size":3}]}' >old/flat.json
      emojiart import old --into new --offline || echo $?
      """
    try Data(commands.utf8).write(to: script)
    let outcome = try await run.run(script: script)
    #expect(
      outcome.stdout == """
        new/own.emojiart: no emoji, background pending (offline), json, from old/own.json
        1 document came in, 1 did not; passed over: 1 folder (--recursive goes on below)
        65

        """)
    #expect(outcome.stderr.hasPrefix("emojiart: old/flat.json: JSON with a list of emoji of which none"))
  }
}
