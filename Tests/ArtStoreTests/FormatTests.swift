// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import ArtModel
@testable import ArtStore

@Suite struct FormatTests {
  @Test("F1 a new document has the header, the schema and the page size of format 1")
  func header() throws {
    let folder = try Workspace()
    let file = try folder.document()
    let start = try bytes(file.path)
    #expect(start.starts(with: "SQLite format 3\0".utf8))
    #expect(Array(start[16..<18]) == [0x10, 0x00])
    #expect(Array(start[18..<20]) == [1, 1])
    #expect(Array(start[56..<60]) == [0, 0, 0, 1])
    #expect(Array(start[60..<64]) == [0, 0, 0, 1])
    #expect(Array(start[68..<72]) == Array("EmAr".utf8))
    let sql = try shell(file.path, "SELECT count(*), group_concat(name) FROM sqlite_schema")
    #expect(sql == "10|art,emoji,emoji_z,edit,origin,image,aside,archive,version,document\n")
    #expect(try shell(file.path, "PRAGMA integrity_check") == "ok\n")
  }

  @Test("F1 the schema is the frozen schema of format 1")
  func frozenSchema() {
    var sum = RowSum("schema")
    for (name, sql) in Format.schema {
      sum.text(name)
      sum.text(sql)
    }
    #expect(UInt(bitPattern: sum.value) == FrozenNumbers.schema)
  }

  @Test("F1 FORMAT has the schema verbatim, and its SQL examples run")
  func document() throws {
    let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("../..")
    let format = try String(
      contentsOf: root.appendingPathComponent("docs/FORMAT.md").standardizedFileURL, encoding: .utf8)
    let schema = Format.schema.map { $0.sql + ";\n" }.joined()
    #expect(format.contains("```sql\n\(schema)```"))
    let folder = try Workspace()
    let file = try folder.document()
    try file.fill(emojis: 3, edits: 1, imageBytes: 10, seed: 2)
    let lines = format.split(separator: "\n").filter { $0.hasPrefix("sqlite3 bees.emojiart ") }
    #expect(lines.count == 5)
    for line in lines {
      let ended = try run("/bin/sh", ["-ec", "cd '\(folder.path)'; \(line)"])
      #expect(ended.status == 0 && !ended.output.isEmpty && ended.errors.isEmpty, "\(line): \(ended.errors)")
    }
  }

  @Test("F2 a row's sum is XXH3-64 of the encoding in FORMAT")
  func knownSums() {
    let empty = RowSum("emoji")
    #expect(UInt(bitPattern: empty.value) == FrozenNumbers.tableOnly)
    var all = RowSum("art")
    all.null()
    all.integer(-2)
    all.text("🐝")
    [UInt8]([0, 255]).withUnsafeBufferPointer { all.blob($0) }
    #expect(UInt(bitPattern: all.value) == FrozenNumbers.allKinds)
    let digest = Array("emojiart".utf8).withUnsafeBufferPointer { ContentDigest.of($0) }
    #expect(digest == FrozenNumbers.picture)
  }

  @Test("F2 the encoding of a row distinguishes where its values begin and end")
  func distinct() {
    func sum(_ body: (inout RowSum) -> Void) -> Int {
      var sum = RowSum("emoji")
      body(&sum)
      return sum.value
    }
    let sums = [
      sum {
        $0.text("ab"); $0.text("c")
      },
      sum {
        $0.text("a"); $0.text("bc")
      }, sum { $0.text("abc") },
      sum {
        $0.null(); $0.text("abc")
      },
      sum {
        $0.text("abc"); $0.null()
      },
      sum {
        $0.integer(0); $0.text("abc")
      },
      sum {
        $0.text(""); $0.text("abc")
      },
    ]
    #expect(Set(sums).count == sums.count)
  }

  @Test("F6 the view gives the bytes of show --json")
  func view() throws {
    let folder = try Workspace()
    for seed in 1...4 {
      let file = try folder.document("view\(seed).emojiart", seed: UInt64(seed))
      try file.fill(emojis: 3 * seed, edits: 12, seed: UInt64(seed))
      var text: [UInt8] = []
      try file.read().writeJSON { text += $0 }
      let view = try shell(file.path, "SELECT json FROM document")
      #expect(view == String(decoding: text, as: UTF8.self) + "\n")
    }
  }

  @Test("F7 the summary has the counts of the document, and comes from page 2")
  func summary() throws {
    let folder = try Workspace()
    let file = try folder.document()
    try file.fill(emojis: 30, edits: 5, seed: 4)
    let content = try file.read()
    let page = Array(try bytes(file.path)[4096..<8192])
    let row = try #require(LeafPage(page).flatMap { ArtRow(onlyRowOf: $0) })
    #expect(row.emojiCount == content.emojiCount && row.revision == content.revision)
    let summary = try file.summary()
    #expect(summary.emojiCount == content.emojiCount && summary.revision == content.revision)
    #expect(summary.size == (try bytes(file.path).count))
  }

  @Test("F7 the summary of a document whose row is too long for its page comes from SQLite")
  func longSummary() throws {
    let folder = try Workspace()
    let file = try folder.document()
    let long = try PendingBackground(
      url: "data:" + String(repeating: "x", count: 20_000), since: 0, reason: "dns", anchor: .topLeft)
    var maker = try EditMaker(seed: 9)
    let stamp = maker.stamp()
    try file.edit { (transaction: DocumentTransaction) throws(ArtError) in
      _ = try transaction.perform(Edit(name: "pending", changes: [.setPending(long)]), stamp: stamp)
    }
    #expect(LeafPage(Array(try bytes(file.path)[4096..<8192])) == nil)
    #expect(try file.summary().revision == 1)
    let view = try shell(file.path, "SELECT json FROM document")
    #expect(view.contains(#""pending":{"anchor":"topLeft""#))
  }
}
