// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization
import TestSupport
import Testing

@Suite("Real writers, and the notices of a watcher")
struct WriterTests {
  /// The least number of writers.
  private static let minimumCount = 50
  private static let campaign = Campaign("real-writers", smoke: 10)
  private static let chosen = Result { campaign.chosen(of: try Writer.all()) }
  private static let gate = Gate(3)
  private static let tried = Mutex<[String: [String]]>([:])

  @Test(
    "W6 every writer of Fixtures/writers.txt causes the notices that are listed there",
    arguments: try chosen.get())
  func writer(_ writer: Writer) async throws {
    let received = try await Self.gate.pass { try await writer.run() }
    #expect(Writer.byDocument(received) == Writer.byDocument(writer.expected))
    try Self.report(writer, received)
  }

  @Test("W6 the control: notices of another writer are a difference")
  func negativeControl() async throws {
    let writer = try #require(try Writer.all().first { $0.name == "mv" })
    let received = try await writer.run()
    #expect(received == writer.expected)
    #expect(
      Set(try Writer.all().map(\.name)).count == (try Writer.all().count), "each writer has a name of its own"
    )
    for other in try Writer.all() where other.expected != writer.expected {
      #expect(Writer.byDocument(received) != Writer.byDocument(other.expected), "\(other)")
    }
  }

  /// The last writer prints the table.
  private static func report(_ writer: Writer, _ received: [String]) throws {
    let tried = tried.withLock { tried in
      tried[writer.name] = received
      return tried
    }
    let (all, places) = (try chosen.get(), try Writer.all().count)
    guard tried.count == all.count else { return }
    for writer in all {
      let received = tried[writer.name] ?? []
      let isRight = Writer.byDocument(received) == Writer.byDocument(writer.expected)
      print(
        "W6 writers: \(isRight ? "as said" : "OTHERWISE")  \(writer.name): \(received.isEmpty ? "silence" : received.joined(separator: "; "))"
      )
    }
    let notices = tried.values.reduce(0) { $0 + $1.count }
    print(
      "W6 writers: \(all.count) tried, \(notices) notices, \(all.count { $0.expected.isEmpty }) of them silent"
    )
    campaign.report(tried: all.count, places: places)
    #expect(places >= minimumCount)
  }
}

/// A program that writes into a folder, and the notices of it.
struct Writer: Sendable, CustomStringConvertible {
  let name: String
  private(set) var script = ""
  /// A line for each notice: the event, the document, and more.
  private(set) var expected: [String] = []

  var description: String { name }

  private var isRecursive: Bool { name.hasSuffix("(recursive)") }
  private var isUnprivileged: Bool { name.hasSuffix("(unprivileged)") }

  /// All writers, in their order.
  static func all() throws -> [Writer] {
    let text = try String(contentsOf: Project.fixtures.appending(path: "writers.txt"), encoding: .utf8)
    var writers: [Writer] = []
    for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
      if line.hasPrefix("== ") {
        writers.append(Writer(name: String(line.dropFirst(3))))
      } else if let last = writers.indices.last {
        if line.hasPrefix("=> ") {
          writers[last].expected.append(String(line.dropFirst(3)))
        } else {
          writers[last].script += "\(line)\n"
        }
      }
    }
    return writers
  }

  private init(name: String) { self.name = name }

  /// The notices of each document, in their order.
  static func byDocument(_ notices: [String]) -> [String: [String]] {
    Dictionary(grouping: notices) { $0.split(separator: " ").dropFirst().first.map(String.init) ?? "" }
  }

  /// Runs the writer, and returns the notices.
  func run() async throws -> [String] {
    let run = try CommandRun()
    let output = try await run.output(
      of: Self.prelude
        .replacing("OPTIONS", with: isRecursive ? "--recursive" : "")
        .replacing("AS", with: isUnprivileged ? "unprivileged" : "") + script + Self.end)
    try run.remove()
    return output.split(separator: "\n").map(String.init)
  }

  private static let prelude = #"""
    export EMOJIART_AUTHOR=Ada
    mkdir art away
    for name in art/bees away/other; do emojiart new $name >/dev/null; done
    emojiart add art/bees 🐝 --at 10,20 >/dev/null
    cp art/bees.emojiart away/old.emojiart
    emojiart move art/bees 🐝 --to 30,40 >/dev/null
    cp art/bees.emojiart away/same.emojiart
    cp art/bees.emojiart away/next.emojiart
    emojiart resize away/next 🐝 --to 99 >/dev/null
    mkfifo go
    # A folder of its own: others' is not used.
    EMOJIART_STATE="$TMPDIR/watcher" AS emojiart watch art --json OPTIONS >told 2>complaints &
    watcher=$!
    # Also when the script fails: nothing is to go on.
    trap 'kill $watcher; kill -CONT $watcher' EXIT
    awaiting '"ready"' told
    settled=0
    # What was done before a document was made and removed has been told when that has: the longest wait is that for what is gone.
    settle() {
      settled=$((settled + 1))
      emojiart new art/end$settled >/dev/null
      awaiting "art/end$settled.emojiart\",\"event\":\"added" told
      rm art/end$settled.emojiart
      awaiting "art/end$settled.emojiart\",\"event\":\"removed" told
    }

    """#

  private static let end = #"""

    # What cannot be read is waited for longest.
    : >art/end.emojiart
    awaiting 'art/end.emojiart","event":"damaged' told
    settle
    trap - EXIT
    kill $watcher
    # It is ended by the signal, and by nothing else before.
    status=0
    wait $watcher || status=$?
    test $status = 143
    cat complaints >&2
    jq -r 'select(.event != "ready" and (.document // "" | startswith("art/end") | not)) |
      (.document // "" | ltrimstr("art/") | rtrimstr(".emojiart") | tojson[1:-1]) as $name |
      if .event == "changed" and .all then "all \($name) \(.revision)"
      elif .event == "changed" and .edits == [] then "whole \($name)"
      elif .event == "changed" then "changed \($name) \(.revision) \([.edits[].what] | join(", "))"
      elif .event == "renamed" then "renamed \($name) from \(.from | ltrimstr("art/") | rtrimstr(".emojiart"))"
      elif .event == "damaged" then "damaged \($name)"
      elif .revision then "\(.event) \($name) \(.revision)"
      else "\(.event) \($name) \(.reason // "")" | rtrimstr(" ") end' told
    """#
}
