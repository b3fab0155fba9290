// SPDX-License-Identifier: Apache-2.0

import ArtModel

/// What a line asks for of the background.
enum BackgroundLine: Equatable {
  /// Fetch it, as it was typed.
  case fetch(String, keepsCanvas: Bool, allowsPrivate: Bool)
  /// A person's own picture.
  case picture(path: String, keepsCanvas: Bool)
  /// Have it fetched later.
  case later(String)
  case clear
}

extension BackgroundLine {
  /// Reads `"https://example.org/meadow.jpg"`, `null`, or `{"keepCanvas":true,"url":"…"}`.
  init(from reader: inout JSONReader) throws(ArtError) {
    switch reader.kind() {
    case .string: self = .fetch(try reader.string(), keepsCanvas: false, allowsPrivate: false)
    case .object: self = try Self.object(&reader)
    default:
      guard reader.null() else {
        throw ArtError(.usage, "background is a URL, an object with one, or null; such as \"https://…\"")
      }
      self = .clear
    }
  }

  private static func object(_ reader: inout JSONReader) throws(ArtError) -> BackgroundLine {
    var url: String?
    var (keepsCanvas, isLater, allowsPrivate) = (false, false, false)
    try reader.object { (key, reader) throws(ArtError) in
      switch key {
      case "url": url = try reader.string()
      case "keepCanvas": keepsCanvas = try reader.boolean()
      case "later": isLater = try reader.boolean()
      case "allowPrivate": allowsPrivate = try reader.boolean()
      default:
        throw .unknown("background has no key", key, among: ["allowPrivate", "keepCanvas", "later", "url"])
      }
    }
    guard let url else { throw ArtError(.usage, "which background? give url, or null for none") }
    guard isLater else { return .fetch(url, keepsCanvas: keepsCanvas, allowsPrivate: allowsPrivate) }
    guard !keepsCanvas, !allowsPrivate else { throw .onlyNow() }
    return .later(url)
  }

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
      return .clear
    }
    guard let source else { throw ArtError(.usage, "which background? give a URL, a path or --clear") }
    let (keepsCanvas, allowsPrivate) = (
      options.contains("--keep-canvas"), options.contains("--allow-private")
    )
    if options.contains("--later") {
      guard !keepsCanvas, !allowsPrivate else { throw .onlyNow() }
      return .later(source)
    }
    guard BackgroundURL.isURL(source) else { return .picture(path: source, keepsCanvas: keepsCanvas) }
    return .fetch(source, keepsCanvas: keepsCanvas, allowsPrivate: allowsPrivate)
  }
}

extension ArtError {
  fileprivate static func onlyNow() -> ArtError {
    ArtError(.usage, "what is fetched later takes the canvas and no private address; leave those out")
  }

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
