// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import ArtModel
@testable import ArtStore

@Suite("The journal's format") struct FrozenJournalTests {
  @Test("K25 the journal that FORMAT shows reads as it says, and is written so again")
  func documented() throws {
    let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    let page = root.deletingLastPathComponent().appendingPathComponent("docs/FORMAT.md")
    let text = try String(contentsOf: page, encoding: .utf8)
    let lines = text.split(separator: "\n").filter {
      $0.contains(/^[0-9a-f]{16} \{/)
    }
    #expect(lines.count == 3)
    let bytes = Array((lines.joined(separator: "\n") + "\n").utf8)
    let origin = try #require(Origin("9ktk04z7mz83"))
    var contents = JournalContents(of: origin)
    bytes.withUnsafeBufferPointer { contents.read($0, as: 1) }
    #expect(contents.damage == nil)
    let head = try #require(contents.head)
    #expect(head.author == "ada" && head.path == "/art/bees.emojiart" && head.base.revision == 1)
    #expect(contents.entries.map(\.kind) == [.edit, .undo(EditID(origin: origin, sequence: 1))])
    var written = JournalLines()
    written.append(head, segment: 1)
    for entry in contents.entries { written.append(entry) }
    #expect(written.bytes == bytes)
    // The check can fail.
    var other = JournalContents(of: origin)
    let torn = Array(String(decoding: bytes, as: UTF8.self).replacing("100", with: "101").utf8)
    torn.withUnsafeBufferPointer { other.read($0, as: 1) }
    #expect(other.damage != nil)
  }
}
