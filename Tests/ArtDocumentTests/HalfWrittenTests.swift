// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtStore
import Foundation
import Testing

@testable import ArtDocument

@Suite("Documents whose files are being written") struct HalfWrittenTests {
  private let folder: DocumentFolder

  init() throws { folder = try DocumentFolder() }

  /// Saves only on request, because its clock stands still.
  private static let savesOnRequest = AutosavePolicy(changes: 1_000, delay: .seconds(60))

  private func url(_ path: String) -> URL { URL(fileURLWithPath: path) }

  @Test(
    "D15 a refresh of a file that may still be written reports no error, and nothing is saved into the file")
  func halfWritten() async throws {
    let file = try folder.make()
    let (reader, editor) = (
      try await DocumentFolder.open(file, Self.savesOnRequest),
      try await DocumentFolder.open(file, Self.savesOnRequest)
    )
    let events = [reader.events(ownEdits: false), editor.events(ownEdits: false)]
    try await editor.perform(.bee(x: 1))
    try Data(contentsOf: url(file.path)).write(to: url(file.path + ".next"))
    let next = try await DocumentFolder.open(DocumentFile(file.path + ".next"))
    try await next.perform(.bee(x: 2))
    try await next.close()
    // As cp and rsync write it: truncated, or with the end of the old file.
    let (old, bytes) = (try Data(contentsOf: url(file.path)), try Data(contentsOf: url(file.path + ".next")))
    var tried = 0
    let known = DocumentBase(await reader.content)
    for cut in stride(from: 4_096, to: bytes.count, by: 4_096) {
      for half in [bytes.prefix(cut), bytes.prefix(cut) + old.dropFirst(cut)]
      where half != old && half != bytes {
        try half.write(to: url(file.path))
        // Some are complete, because the missing bytes are unused. Some equal the known state, as far as their own row says.
        let isWhole = (try? file.read()) != nil
        guard !isWhole, (try? file.base()) != known else { continue }
        for document in [reader, editor] {
          #expect(await !document.refresh(isQuiet: false))
          #expect(await document.state == .open)
        }
        #expect(try Data(contentsOf: url(file.path)) == half)
        tried += 1
      }
    }
    print("D15 half-written: \(tried) states of a file, none told, none saved into")
    #expect(tried > 3)
    try bytes.write(to: url(file.path))
    #expect(await reader.refresh(isQuiet: false))
    #expect(await editor.refresh())
    #expect(try Set(file.read().emojisInOrder().map(\.position.x)) == [1, 2])
    #expect(await reader.refresh())
    for document in [reader, editor] { try await document.close() }
    let received = [try await events[0].until { _ in false }, try await events[1].until { _ in false }]
    #expect(changes(received[0]).map(\.edits.count) == [1, 1])
    #expect(changes(received[1]).map(\.edits.count) == [1])
    #expect(received.allSatisfy { !$0.contains { if case .state(.error) = $0 { true } else { false } } })
  }

  private func changes(_ events: [DocumentEvent]) -> [ContentChange] {
    events.compactMap { if case .changed(let change) = $0 { change } else { nil } }
  }
}
