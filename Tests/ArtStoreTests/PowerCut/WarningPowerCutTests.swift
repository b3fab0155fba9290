// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@testable import ArtModel
@testable import ArtStore

/// A power cut while the real program stops a document's warning, and while it takes that back.
@Suite struct WarningPowerCutTests {
  /// The whole files of warnings in a folder. Their names depend on the path of the document.
  private static func records(_ folder: String) throws -> [String] {
    let path = "\(folder)/state/warnings"
    guard access(path, F_OK) == 0 else { return [] }
    return try FileManager.default.contentsOfDirectory(atPath: path).filter { $0.hasSuffix(".json") }
      .map { String(decoding: try bytes("\(path)/\($0)"), as: UTF8.self) }
  }

  @Test(
    "B23 an acknowledged change by `warnings` is there after a power cut, also the removal of a record",
    arguments: ["--stop", "--keep"])
  func answered(_ option: String) throws {
    let folder = try Workspace()
    let file = try folder.document()
    let state = ["EMOJIART_STATE": folder["state"]]
    if option == "--keep" {
      try #require(try run(emojiart, ["warnings", file.path, "--stop"], environment: state).status == 0)
    }
    let before = try Self.records(folder.path)
    var recording = try Recording(of: folder.path)
    try recording.record(emojiart, ["warnings", file.path, option], environment: state)
    #expect(try Self.records(folder.path) != before)
    let power = try PowerCut(recording)
    let states = try AcknowledgedStates(recording, read: Self.records)
    let campaign = Campaign("power-cuts-of-warnings", smoke: 60)
    let outcome = try power.cut(campaign) { try states.judge($0) }
    let control = try PowerCut(recording.withoutSyncs).cut(campaign) { try states.judge($0) }
    print(
      "B23 power cut in warnings \(option): \(outcome.cuts) cuts in \(recording.events.count) steps: lost "
        + "\(outcome.lost), torn \(outcome.torn); control without syncs: lost \(control.lost)")
    campaign.report(tried: outcome.cuts)
    #expect(outcome.faults == [] && power.answers == 1)
    #expect(control.lost > 0, "the control finds losses")
  }
}
