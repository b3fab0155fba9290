// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import ArtModel
import ArtTerminal
import ArtWorkspace

/// Amends the completion scripts of the argument parser. For a command with subcommands the parser completes only their names, and nothing for
/// `help`. So these are added: the candidates of `palette show`, the default subcommand of `palette`; the settings of `config`, and their
/// values; the commands and topics of `help`.
enum CompletionScript {
  /// The parser's message; amended if it is a script.
  static func amended(_ message: String) -> String {
    let shells: [(mark: String, amend: (_ line: Substring, _ function: Substring) -> [String])] = [
      ("#!/bin/bash\n", bash), ("#compdef emojiart\n", zsh), ("function __emojiart_", fish),
    ]
    guard let shell = shells.first(where: { message.hasPrefix($0.mark) }) else { return message }
    var function: Substring = ""
    return message.split(separator: "\n", omittingEmptySubsequences: false).flatMap { line in
      if line.hasPrefix("_emojiart") { function = line.prefix { $0 != "(" } }
      return shell.amend(line, function)
    }
    .joined(separator: "\n")
  }

  private static let settings = Setting.allCases.map(\.rawValue).joined(separator: " ")
  private static let topics = (Emojiart.commandNames + HelpTopic.allNames).joined(separator: " ")

  /// The lines in place of one within a function of the script.
  private static func bash(_ line: Substring, _ function: Substring) -> [String] {
    let isOffer = line.hasPrefix("        COMPREPLY+=($(compgen -W ")
    func words(_ words: String) -> String { "COMPREPLY+=($(compgen -W '\(words)' -- \"${cur}\"))" }
    switch function {
    case "_emojiart_palette" where isOffer: return [String(line), "        _emojiart_palette_show"]
    case "_emojiart_config" where line == "    non_repeating_flags=(--version -h --help)":
      return ["    non_repeating_flags=(--json --version -h --help)"]
    case "_emojiart_config" where isOffer:
      let values = Setting.allCases.compactMap { setting in
        setting.values.map { "        \(setting.rawValue)) \(words($0)) ;;" }
      }
      return [
        "        if [[ \"${#unparsed_words[@]}\" -eq 0 ]]; then", "        \(words("sync \(settings)"))",
        "        elif [[ \"${#unparsed_words[@]}\" -eq 1 ]]; then", "        \(words("--unset --json"))",
        "        case \"${subcommand}\" in",
        "        font) __emojiart_add_completions -f ;;",
      ] + values + ["        esac", "        fi"]
    case "_emojiart_help" where line == "    __emojiart_offer_flags_options -1":
      return [
        "    __emojiart_offer_flags_options 1",
        "    [[ \"${positional_number}\" -gt 1 ]] || \(words(topics))",
      ]
    default: return [String(line)]
    }
  }

  private static func zsh(_ line: Substring, _ function: Substring) -> [String] {
    switch function {
    case "_emojiart_palette" where line == "        _describe -V subcommand subcommands && ret=0":
      return [String(line), "        _emojiart_palette_show && ret=0"]
    case "_emojiart_config" where line.hasPrefix("            'sync:"):
      return Setting.allCases.map { "            '\($0.rawValue):\($0.explanation)'" } + [String(line)]
    case "_emojiart_config" where line == "        case \"${words[1]}\" in":
      return [String(line)]
        + Setting.allCases.map { setting in
          let files = setting == .font ? "_files" : ""
          let values = setting.values.map { "(\($0))" } ?? files
          return
            "        \(setting.rawValue)) if [[ -prefix - ]]; then compadd -- --unset --json; else _arguments -S : '1:value:\(values)'; fi && ret=0 ;;"
        }
    case "_emojiart_help" where line == "        '*:subcommands:'": return ["        '1:topic:(\(topics))'"]
    default: return [String(line)]
    }
  }

  private static func fish(_ line: Substring, _: Substring) -> [String] {
    let show = #""emojiart palette show" -ge 1' -fka"#
    let words = "(__emojiart_tokens -pc)"
    func complete(_ condition: String, _ offer: String) -> String {
      "complete -c 'emojiart' -n '\(condition)' \(offer)"
    }
    guard line.hasPrefix("complete -c 'emojiart' ") else { return [String(line)] }
    if line == "complete -c 'emojiart' -f" {
      let condition = "test (count \(words)) -eq 2; and test \(words)[2] = help"
      return [String(line), complete(condition, "-fa '\(topics)'")]
    }
    if line.contains(part: show) {
      return [String(line), line.replacing(part: show, with: #""emojiart palette" -eq 1' -fka"#)]
    }
    guard line.contains(part: #""emojiart config" -eq 1' -fa 'sync'"#) else { return [String(line)] }
    // `test` would complain of a word that is not there yet.
    let isConfig = "contains -- config \(words)[2]"
    let names = Setting.allCases.map {
      complete("\(isConfig); and test (count \(words)) -eq 2", "-fa '\($0.rawValue)' -d '\($0.explanation)'")
    }
    let values = Setting.allCases.compactMap { setting in
      let offer = setting.values.map { "-fa '\($0)'" } ?? (setting == .font ? "-F" : nil)
      return offer.map {
        complete(
          "\(isConfig); and test (count \(words)) -eq 3; and test \(words)[3] = \(setting.rawValue)", $0)
      }
    }
    let flags = [("unset", "Remove the setting."), ("json", "Write the result as one JSON value.")].map {
      complete("\(isConfig); and test (count \(words)) -ge 3", "-l '\($0)' -d '\($1)'")
    }
    return [String(line)] + names + values + flags
  }
}

extension Setting {
  /// The values that it can have, with blanks between; nil where they are not counted.
  fileprivate var values: String? {
    switch self {
    case .graphics: GraphicsChoice.allCases.map(\.rawValue).joined(separator: " ")
    case .language: EmojiLanguage.allCases.map(\.rawValue).joined(separator: " ")
    case .author, .font, .size: nil
    }
  }
}
