// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtTerminal
import TestSupport
import Testing

@testable import emojiart

@Suite("The words behind a command")
struct CommandArgumentsTests {
  private func arguments(_ command: String, _ line: String) -> CommandArguments {
    CommandArguments(line.split(separator: " ").map(String.init), of: .of(command))
  }

  @Test("the options of each command are known, with and without values")
  func options() {
    let none = Set(Emojiart.commandNames.filter { DeclaredArguments.of($0).optionsWithValue.isEmpty })
    // These have subcommands, which declare the options.
    #expect(none == ["config", "help", "palette"])
    #expect(
      DeclaredArguments.of("list").optionsWithValue == ["-n", "--graphics", "--font", "--folder"])
    #expect(DeclaredArguments.of("revert").optionsWithValue == ["--to", "--folder", "--if-revision"])
    for (name, commands) in [("--fit", ("render", "canvas")), ("--center", ("show", "align"))] {
      #expect(DeclaredArguments.of(commands.0).optionsWithValue.contains(name))
      #expect(DeclaredArguments.of(commands.1).options[name] == DeclaredArguments.OptionValue.none)
    }
    #expect(DeclaredArguments.of("caption").operands == ["doc", "text"])
    #expect(DeclaredArguments.of("frobnicate").options.isEmpty)
  }

  @Test("operands are told from options and their values")
  func operands() {
    let lines: [(String, String, [String])] = [
      ("show", "-n 3 bees --at 1", ["bees"]), ("show", "--words bees", ["bees"]),
      ("show", "--at=1 bees", ["bees"]), ("show", "-n3 bees", ["bees"]),
      ("add", "--at -1,-2 -- -x 🐝", ["-x", "🐝"]), ("move", "--at", ["--at"]), ("undo", "", []),
      ("undo", "--", []), ("canvas", "--fit bees", ["bees"]), ("render", "--fit bees", []),
      ("background", "- bees", ["-", "bees"]), ("caption", "bees -h", ["bees"]),
      ("caption", "bees --at -h", ["bees"]), ("caption", "bees -- -h", ["bees", "-h"]),
    ]
    for (command, line, operands) in lines {
      #expect(arguments(command, line).operands == operands, "\(command) \(line)")
    }
    #expect(arguments("caption", "bees -h").isHelpRequested)
    #expect(!arguments("caption", "bees --at -h").isHelpRequested)
    #expect(!arguments("caption", "bees -- -h").isHelpRequested)
    #expect(
      CommandArguments(["d", "- hello", "--at", "top"], of: .of("caption")).words() == [
        "--at", "top", "--", "d", "- hello",
      ])
    #expect(arguments("render", "d -oh.png").words() == ["-o", "h.png", "--", "d"])
  }

  /// Words as people and scripts write them, most of which begin with a dash.
  private static func word(_ random: inout SplitMix64) -> String {
    let letters = ["-", "-", "h", "e", "l", "p", "5", " ", "🐝", "=", "ü", "v", "n", "o"]
    let count = 1 + random.below(7)
    return "-" + (0..<count).map { _ in letters[random.below(letters.count)] }.joined()
  }

  @Test("a word that begins with a dash is data or an error with what to type, and never a request of help")
  func dashes() throws {
    var random = SplitMix64(seed: 41)
    var (accepted, refused) = (0, 0)
    for _ in 0..<300 {
      let word = Self.word(&random)
      guard word != "--", word != "-h", word != "--help", word != "--version" else { continue }
      for command in ["caption", "remove", "find", "version", "new"] {
        let typed = command == "find" || command == "new" ? [command, word] : [command, "d", word]
        do throws(ArtError) {
          let words = try CommandArguments.forParser(typed)
          accepted += 1
          let plain = words.drop { $0 != "--" }.dropFirst()
          #expect(!words.contains("--help") && plain.contains(word), "\(typed): \(words)")
        } catch {
          refused += 1
          #expect(error.code == .usage && error.cause.contains("unknown option '"), "\(typed): \(error)")
        }
        let line = "\(command) \(ShellWords.quoted(word))"
        guard command != "new" else { continue }
        let parsed = StreamLine(words: line, of: StreamDocument(path: "d.emojiart", folder: "."))
        switch parsed?.request {
        case .help, .quit, nil: Issue.record("\(line) does nothing")
        case .bad(let error):
          #expect([.usage, .badValue, .badText].contains(error.code), "\(line): \(error)")
        default: break
        }
      }
    }
    print("words with a dash: \(accepted) accepted, \(refused) refused")
    #expect(accepted > 100 && refused > 100)
  }

  @Test("in the lines of a script a request of help is an error, and at a prompt it is answered")
  func help() {
    for line in ["caption -h", "add --help", "background -h", "find --help", "emojiart caption d -h"] {
      var document = StreamDocument(path: "d.emojiart", folder: ".")
      guard case .bad(let error)? = StreamLine(words: line, of: document)?.request else {
        Issue.record("\(line)")
        continue
      }
      #expect(error.code == .usage)
      document.isPrompt = true
      guard case .help? = StreamLine(words: line, of: document)?.request else {
        Issue.record("\(line) at a prompt")
        continue
      }
    }
  }

  @Test("what completion passes on is left as it is, whatever is typed")
  func completion() throws {
    let words = [
      "---completion", "move", "--", "--by", "4", "0", "emojiart", "move", "bees", "--by", "-10,5", "-oa.png",
      "",
    ]
    #expect(try CommandArguments.forParser(words) == words)
  }

  @Test("words that the shell takes for commands are commands of a stream, or lead to one")
  func synonyms() {
    let document = StreamDocument(path: "d.emojiart", folder: ".")
    for line in ["flip 🌸", "ls", "log", "setText 🌸 --with 🌻", "colour Hi --to red"] {
      if case .bad(let error)? = StreamLine(words: line, of: document)?.request {
        Issue.record("\(line): \(error)")
      }
    }
    let leads = [
      "rm 🐝":
        "no command rm; `emojiart delete DOC` moves a document to the trash, `remove REF` removes emoji",
      "text Hi": "no command text; `caption TEXT` adds words",
    ]
    for (line, message) in leads {
      guard case .bad(let error)? = StreamLine(words: line, of: document)?.request else {
        Issue.record("\(line)")
        continue
      }
      #expect(error.cause == message)
    }
  }
}
