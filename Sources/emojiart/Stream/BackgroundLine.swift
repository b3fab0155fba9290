// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtProtocol

/// What a line asks for of the background.
enum BackgroundLine: Equatable {
  /// What can be asked for in JSON, too. A URL is as it was typed.
  case request(ProtocolRequest.Background)
  /// A person's own picture.
  case picture(path: String, keepsCanvas: Bool)
}

extension BackgroundLine {
  /// Reads what stands behind `background`: a URL or a path, and options.
  init(words: ArraySlice<String>) throws(ArtError) {
    var source: String?
    var options: Set<String> = []
    var isPlain = false
    for word in words {
      if !isPlain, word == "--" {
        isPlain = true
      } else if !isPlain, word.hasPrefix("--") {
        guard Self.options.contains(word) else {
          throw .unknown("background has no option", word, among: Self.options)
        }
        options.insert(word)
      } else if source == nil {
        source = word
      } else {
        throw ArtError(.usage, "background takes one URL or path; quote one with blanks in it")
      }
    }
    self = try Self.words(source, options)
  }

  static let options = ["--allow-private", "--clear", "--keep-canvas", "--later"]

  private static func words(_ source: String?, _ options: Set<String>) throws(ArtError) -> BackgroundLine {
    if options.contains("--clear") {
      guard source == nil, options.count == 1 else {
        throw ArtError(.usage, "--clear stands alone; leave out the others")
      }
      return .request(.clear)
    }
    guard let source else { throw ArtError(.usage, "which background? give a URL, a path or --clear") }
    let (keepsCanvas, allowsPrivate) = (
      options.contains("--keep-canvas"), options.contains("--allow-private")
    )
    let isLater = options.contains("--later")
    guard isLater || BackgroundURL.isURL(source) else {
      return .picture(path: source, keepsCanvas: keepsCanvas)
    }
    return .request(
      try ProtocolRequest.Background(
        url: source, keepsCanvas: keepsCanvas, allowsPrivate: allowsPrivate, isLater: isLater))
  }
}

extension ArtError {
  static func nothingFetchedAtomically() -> ArtError {
    ArtError(
      .usage, "with --atomic nothing is fetched; use `emojiart background` before or after")
  }

  static func tooLongToKeep() -> ArtError {
    ArtError(
      .tooLarge, "a URL of more than \(Limits.urlBytes) bytes is not kept for later; leave out later")
  }

  /// A background that was refused, as the error of its line.
  static func refused(_ refusal: Refusal) -> ArtError {
    ArtError(refusal.reason.code, "background refused: \(refusal.reason.rawValue): \(refusal.detail)")
  }
}
