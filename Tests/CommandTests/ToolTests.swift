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
    let dev = Project.root.appending(path: "scripts/dev").path
    let output = try await run.output(
      of: """
        line() { printf '{"commit": "%s", "time": "2026-01-02T03:04:05Z", "counts": {"calls of <add>": %s}}\\n' "$@" >>counts; }
        line aaaaaaaaaa 100; line bbbbbbbbbb 300; line bbbbbbbbbb 200
        '\(dev)' plot-counts counts | grep -oE '<title>[^<]*|calls of &lt;add&gt;: 200'
        echo '{"counts": [1]}' >>counts
        '\(dev)' plot-counts counts 2>&1 || echo $?
        """)
    #expect(
      output == """
        <title>Counts of 2 commits
        calls of &lt;add&gt;: 200
        <title>aaaaaaaa 2026-01-02: 100
        <title>bbbbbbbb 2026-01-02: 200
        plot-counts: counts, line 4: not a line of `counts --keep`
        65

        """)
  }

  @Test("four nights in a row have a part of every campaign, and later ones come to every case")
  func nights() async throws {
    let run = try CommandRun()
    defer { #expect(throws: Never.self) { try run.remove() } }
    let tools = Project.root.appending(path: "scripts/devtools").path
    let output = try await run.output(
      of: """
        cat >nights.py <<'PYTHON'
        import importlib.machinery, importlib.util, os, sys
        path = sys.argv[0] = "\(tools)/torture/campaigns"
        loader = importlib.machinery.SourceFileLoader("tool_campaigns", path)
        module = importlib.util.module_from_spec(importlib.util.spec_from_loader("tool_campaigns", loader))
        loader.exec_module(module)
        def nights(first): return [case for number in range(first, first + 4) for case in module.night(number)]
        print(sorted(campaign.name for campaign, _ in nights(8)) == sorted(campaign.name for campaign in module.CAMPAIGNS))
        run_part, module.run_part = module.run_part, lambda *_: (1, 390, "ok", [])
        def cases(name): return [module.first_case(case, None, turn) for number in range(8, 36) for case, turn in module.night(number) if case.name == name]
        print(cases("damage"))
        print(cases("kills-of-add"))
        class Programs: environment, tests = os.environ, lambda _: None
        print(run_part(module.CAMPAIGNS[0], Programs(), 1, 1))
        PYTHON
        printf '#!/bin/sh\\necho not tried: no luck: $2\\nexit 77\\n' >swift
        chmod +x swift
        PATH=$PWD:$PATH PYTHONPATH='\(tools)/library' python3 -B nights.py
        '\(tools)/../dev' torture --night 3 damage 2>&1 || echo $?
        """)
    #expect(
      output == """
        True
        [2001, 3001, 4001, 5001, 6001, 7001, 8001]
        [201, 301, 1, 101, 201, 301, 1]
        not tried: no luck: --skip-build
        (0, 0, 'not tried', ['not tried: no luck: --skip-build'])
        scripts/dev torture: --night chooses campaigns and cases by itself; see `scripts/dev torture --help`
        64

        """)
  }
}
