// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtProtocol
import ArtWorkspace
import Testing

@Suite("Lines about watched folders") struct NoticeTests {
  private func entry(_ revision: Int, by author: String = "Ada", origin: Int = 1) throws -> LoggedEdit {
    let bee = try #require(EmojiID("00000001"))
    return LoggedEdit(
      EditStamp(id: try #require(EditID("00000000000\(origin):\(revision)")), time: 0, author: author),
      revision: revision, save: revision,
      edit: Edit(name: "move 🐝", changes: [.move(bee, to: try Point(x: Double(revision), y: 80))]),
      inverse: [])
  }

  private func changed(_ edits: [LoggedEdit], isWholeAgain: Bool = false) -> FolderNotice {
    let change = DocumentChange(
      edits: edits, texts: [:], revision: edits.last?.revision ?? 4, isComplete: true)
    return .changed("bees", change, isWholeAgain: isWholeAgain)
  }

  private func json(_ notice: FolderNotice) -> String {
    let notices = ProtocolNotice.notices(notice, folder: "art") { "art/\($0)" }
    return String(decoding: notices.flatMap(\.line), as: UTF8.self)
  }

  @Test("each notice is a line of JSON with sorted keys, and each edit a line of its own")
  func jsonLines() throws {
    let cases: [(FolderNotice, String)] = [
      (.ready(2), #"{"documents":2,"event":"ready","folder":"art"}"#),
      (.added("bees", revision: 3), #"{"document":"art/bees","event":"added","revision":3}"#),
      (.removed("bees"), #"{"document":"art/bees","event":"removed"}"#),
      (
        .renamed("bees", from: "x", revision: 7), #"{"document":"art/bees","event":"renamed","from":"art/x"}"#
      ),
      (
        .damaged("bees", reason: ArtError(.damaged, "a\nb")),
        #"{"document":"art/bees","event":"damaged","reason":"a\nb"}"#
      ),
      (.resync("bees", revision: 9), #"{"document":"art/bees","event":"resync","revision":9}"#),
      (
        .behind("bees", revision: 0, since: 99),
        #"{"all":true,"document":"art/bees","event":"changed","revision":0}"#
      ),
      (.rescanned("why"), #"{"event":"rescanned","folder":"art","reason":"why"}"#),
      (.degraded("why"), #"{"event":"degraded","folder":"art","reason":"why"}"#),
      (
        changed([], isWholeAgain: true), #"{"document":"art/bees","edits":[],"event":"changed","revision":4}"#
      ),
      (
        .changed(
          "bees", DocumentChange(edits: [], texts: [:], revision: 4, isComplete: false), isWholeAgain: false),
        #"{"all":true,"document":"art/bees","event":"changed","revision":4}"#
      ),
    ]
    for (notice, line) in cases { #expect(json(notice) == line + "\n") }
    #expect(
      try json(changed([entry(3), entry(4, by: "Bob", origin: 2)])) == """
        {"document":"art/bees","edits":[{"by":"Ada","changes":[["move","00000001",3,80]],"id":"000000000001:3","what":"move 🐝"}],\
        "event":"changed","origin":"000000000001","revision":3}
        {"document":"art/bees","edits":[{"by":"Bob","changes":[["move","00000001",4,80]],"id":"000000000002:4","what":"move 🐝"}],\
        "event":"changed","origin":"000000000002","revision":4}

        """)
  }
}
