// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@Suite("The tally of a commit")
struct TallyTests {
  @Test("a tally for a release is a table, and fails unless its campaigns are whole and found nothing")
  func markdown() async throws {
    let run = try CommandRun()
    defer { #expect(throws: Never.self) { try run.remove() } }
    let dev = Project.root.appending(path: "scripts/dev").path
    let output = try await run.output(
      of: """
        export XDG_STATE_HOME=$PWD/state
        tally() { '\(dev)' torture half-saves --tally "$@" 2>/dev/null; }
        folder=$(tally | sed -n 's/.*tally in //p')
        mkdir -p "$folder"
        show() { status=0; tally --markdown >shown || status=$?; grep -v '^# Tally of ' shown; echo $status; }
        show
        printf 'campaign half-saves of it\\npart 1 1 0 0 not tried\\n  not tried: no luck: half saves\\n' >"$folder/half-saves"
        show
        for outcome in ok found; do
          printf 'part 1 1 1 0 %s\\n  F25 killed saves: 3 files, 1400 halves\\n' $outcome >"$folder/half-saves"
          show
        done
        """)
    let head = "\n| campaign | tried | cases | at least | |\n|---|---|---|---|---|\n"
    let row = "| `half-saves` | halves of saves met without their journal |"
    let again = "scripts/dev torture half-saves --seed 1 --count 1 --again"
    #expect(
      output == """
        \(head)\(row) 0 | 4 | not whole yet |
        1
        \(head)\(row) 0 | 4 | not tried |
        | `half-saves` | not tried: no luck: half saves | | | |
        1
        \(head)\(row) 1,400 | 4 | ok |
        0
        \(head)\(row) 1,400 | 4 | ok |
        | `half-saves` | **found something:** `\(again)` | | | |
        1

        """)
  }
}
