// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtSystem
import ArtTerminal
import Foundation
import Testing

@testable import emojiart

@Suite("What import does before it reads a file") struct ImportTests {
  @Test("after 200 ms a bar shows the progress of an import of many files, and it is cleared at the end")
  func bar() {
    var progress = ImportProgress(total: 2_048)
    #expect(!progress.isDue(at: .milliseconds(199)))
    #expect(progress.isDue(at: .milliseconds(200)))
    #expect(progress.clearing().isEmpty)
    let first = progress.drawing(512, at: .milliseconds(200), columns: 80)
    #expect(first == "\r[#####---------------] 512 of 2048 files")
    #expect(!progress.isDue(at: .milliseconds(299)))
    #expect(progress.isDue(at: .milliseconds(300)))
    // In a narrow terminal the bar is left out, and the old line is overwritten.
    let narrow = progress.drawing(1_024, at: .milliseconds(300), columns: 20)
    #expect(narrow == "\r1024 of 2048" + String(repeating: " ", count: 28))
    #expect(
      progress.drawing(2_048, at: .seconds(1), columns: 5) == "\r2048" + String(repeating: " ", count: 8))
    #expect(progress.clearing() == "\r    \r")
    #expect(progress.clearing().isEmpty)
    #expect(!ImportProgress(total: 1).isDue(at: .seconds(9)))
    _ = progress.drawing(1, at: .seconds(2), columns: 0)
    #expect(progress.clearing().isEmpty)
  }

  @Test(
    "C10 a signal during the fetch of a picture is received by the import, which also holds it back")
  func heldTwice() throws {
    try #require(!SignalSource.isIgnored(SIGTERM))
    let outer = SignalSource([SIGTERM])
    let inner = SignalSource()
    pthread_kill(pthread_self(), SIGTERM)
    // Otherwise the signal would end this program here.
    inner.release()
    #expect(outer.next() == SIGTERM)
    #expect(outer.next() == nil)
    outer.release()
  }

  @Test(
    "B25 with --offline a pending background of our own JSON stays pending, and everything left out is reported"
  )
  func silence() async throws {
    let run = try CommandRun()
    defer { #expect(throws: Never.self) { try run.remove() } }
    let script = run.place.appending(path: "script")
    let pending =
      #""pending":{"anchor":"center","reason":"timedOut","since":5,"url":"https://example.org/p.png"}"#
    let commands = """
      mkdir -p old/sub
      echo '{"background":null,"canvas":{"height":6,"width":8},"emojis":[],\(pending),"revision":1}' >old/own.json
      echo '{"emojis":[{"string":"🐝","x":1,"y":2,"size":3}]}' >old/flat.json
      emojiart import old --into new --offline || echo $?
      """
    try Data(commands.utf8).write(to: script)
    let outcome = try await run.run(script: script)
    #expect(
      outcome.stdout == """
        new/own.emojiart: no emoji, background pending (offline), json, from old/own.json
        1 document imported, 1 failed; skipped: 1 folder (--recursive goes on below)
        65

        """)
    #expect(outcome.stderr.hasPrefix("emojiart: old/flat.json: JSON with a list of emoji of which none"))
  }
}
