// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtStore
import Glibc

/// Tells a person that a background was refused: once for a document, unless the person said otherwise.
enum RefusalWarning {
  /// What people are told, word by word; the reason follows.
  static let words = "Image transfer failed. Could not transfer the picture from its source."

  /// Tells, or is silent, by the rules of `Warning.decide`, and notes what was told and answered in this machine's state.
  ///
  /// `url` is what a person's own command asked for, and nil where nobody did. `mayAsk` is whether the question may be put
  /// where stdin and stderr are terminals. `say` is given a line for people.
  static func tell(
    _ refusal: Refusal, of document: DocumentFile, _ choice: WarningChoice?,
    askedFor url: BackgroundURL? = nil,
    mayAsk: Bool = false, say: (String) -> Void = { Output.complain($0) }
  ) {
    tell(refusal, of: document, choice, asked: url?.string, mayAsk: mayAsk, say: say)
  }

  /// The same; `asked` is what a person typed, which need not be a URL that can be read.
  static func tell(
    _ refusal: Refusal, of document: DocumentFile, _ choice: WarningChoice?, asked: String?, mayAsk: Bool,
    say: (String) -> Void = { Output.complain($0) }
  ) {
    let canAsk = mayAsk && isatty(0) == 1 && isatty(2) == 1
    let store = store(of: document)
    switch decide(choice, store, asked: asked, canAsk: canAsk) {
    case .silent: break
    case .told(let asks) where asks && canAsk:
      say("\(document.path): \(message(refusal))")
      if wantsStop(document) { stop(store, document) }
    case .told: say("\(document.path): \(message(refusal)); --suppress-warnings silences this")
    }
  }

  /// The warning and its reason: `… (dns: no host is called nowhere.example)`.
  static func message(_ refusal: Refusal) -> String {
    "\(words) (\(refusal.reason.rawValue): \(refusal.detail))"
  }

  /// Notes that what a person's own command asked for was taken: the next refusal is not one of the same URL again.
  static func forget(of document: DocumentFile) {
    guard let store = store(of: document), store.record().lastRefused != nil else { return }
    // Where it cannot be noted, the next refusal of that URL is told although it need not be.
    _ = try? store.update { $0.lastRefused = nil }
  }

  /// Nil where there is no place for it: then every warning is the first one.
  private static func store(of document: DocumentFile) -> WarningStore? {
    try? WarningStore(for: document)
  }

  /// Decides and notes at once, so that of several programs one tells. What is asked counts by its answer.
  private static func decide(
    _ choice: WarningChoice?, _ store: WarningStore?, asked: String?, canAsk: Bool
  ) -> Warning {
    let digest = asked.flatMap { store?.digest(of: $0) }
    var warning = Warning.decide(choice, WarningRecord(), isAskedAgain: false)
    // Where it cannot be noted, every warning is the first one.
    _ = try? store?.update { record in
      let isAskedAgain = digest != nil && record.lastRefused == digest
      warning = Warning.decide(choice, record, isAskedAgain: isAskedAgain)
      if let digest { record.lastRefused = digest }
      switch warning {
      case .silent: break
      // Who is asked and keeps the warning wants the next one, too.
      case .told(let asks): record.wasTold = !(asks && canAsk)
      }
    }
    return warning
  }

  private static func stop(_ store: WarningStore?, _ document: DocumentFile) {
    let name = document.path
    do throws(ArtError) {
      guard let store else { throw ArtError(.inputOutput, "there is no place to keep that") }
      try store.stop()
      Output.writeError(
        "Stopped for \(safe(name)). `emojiart warnings \(safe(name)) --keep` brings it back.\n")
    } catch {
      Output.complain("\(name): the warning cannot be stopped: \(error.message)")
    }
  }
}

extension RefusalWarning {
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
