// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtProtocol
import ArtTerminal
import ArtWorkspace
import Glibc

extension BackgroundState {
  /// As one JSON value; `picture` is the one that was received just now.
  func json(_ picture: CheckedPicture? = nil, path: String? = nil, unchanged: Bool = false) -> String {
    var writer = JSONWriter(urls: .redacted)
    writer.object {
      if picture?.isAnimated == true {
        $0.key("animated")
        $0.boolean(true)
      }
      $0.key("background")
      if let background { background.write(to: &$0) } else { $0.null() }
      if let path {
        $0.key("path")
        $0.string(path)
      }
      if let pending {
        $0.key("pending")
        pending.write(to: &$0)
      }
      $0.key("revision")
      $0.integer(revision)
      if unchanged {
        $0.key("unchanged")
        $0.boolean(true)
      }
    }
    return writer.text
  }

  /// A line for the picture, and one for what is pending; no query of a URL is in them.
  var lines: [String] {
    [background?.text ?? "no background"] + (pending.map { ["pending: \($0.text)"] } ?? [])
  }
}

extension Background {
  /// `image/jpeg 640 x 400`.
  var kind: String { "\(mediaType) \(size.width) x \(size.height)" }

  /// `image/jpeg 640 x 400, http://example.org/meadow.jpg`.
  var text: String { url.map { "\(kind), \(emojiart.shownURL($0))" } ?? kind }

  /// What is told of a background that would be back if its bytes were kept; `isPending` where its URL is pending again.
  func lossWords(isPending: Bool) -> String {
    let what = "the bytes of the background \(text) are not kept any more"
    guard isPending else { return "\(what); it is not back" }
    return "\(what); its URL is pending again, `emojiart background --fetch-pending` fetches it"
  }
}

extension ReceivedPicture {
  /// `image/gif 64 x 48, the first of its frames`.
  var text: String {
    let size = picture.size
    let kind = "\(picture.mediaType) \(size.width) x \(size.height)"
    return picture.isAnimated ? "\(kind), the first of its frames" : kind
  }
}

extension PendingBackground {
  /// `http://example.org/meadow.jpg, since 2026-11-21 09:30 (later)`.
  var text: String { "\(shownURL(url)), since \(Time.local(since / 1000, seconds: false)) (\(reason))" }
}

/// What people are shown of a URL that stands in a document: any text may, as far as a file goes.
func shownURL(_ text: String) -> String {
  do throws(Refusal) {
    return try BackgroundURL(text).redacted
  } catch {
    return "a URL that cannot be read"
  }
}

extension BackgroundRefusal {
  /// What was not taken, and why.
  var text: String {
    let reason = "(\(refusal.reason.rawValue): \(refusal.detail))"
    return asked == nil
      ? "\(file ?? "it") is not taken as a background \(reason)" : RefusalMessages.message(refusal)
  }

  /// The refusal, and what becomes of the document or can be done behind its reason.
  var refusalWithAftermath: Refusal {
    let aftermath: String? =
      switch aftermath {
      case .staysPending: "it stays pending"
      case .isNoLongerPending: "it is not pending any more"
      case nil: nil
      }
    let words = [aftermath, RefusalMessages.hint(refusal)].compactMap(\.self)
    guard !words.isEmpty else { return refusal }
    return Refusal(
      refusal.reason, ([refusal.detail] + words).joined(separator: "; "), isTransient: refusal.isTransient)
  }

  /// `{"rejected":{…}}`.
  var json: String {
    // The URL is as people are shown it already.
    var json = JSONWriter(urls: .whole)
    ProtocolEvent.rejected(refusal, url: shown, tag: nil).write(to: &json)
    return json.text
  }
}

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
    guard let question = warning.question else { return say(text(of: warning, document.path)) }
    say("\(document.path): \(message(refusal))")
    if wantsStop(document) { stop(question, document) }
  }

  /// A warning that goes without a question.
  static func text(of warning: RefusalWarning, _ document: String) -> String {
    if warning.isOfFile { return BackgroundRefusal(warning.refusal, file: "the file").text }
    return "\(document): \(message(warning.refusal)); --suppress-warnings silences this"
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
