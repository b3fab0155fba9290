// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import ArtModel
@testable import ArtStore

@Suite("The format of journals") struct FrozenJournalTests {
  @Test("F6 the journal in FORMAT is read as FORMAT describes, and is written again as the same bytes")
  func documented() throws {
    let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    let page = root.deletingLastPathComponent().appendingPathComponent("docs/FORMAT.md")
    let text = try String(contentsOf: page, encoding: .utf8)
    let lines = text.split(separator: "\n").filter {
      $0.contains(/^[0-9a-f]{16} \{/)
    }
    #expect(lines.count == 3)
    let head = try check(lines.joined(separator: "\n") + "\n", of: "kpz3hxcmq6qt", "ss0ebmwf79da")
    let home = try #require(head.home)
    #expect(
      home.machine == "a1f015478d894a0fb77391df4c895ace" && home.boot == "0df459bc1f2342609c54ea56c3687bf3")
    #expect(home.namespace == 4 && home.processStart == 470_499)
  }

  @Test(
    "F6 a journal without a home in its head is read as before, and is written again as the same bytes")
  func older() throws {
    #expect(try check(Self.older, of: "0j33wbnbzpky", "9ktk04z7mz83").home == nil)
  }

  private static let older = #"""
    04438a3c4b60752b {"author":"ada","base":{"head":"h4ax6r6v8v3b:1","revision":1},"device":65024,"document":"0j33wbnbzpky","format":1,"inode":2555906,"origin":"9ktk04z7mz83","path":"/art/bees.emojiart","process":29402,"segment":1,"started":1795238362706}
    6e0d78b10faca923 {"changes":[["move","j4znhbb0",100,200]],"dropped":[],"inverse":[["move","j4znhbb0",512,384]],"kind":"edit","name":"move 🐝","sequence":1,"time":1795238362706}
    ce36032d2b7665e3 {"changes":[["move","j4znhbb0",512,384]],"dropped":[],"inverse":[["move","j4znhbb0",100,200]],"kind":"undo","name":"move 🐝","of":"9ktk04z7mz83:1","sequence":2,"time":1795238362706}

    """#

  /// Reads a segment of two edits and writes it again; returns its head.
  private func check(_ text: String, of document: String, _ program: String) throws -> JournalHead {
    let bytes = Array(text.utf8)
    let origin = try #require(Origin(program))
    let id = JournalID(document: try #require(DocumentID(document)), origin: origin)
    var contents = JournalContents(of: id)
    bytes.withUnsafeBufferPointer { contents.read($0, as: 1) }
    #expect(contents.damage == nil)
    let head = try #require(contents.head)
    #expect(head.author == "ada" && head.path == "/art/bees.emojiart" && head.base.revision == 1)
    #expect(contents.entries.map(\.kind) == [.edit, .undo(EditID(origin: origin, sequence: 1))])
    var written = JournalLines()
    written.append(head, segment: 1)
    for entry in contents.entries { written.append(entry, after: head.author, isLast: true) }
    #expect(written.bytes == bytes)
    // The check can fail.
    var other = JournalContents(of: id)
    let torn = Array(text.replacing("100", with: "101").utf8)
    torn.withUnsafeBufferPointer { other.read($0, as: 1) }
    #expect(other.damage != nil)
    return head
  }
}
