// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import ArtModel
@testable import ArtStore

@Suite("A slow disk") struct SlowDiskTests {
  @Test("T4 a disk that takes seconds for a save does not hold up the answers")
  func answersGoOn() throws {
    let folder = try Workspace()
    let file = try folder.document()
    let id = try file.add(seed: 3)
    let lines = (0..<2_000).map { #"{"move":{"ref":"\#(id)","to":[\#($0 + 1),7]}}"# }
    let input = folder.path + ".input"
    defer { unlink(input) }
    try write(Array((lines.joined(separator: "\n") + "\n").utf8), to: input)
    // Each synchronising takes 0.7 seconds; a save has four or more.
    let slow =
      "exec strace -f -qq -o /dev/null -e trace=fdatasync,fsync -e inject=fdatasync,fsync:delay_enter=700000 "
    let ended = try run(
      "sh", ["-c", slow + "'\(emojiart)' edit '\(file.path)' --json <'\(input)'"], seconds: 120)
    #expect(ended.status == 0, "\(ended.errors)")
    let told = ended.output.split(separator: "\n")
    let saving = try #require(told.firstIndex { $0.hasPrefix(#"{"state":"saving"}"#) })
    let saved = try #require(told.firstIndex { $0.hasPrefix(#"{"saved""#) })
    let answered = told[..<saved].count { $0.hasPrefix(#"{"ok""#) }
    print("T4 slow disk: \(answered) of 2000 edits answered before the first save was done")
    #expect(saving < saved && answered == 2_000)
    #expect(try file.read().emoji(id)?.position.x == 2_000)
  }
}
