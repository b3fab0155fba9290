// SPDX-License-Identifier: Apache-2.0

import ArtExchange
import ArtModel

/// What becomes of the picture that a document from elsewhere names or holds.
struct ImportBackground {
  /// The picture, when it was taken.
  private(set) var picture: CheckedPicture?
  /// Where it came from, if that is known.
  private(set) var url: String?
  /// What is still to be fetched, and why it was not.
  private(set) var pending: (url: String, reason: String)?
  /// What is told of it.
  private(set) var notes: [ExchangeReport.Note] = []
  /// Why there is none, and there will be none.
  private(set) var refusal: Refusal?

  /// No background.
  init() {}

  /// Looks at a picture, or fetches it unless `isOffline`. Throws where nobody can look at bytes that are there.
  init(
    _ background: ForeignArt.Background, by transfer: Transfer, isOffline: Bool, allowsPrivate: Bool
  ) throws {
    if let bytes = background.bytes {
      do {
        picture = try transfer.picture(bytes)
        url = background.url.flatMap(Self.kept)
        if background.url != nil, url == nil {
          let words = "the URL beside the picture that is in it, which is no URL of a picture"
          notes.append(ExchangeReport.Note(.leftOut, code: "pictureURL", words: words))
        }
        return
      } catch let refusal as Refusal {
        leaveOut("the picture in it", refusal)
      }
    }
    if let url = background.url {
      try fetch(url, by: transfer, isOffline: isOffline, allowsPrivate: allowsPrivate)
    }
  }

  private mutating func fetch(
    _ text: String, by transfer: Transfer, isOffline: Bool, allowsPrivate: Bool
  ) throws {
    let found: BackgroundURL
    do throws(Refusal) { found = try BackgroundURL(text) } catch { return leaveOut("the background", error) }
    if isOffline, !found.isData, let kept = found.kept {
      pending = (kept, "offline")
      return
    }
    do {
      let taken = try transfer.take(fromElsewhere: text, allowsPrivate: allowsPrivate)
      (picture, url) = (taken.picture, taken.url)
      // One that was in the file is not missed then.
      refusal = nil
    } catch let refused as RefusedBackground {
      refuse(refused.refusal, of: found)
    } catch let error as ArtError {
      guard let kept = found.kept else { throw error }
      wait(for: kept, reason: error.code.rawValue, because: error.message)
    }
  }

  private mutating func refuse(_ refusal: Refusal, of url: BackgroundURL) {
    guard refusal.isTransient, let kept = url.kept else {
      let hint = refusal.reason == .notAllowed ? "; --allow-private lifts that" : ""
      return leaveOut(
        "the background \(url.shown)", Refusal(refusal.reason, refusal.detail + hint, isTransient: false))
    }
    wait(for: kept, reason: refusal.reason.rawValue, because: refusal.detail)
  }

  private mutating func leaveOut(_ what: String, _ refusal: Refusal) {
    self.refusal = refusal
    let words = "\(what) (\(refusal.reason.rawValue): \(refusal.detail))"
    notes.append(ExchangeReport.Note(.leftOut, code: "background", words: words))
  }

  private mutating func wait(for url: String, reason: String, because detail: String) {
    pending = (url, reason)
    let words = "the background is still to be fetched (\(reason): \(detail))"
    notes.append(ExchangeReport.Note(.changed, code: "pendingBackground", words: words))
  }

  /// What a document keeps of where its picture came from; nil for what is no URL of a picture.
  private static func kept(_ text: String) -> String? {
    do throws(Refusal) { return try BackgroundURL(text).kept } catch { return nil }
  }
}
