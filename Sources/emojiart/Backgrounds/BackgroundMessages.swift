// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtProtocol
import ArtStore
import ArtWorkspace

extension BackgroundState {
  /// As one JSON value; `picture` is the one that was received just now.
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
    return try BackgroundURL(text).shown
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
