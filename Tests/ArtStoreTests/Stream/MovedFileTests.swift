// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization
import TestSupport
import Testing

@testable import ArtModel
@testable import ArtStore

/// Files that are moved, replaced, copied and removed under a stream, and before a restore.
@Suite(.serialized) struct MovedFileTests {
  @Test(
    "T3 a stream writes into no file that is not its document, and keeps its edits until the document is back"
  )
  func movedUnderStream() throws {
    var tries: [(MovedFile, MovedPhase, comesBack: Bool)] = []
    for kind in MovedFile.allCases {
      for phase in MovedPhase.allCases {
        tries.append((kind, phase, false))
        // Whether the disk is full early enough is uncertain.
        let mayFail = !kind.isHarmless && !(kind == .diskFull && phase.isDuring)
        if mayFail { tries.append((kind, phase, true)) }
      }
    }
    let campaign = Campaign("moved-files", smoke: 8)
    let places = tries.count
    tries = campaign.chosen(of: tries)
    let rows = run(tries.count) { [tries] index in
      let (kind, phase, comesBack) = tries[index]
      guard let moved = try MovedCase(kind) else { return nil }
      return try moved.stream(phase, comesBack: comesBack)
    }
    try printTable(rows, tries.map { "\($0.rawValue), \($1.rawValue)\($2 ? ", and back" : "")" })
    campaign.report(tried: tries.count, places: places)
  }

  @Test(
    "T3 no edit is restored into a file that is not the document, and none is lost until the document is back"
  )
  func movedBeforeRestore() throws {
    let campaign = Campaign("moved-files-of-a-restore", smoke: 3)
    let kinds = campaign.chosen(of: MovedFile.allCases)
    let rows = run(kinds.count) { index in
      try MovedCase(kinds[index])?.restore()
    }
    try printTable(rows, kinds.map { "\($0.rawValue), before a restore" })
    campaign.report(tried: kinds.count, places: MovedFile.allCases.count)
  }

  @Test("T3 the control: the checks of moved files find the loss of the journal")
  func control() throws {
    for kind in [MovedFile.renamed, .deleted, .folderGone] {
      let moved = try #require(try MovedCase(kind))
      let row = try moved.stream(.before, comesBack: false, losingJournal: true)
      #expect(!row.failures.isEmpty, "\(kind)")
    }
  }

  /// Runs two cases at a time, because they wait most of their time.
  private func run(_ count: Int, _ body: @Sendable (Int) throws -> MovedRow?) -> [Result<
    MovedRow?, any Error
  >] {
    let rows = Mutex<[Int: Result<MovedRow?, any Error>]>([:])
    DispatchQueue.concurrentPerform(iterations: count) { index in
      let row = Result { try body(index) }
      rows.withLock { $0[index] = row }
    }
    return rows.withLock { rows in (0..<count).compactMap { rows[$0] } }
  }

  /// Prints the table.
  private func printTable(_ rows: [Result<MovedRow?, any Error>], _ names: [String]) throws {
    var (tried, skipped) = (0, 0)
    for (row, name) in zip(rows, names) {
      switch row {
      case .success(let row?):
        tried += 1
        print("T3 \(name): \(row.text)")
        #expect(
          row.failures.isEmpty,
          "\(name): \(row.failures.joined(separator: "; ")) (\(row.text)) \(row.details)")
      case .success(nil):
        skipped += 1
        Skip("no mounts")("T3 \(name)")
      case .failure(let error):
        Issue.record(error, "\(name)")
      }
    }
    print("T3 moved files: \(tried) cases tried, \(skipped) skipped")
    #expect(tried + skipped == names.count)
  }
}
