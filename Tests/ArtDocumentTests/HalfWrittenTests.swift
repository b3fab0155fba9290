// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtStore
import Foundation
import Testing

@testable import ArtDocument

@Suite("Documents whose files are being written") struct HalfWrittenTests {
  private let folder: DocumentFolder

  init() throws { folder = try DocumentFolder() }

  /// Saves only when it is asked to: its clock stands still.
  private static let patient = AutosavePolicy(changes: 1_000, delay: .seconds(60))

  private func url(_ path: String) -> URL { URL(fileURLWithPath: path) }

  @Test("D15 of a file that may be being written nothing bad is told, and nothing is saved into it")
  func halfWritten() async throws {
    let file = try folder.make()
    let (reader, editor) = (
      try await DocumentFolder.open(file, Self.patient), try await DocumentFolder.open(file, Self.patient)
    )
    let events = [reader.events(ownEdits: false), editor.events(ownEdits: false)]
    try await editor.perform(.bee(x: 1))
    try Data(contentsOf: url(file.path)).write(to: url(file.path + ".next"))
    let next = try await DocumentFolder.open(DocumentFile(file.path + ".next"))
    try await next.perform(.bee(x: 2))
    try await next.close()
    // As cp and rsync do it: cut off, or with the end of what was there.
    let (old, bytes) = (try Data(contentsOf: url(file.path)), try Data(contentsOf: url(file.path + ".next")))
    var tried = 0
    let known = DocumentBase(await reader.content)
    for cut in stride(from: 4_096, to: bytes.count, by: 4_096) {
      for half in [bytes.prefix(cut), bytes.prefix(cut) + old.dropFirst(cut)]
      where half != old && half != bytes {
        try half.write(to: url(file.path))
        // Some are whole: what they lack means nothing. Some are as they were, as far as their own row tells.
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
    let heard = [await events[0].until { _ in false }, await events[1].until { _ in false }]
    #expect(changes(heard[0]).map(\.edits.count) == [1, 1])
    #expect(changes(heard[1]).map(\.edits.count) == [1])
    #expect(heard.allSatisfy { !$0.contains { if case .state(.error) = $0 { true } else { false } } })
  }

  private func changes(_ events: [DocumentEvent]) -> [ContentChange] {
    events.compactMap { if case .changed(let change) = $0 { change } else { nil } }
  }
}
