// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtProtocol
import ArtTerminal
import ArtWorkspace
import Glibc

extension BackgroundState {
  /// The background as JSON; `picture` is the one just received.
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

  /// One line for the picture and one for a pending background, without the query of a URL.
  var lines: [String] {
    [background?.text ?? "no background"] + (pending.map { ["pending: \($0.text)"] } ?? [])
  }
}

extension Background {
  /// `image/jpeg 640 x 400`.
  var kind: String { "\(mediaType) \(size.width) x \(size.height)" }

  /// `image/jpeg 640 x 400, http://example.org/meadow.jpg`.
  var text: String { url.map { "\(kind), \(emojiart.shownURL($0))" } ?? kind }

  /// The notice that a reverted background has no bytes any more; `isPending` if its URL is pending again.
  func lossText(isPending: Bool) -> String {
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

/// A URL from a document for display. A document may contain any text there.
func shownURL(_ text: String) -> String {
  do throws(Refusal) {
    return try BackgroundURL(text).redacted
  } catch {
    return "a URL that cannot be read"
  }
}

extension BackgroundRefusal {
  /// What was refused, and why.
  var text: String {
    let reason = "(\(refusal.reason.rawValue): \(refusal.detail))"
    return asked == nil
      ? "\(file ?? "it") is not taken as a background \(reason)" : RefusalMessages.message(refusal)
  }

  /// The refusal with a reason that includes what happens to the document and what the user can do.
  var refusalWithAftermath: Refusal {
    let aftermath: String? =
      switch aftermath {
      case .staysPending: "it stays pending"
      case .isNoLongerPending: "it is not pending any more"
      case nil: nil
      }
    let parts = [aftermath, RefusalMessages.hint(refusal)].compactMap(\.self)
    guard !parts.isEmpty else { return refusal }
    return Refusal(
      refusal.reason, ([refusal.detail] + parts).joined(separator: "; "), isTransient: refusal.isTransient)
  }

  /// `{"rejected":{…}}`.
  var json: String {
    // The URL is redacted already.
    var json = JSONWriter(urls: .whole)
    ProtocolEvent.rejected(refusal, url: shown, tag: nil).write(to: &json)
    return json.text
  }
}

/// Warns the user of a refused background, and asks the question that belongs to the warning.
enum RefusalMessages {
  /// The wording of the warning; the reason follows.
  static let warningText = "Image transfer failed. Could not transfer the picture from its source."

  /// Warns as `RefusalWarnings` decides, but says in any case why a command failed, unless `choice` is never. `asked` is the URL that the
  /// user requested with this command, else nil. `mayAsk` allows the question, if stdin and stderr are terminals. `print` prints a line.
  static func warn(
    _ refusal: Refusal, of document: DocumentFile, _ choice: WarningChoice?, asked: String?, mayAsk: Bool,
    print: (String) -> Void = { Output.printError($0) }
  ) {
    let canAsk = mayAsk && isatty(0) == 1 && isatty(2) == 1
    let isAsked = asked != nil
    let warning =
      isAsked && !canAsk
      ? nil : RefusalWarnings(of: document).warning(of: refusal, choice, asked: asked, canAsk: canAsk)
    guard let question = warning?.question else {
      if warning != nil || isAsked && choice != .never { print(text(of: refusal, document.path)) }
      return
    }
    print("\(document.path): \(message(refusal))")
    if wantsStop(document) { stop(question, document) }
  }

  /// The text of a warning without a question.
  static func text(of warning: RefusalWarning, _ document: String) -> String {
    warning.isOfFile
      ? BackgroundRefusal(warning.refusal, file: "the file").text : text(of: warning.refusal, document)
  }

  private static func text(of refusal: Refusal, _ document: String) -> String {
    "\(document): \(message(refusal)); --suppress-warnings silences this"
  }

  /// The warning with its reason: `… (dns: no host is called nowhere.example)`.
  static func message(_ refusal: Refusal) -> String {
    "\(warningText) (\(refusal.reason.rawValue): \(refusal.detail))"
  }

  /// How the user can lift a refusal; nil if that is not possible.
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
      Output.printError("\(name): the warning cannot be stopped: \(error.message)")
    }
  }
}

extension RefusalMessages {
  /// Asks the question. Every answer but the one word keeps the warning.
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

  /// The question and its two answers.
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

  /// Wraps text into lines of that many columns, with an indented first line and a hanging indentation.
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
