// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtStore

/// What a document has behind its emoji.
struct BackgroundState {
  var background: Background?
  var pending: PendingBackground?
  var revision: Int
  /// Whether an edit was made.
  var isChanged = false

  /// As one JSON value; `picture` is the one that was taken just now.
  func json(_ picture: CheckedPicture? = nil, path: String? = nil, unchanged: Bool = false) -> String {
    var writer = JSONWriter(urls: .shown)
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
    [background?.words ?? "no background"] + (pending.map { ["pending: \($0.words)"] } ?? [])
  }
}

extension Background {
  /// `image/jpeg 640 x 400`.
  var kind: String { "\(mediaType) \(size.width) x \(size.height)" }

  /// `image/jpeg 640 x 400, http://example.org/meadow.jpg`.
  var words: String { url.map { "\(kind), \(emojiart.shownURL($0))" } ?? kind }
}

extension Background {
  /// What is told of a background that would be back if its bytes were kept.
  func lossWords(pending: PendingBackground?) -> String {
    let what = "the bytes of the background \(words) are not kept any more"
    guard let url, pending?.url == url else { return "\(what); it is not back" }
    return "\(what); its URL is pending again, `emojiart background --fetch-pending` fetches it"
  }
}

extension BackgroundState {
  init(_ transaction: DocumentTransaction) {
    self.init(
      background: transaction.background, pending: transaction.pending, revision: transaction.revision)
  }

  init(_ content: DocumentContent) {
    self.init(background: content.background, pending: content.pending, revision: content.revision)
  }
}

extension TakenPicture {
  /// `image/gif 64 x 48, the first of its frames`.
  var words: String {
    let size = picture.size
    let kind = "\(picture.mediaType) \(size.width) x \(size.height)"
    return picture.isAnimated ? "\(kind), the first of its frames" : kind
  }
}

extension PendingBackground {
  /// `http://example.org/meadow.jpg, since 2026-11-21 09:30 (later)`.
  var words: String { "\(shownURL(url)), since \(Time.local(since / 1000, seconds: false)) (\(reason))" }
}

/// What people are shown of a URL that stands in a document: any text may, as far as a file goes.
func shownURL(_ text: String) -> String {
  do throws(Refusal) {
    return try BackgroundURL(text).shown
  } catch {
    return "a URL that cannot be read"
  }
}

extension BackgroundCommand {
  /// The result, which is in the file.
  func write(_ state: BackgroundState, _ taken: TakenPicture? = nil) throws(ArtError) {
    if taken?.isFromURL == true { RefusalWarning.forget(of: file) }
    if state.isChanged { Output.tell(of: "the edit itself is saved") }
    if options.common.json {
      return try Output.line(state.json(taken?.picture, unchanged: taken != nil && !state.isChanged))
    }
    guard let taken else {
      for line in state.lines { try Output.line(safe(line)) }
      return
    }
    try Output.line(safe(taken.words + (state.isChanged ? "" : ", unchanged")))
  }

  func show() throws(ArtError) {
    let state = BackgroundState(try Restoring.read(file))
    if options.common.json { return try Output.line(state.json()) }
    for line in state.lines { try Output.line(safe(line)) }
  }

  /// Tells of a refused one: the warning to people, and with `--json` all of it to programs. What became of the document
  /// stands behind the reason.
  func tell(_ refused: RefusedBackground) throws(ArtError) {
    if options.common.json { try Output.line(refused.json) }
    var refused = refused
    if refused.refusal.reason == .notAllowed {
      refused.aftermath = [refused.aftermath, "--allow-private lifts that"].compactMap(\.self).joined(
        separator: "; ")
    }
    let refusal = refused.withAftermath
    guard refused.asked != nil else {
      // A file of one's own that is no picture is an error as any other.
      if choice != .never { Output.complain("\(refused.words); \(file.path) is as it was") }
      return
    }
    RefusalWarning.tell(
      refusal, of: file, choice, asked: refused.asked, mayAsk: !options.common.json)
  }
}

extension RefusedBackground {
  /// What was not taken, and why.
  var words: String {
    let reason = "(\(refusal.reason.rawValue): \(refusal.detail))"
    return asked == nil
      ? "\(file ?? "it") is not taken as a background \(reason)" : RefusalWarning.message(refusal)
  }

  var withAftermath: Refusal {
    guard let aftermath else { return refusal }
    return Refusal(refusal.reason, "\(refusal.detail); \(aftermath)", isTransient: refusal.isTransient)
  }

  /// `{"rejected":{…}}`.
  var json: String {
    var fields: [String: JSON] = [
      "detail": .string(refusal.detail), "reason": .string(refusal.reason.rawValue),
      "transient": .boolean(refusal.isTransient),
    ]
    if let shown { fields["url"] = .string(shown) }
    return JSON.object(["rejected": .object(fields)]).text
  }
}
