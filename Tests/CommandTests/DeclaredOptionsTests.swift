// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import emojiart

@Suite("Options with values, as the parser knows them")
struct DeclaredOptionsTests {
  @Test("the options with values are known for each command, and flags of the same name are none")
  func options() {
    let none = Set(Emojiart.commandNames.filter { DeclaredOptions.withValue(of: $0).isEmpty })
    // These have subcommands, which declare the options.
    #expect(none == ["config", "help", "palette"])
    #expect(DeclaredOptions.withValue(of: "list") == ["-n", "--graphics", "--font", "--folder"])
    #expect(
      DeclaredOptions.withValue(of: "revert") == ["--to", "--folder", "--if-revision"])
    for (name, commands) in [("--fit", ("render", "canvas")), ("--center", ("show", "align"))] {
      #expect(DeclaredOptions.withValue(of: commands.0).contains(name))
      #expect(!DeclaredOptions.withValue(of: commands.1).contains(name))
    }
    #expect(DeclaredOptions.withValue(of: "frobnicate") == [])
  }

  @Test("the first word that is no option and no value of one is found")
  func firstPositional() {
    let lines: [(String, String, String?)] = [
      ("show", "-n 3 bees --at 1", "bees"), ("show", "--words bees", "bees"), ("show", "--at=1 bees", "bees"),
      ("add", "--at -1,-2 -- -x 🐝", "-x"), ("move", "--at", nil), ("undo", "", nil), ("undo", "--", nil),
      ("canvas", "--fit bees", "bees"), ("render", "--fit bees", nil), ("background", "- bees", "-"),
    ]
    for (command, line, found) in lines {
      let words = line.split(separator: " ").map(String.init)[...]
      let index = DeclaredOptions.firstPositional(in: words, of: command)
      #expect(index.map { words[$0] } == found, "\(command) \(line)")
    }
  }
}
