// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import ArtModel
@testable import ArtStore

@Suite("A slow disk") struct SlowDiskTests {
  @Test("T4 edits are answered while a save waits for the disk")
  func answersGoOn() throws {
    let stream = try StreamCase()
    let held = HeldSync(of: stream.file.path + "-journal", tracing: stream.space["trace"])
    let live = try LiveStream(stream, under: held.wrapper, [])
    let (edits, step) = (2_000, 100)
    // The disk takes as long for the first save as the remaining edits need.
    for first in stride(from: 1, through: edits, by: step) {
      try live.send((first..<first + step).map(StreamCase.line))
      try live.wait(for: "\(step) answers") { lines in
        lines.count { $0["ok"] != nil } == first + step - 1
      }
      if first == 1 { try held.waitUntilHeld() }
    }
    #expect(live.lines.contains { $0["state"] as? String == "saving" })
    #expect(!live.lines.contains { $0["saved"] != nil })
    try held.release(for: live.processID)
    try live.wait(for: "a save") { $0.contains { $0["saved"] != nil } }
    let end = try live.end()
    #expect(end.status == 0 && !end.isReported, "\(end.errors)")
    print("T4 slow disk: \(edits) edits answered while the first save was held up")
    #expect(
      StreamCase.Places(in: try stream.file.read()) == StreamCase.Places(after: 1...edits))
  }
}
