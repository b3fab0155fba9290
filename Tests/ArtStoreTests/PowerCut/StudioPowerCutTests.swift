// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@testable import ArtModel
@testable import ArtStore

/// The studio's server with two pages that edit, replayed onto a disk that loses its power.
///
/// `scripts/dev torture studio record` runs the server and the pages. It prints each revision that a page showed as saved; strace follows all of
/// them. The two pages add emoji in rows of their own, at x = 1, 2, …
@Suite struct StudioPowerCutTests {
  private static let name = "cut.emojiart"

  /// The places of each page's emoji in its row, ascending.
  private static func places(in content: DocumentContent) -> [[Int]] {
    [1_000.0, 2_000].map { row in
      content.emojisInOrder().filter { $0.position.y == row }.map { Int($0.position.x) }.sorted()
    }
  }

  /// The number of each page's edits in a document; nil if they are no first part of its edits.
  private static func edits(in content: DocumentContent) -> [Int]? {
    let places = places(in: content)
    return places.allSatisfy { $0 == Array(1..<$0.count + 1) } ? places.map(\.count) : nil
  }

  @Test("F15 H6 what a page showed as saved is there after a power cut, and journals do it no harm")
  func pages() throws {
    // The server gets no ASAN_OPTIONS, and the search for leaks ends a program that is traced.
    guard !AddressSanitizer.prevents("F15 power cuts in the studio") else { return }
    let folder = try Workspace()
    let file = try folder.document(Self.name)
    let before = try file.read().revision
    var recording = try Recording(of: folder.path)
    let script = URL(fileURLWithPath: #filePath).appendingPathComponent(
      "../../../../scripts/dev"
    ).standardizedFileURL.path
    try recording.record(
      script, ["torture", "studio", "record", file.path, "--program", emojiart],
      environment: ["EMOJIART_STATE": folder["state"]]
    ) { $0.hasPrefix(#"{"saved": {"revision": "#) }
    let power = try PowerCut(recording)
    let campaign = Campaign("studio-power", smoke: 100)
    var (restores, gaps) = (Restores(), 0)
    let outcome = try power.cut(campaign) { remains in
      let file = DocumentFile("\(remains.folder)/\(Self.name)", timeout: .zero)
      let saved = try file.read()
      let promised = remains.answer.flatMap { Int($0.filter(\.isNumber)) } ?? before
      guard saved.revision >= promised else { return .lost }
      guard let edits = Self.edits(in: saved), edits.reduce(before, +) == saved.revision else {
        return .torn("revision \(saved.revision) is no first part of the edits")
      }
      try restores.restore(remains, into: file)
      let after = try file.read()
      for (places, count) in zip(Self.places(in: after), edits)
      where Set(places).count < places.count || !places.starts(with: 1..<count + 1) {
        return .torn("restoring after \(edits) edits gives \(places)")
      }
      // Segments are not synchronised: a newer one may be there without an older one.
      if Self.edits(in: after) == nil { gaps += 1 }
      return .kept
    }
    let control = try PowerCut(recording.withoutSyncs).cut(campaign) { remains in
      let saved = try DocumentFile("\(remains.folder)/\(Self.name)", timeout: .zero).read()
      return saved.revision >= remains.answer.flatMap { Int($0.filter(\.isNumber)) } ?? before ? .kept : .lost
    }
    print(
      "F15 power cut in the studio: \(outcome.cuts) cuts in \(recording.events.count) steps of \(power.answers) saves: "
        + "lost \(outcome.lost), torn \(outcome.torn); \(restores.journals) left a journal of edits, \(restores.damaged) of them damaged, "
        + "\(restores.edits) edits restored, \(gaps) times without older ones; control without syncs: "
        + "lost \(control.lost), torn \(control.torn)")
    #expect(outcome.faults == [])
    campaign.report(tried: outcome.cuts)
    #expect(power.answers >= 12 && outcome.cuts == campaign.count)
    #expect(restores.journals > 0 && restores.edits > 0)
    #expect(control.lost > 0 && control.torn > 0, "the control finds losses and torn documents")
  }
}
