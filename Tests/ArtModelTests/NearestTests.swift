// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import ArtModel

@Suite("Nearest names")
struct NearestTests {
  private let commands = [
    "new", "add", "move", "resize", "remove", "order", "undo", "redo", "show", "list", "check",
  ]

  @Test(
    "the nearest words are found, at most two, the nearest one first",
    arguments: [
      ("mvoe", ["move"]), ("remvoe", ["remove"]), ("udno", ["undo"]), ("SHOW", ["show"]),
      ("re", ["redo", "remove"]),
      ("edo", ["redo"]), ("ad", ["add"]), ("liist", ["list"]), ("shw", ["show"]), ("xyzzy", []), ("", []),
      ("addemoji", []),
    ])
  func near(_ word: String, _ found: [String]) {
    #expect(nearest(to: word, among: commands) == found)
  }

  @Test("long names are compared, too")
  func longNames() {
    let names = (0..<2_000).map { String(repeating: "a", count: 250) + String($0) }
    #expect(nearest(to: "bees", among: names).isEmpty)
    #expect(nearest(to: String(repeating: "a", count: 249), among: Array(names.prefix(3))).count == 2)
  }
}
