// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtStore
import ArtTerminal
import ArtWorkspace
import Glibc

/// Tells a person that a background was refused, and asks the question that goes with the warning.
enum RefusalMessages {
  /// What people are told, word by word; the reason follows.
  static let words = "Image transfer failed. Could not transfer the picture from its source."

  /// Tells, or is silent, as `RefusalWarnings` decides. `asked` is what a person's own command asked for, and nil where nobody did.
  /// `mayAsk` is whether the question may be put where stdin and stderr are terminals. `say` is given a line for people.
  static func tell(
    _ refusal: Refusal, of document: DocumentFile, _ choice: WarningChoice?, asked: String?, mayAsk: Bool,
    say: (String) -> Void = { Output.complain($0) }
  ) {
    let canAsk = mayAsk && isatty(0) == 1 && isatty(2) == 1
    let warnings = RefusalWarnings(of: document)
    guard let warning = warnings.warning(of: refusal, choice, asked: asked, canAsk: canAsk) else { return }
    guard let question = warning.question else {
      return say("\(document.path): \(message(refusal)); --suppress-warnings silences this")
    }
    say("\(document.path): \(message(refusal))")
    if wantsStop(document) { stop(question, document) }
  }

  /// The warning and its reason: `… (dns: no host is called nowhere.example)`.
  static func message(_ refusal: Refusal) -> String {
    "\(words) (\(refusal.reason.rawValue): \(refusal.detail))"
  }

  /// How a refusal can be lifted; nil where it cannot.
  static func hint(_ refusal: Refusal) -> String? {
    refusal.reason == .notAllowed ? "--allow-private lifts that" : nil
  }

  private static func stop(_ question: WarningQuestion, _ document: DocumentFile) {
    let name = document.path
    do throws(ArtError) {
      try question.answer(.stopWarning)
      Output.writeError(
        "Stopped for \(safe(name)). `emojiart warnings \(safe(name)) --keep` brings it back.\n")
    } catch {
      Output.complain("\(name): the warning cannot be stopped: \(error.message)")
    }
  }
}

extension RefusalMessages {
  /// Puts the question. Everything but the word for it keeps the warning.
  private static func wantsStop(_ document: DocumentFile) -> Bool {
    Output.writeError(question(document.path, columns: Transfer.columns))
    guard let answer = readLine() else {
      Output.writeError("\n")
      return false
    }
    return isStop(answer)
  }

  static func isStop(_ answer: String) -> Bool {
    ["s", "stop", "stop warning"].contains(
      answer.split(whereSeparator: \.isWhitespace).joined(separator: " ").lowercased())
  }

  /// The question and its two answers, of which one lasts.
  static func question(_ document: String, columns: Int) -> String {
    let lasting =
      "for this document on this machine, until `emojiart warnings \(safe(document)) --keep`"
    return """
      Show this warning in the future?
        keep  Keep warning
      \(wrapped("stop  Stop warning (lasting: \(lasting))", columns: columns, indent: 2, hanging: 8))
      Type keep or stop: 
      """
  }

  /// The words in lines of that many columns, the first one indented, the others further.
  static func wrapped(_ text: String, columns: Int, indent: Int, hanging: Int) -> String {
    var lines: [String] = []
    var line = String(repeating: " ", count: indent)
    var isEmpty = true
    for word in text.split(separator: " ", omittingEmptySubsequences: false) {
      let room = columns - 1 - LineView.width(Array(line)[...])
      if !isEmpty, LineView.width(Array(word)[...]) + 1 > room {
        lines.append(line)
        line = String(repeating: " ", count: hanging)
        isEmpty = true
      }
      line += isEmpty ? String(word) : " \(word)"
      isEmpty = false
    }
    return (lines + [line]).joined(separator: "\n")
  }
}
