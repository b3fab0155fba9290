// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@Suite("Tools over commits and nights")
struct ToolTests {
  @Test("counts of commits are plotted, a commit once with its last line; a wrong line is reported")
  func plot() async throws {
    let run = try CommandRun()
    defer { #expect(throws: Never.self) { try run.remove() } }
    let script = run.place.appending(path: "script")
    let dev = Project.root.appending(path: "scripts/dev").path
    try Data(
      """
      line() { printf '{"commit": "%s", "time": "2026-01-02T03:04:05Z", "counts": {"calls of <add>": %s}}\\n' "$@" >>counts; }
      line aaaaaaaaaa 100; line bbbbbbbbbb 300; line bbbbbbbbbb 200
      '\(dev)' plot-counts counts | grep -oE '<title>[^<]*|calls of &lt;add&gt;: 200'
      echo '{"counts": [1]}' >>counts
      '\(dev)' plot-counts counts 2>&1 || echo $?
      """.utf8
    ).write(to: script)
    let outcome = try await run.run(script: script)
    #expect(
      outcome.stdout == """
        <title>Counts of 2 commits
        calls of &lt;add&gt;: 200
        <title>aaaaaaaa 2026-01-02: 100
        <title>bbbbbbbb 2026-01-02: 200
        plot-counts: counts, line 4: not a line of `counts --keep`
        65

        """)
  }

  @Test("four nights in a row have a part of every campaign, and the next four have other cases")
  func nights() async throws {
    let run = try CommandRun()
    defer { #expect(throws: Never.self) { try run.remove() } }
    let script = run.place.appending(path: "script")
    let tools = Project.root.appending(path: "scripts/devtools").path
    try Data(
      """
      cat >nights.py <<'PYTHON'
      import importlib.machinery, importlib.util, sys
      path = sys.argv[0] = "\(tools)/torture/campaigns"
      loader = importlib.machinery.SourceFileLoader("tool_campaigns", path)
      module = importlib.util.module_from_spec(importlib.util.spec_from_loader("tool_campaigns", loader))
      loader.exec_module(module)
      def nights(first): return [case for number in range(first, first + 4) for case in module.night(number)]
      first, second = nights(8), nights(12)
      names = [campaign.name for campaign, _ in first]
      print(sorted(names) == sorted(campaign.name for campaign in module.CAMPAIGNS))
      print(all(one != other for one, other in zip(first, second) if one[0].whole > one[0].part and not one[0].is_sweep))
      print(all(seed <= campaign.promises[0].least for campaign, seed in nights(401) if campaign.is_sweep))
      PYTHON
      PYTHONPATH='\(tools)/library' python3 -B nights.py
      '\(tools)/../dev' torture --night 3 damage 2>&1 || echo $?
      """.utf8
    ).write(to: script)
    let outcome = try await run.run(script: script)
    #expect(
      outcome.stdout == """
        True
        True
        True
        scripts/dev torture: --night chooses campaigns and cases by itself; see `scripts/dev torture --help`
        64

        """)
  }
}
