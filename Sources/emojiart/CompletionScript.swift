// SPDX-License-Identifier: Apache-2.0

/// What the argument parser writes for a shell, with what it lacks.
enum CompletionScript {
  /// The parser's message; where it is a script, `palette` alone offers what `palette show` does, which it stands for: behind a
  /// command with subcommands the parser offers their names only.
  static func mended(_ message: String) -> String {
    let isScript = ["#!/bin/bash\n", "#compdef emojiart\n", "function __emojiart_"].contains {
      message.hasPrefix($0)
    }
    guard isScript else { return message }
    var isInPalette = false
    return message.split(separator: "\n", omittingEmptySubsequences: false).map { line in
      if line.hasPrefix("_emojiart") { isInPalette = line == "_emojiart_palette() {" }
      return ([line] + more(behind: line, isInPalette)).joined(separator: "\n")
    }
    .joined(separator: "\n")
  }

  /// What is to stand behind a line of one of the scripts.
  private static func more(behind line: Substring, _ isInPalette: Bool) -> [Substring] {
    if isInPalette, line.hasPrefix("        COMPREPLY+=($(compgen -W ") {
      return ["        _emojiart_palette_show"]
    }
    if isInPalette, line == "        _describe -V subcommand subcommands && ret=0" {
      return ["        _emojiart_palette_show && ret=0"]
    }
    let show = #""emojiart palette show" -ge 1' -fka"#
    guard line.hasPrefix("complete -c 'emojiart' "), line.contains(show) else { return [] }
    return [line.replacing(show, with: #""emojiart palette" -eq 1' -fka"#)]
  }
}
