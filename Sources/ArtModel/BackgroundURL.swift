// SPDX-License-Identifier: Apache-2.0

/// A background's URL in normal form: `http`, `https` or `data`, without a fragment, unwrapped from an `imgurl=`
/// parameter.
public struct BackgroundURL: Hashable, Sendable {
  /// The URL. A `data` URL may be longer than a document stores.
  public let string: String

  /// Parses and normalizes a URL as people have it: with white space or quotes around it, with the entities of a page's source, or with a
  /// host that begins with `www.` and no scheme, which is `https`. Throws `badURL` and `scheme`.
  public init(_ text: String) throws(Refusal) {
    try self.init(text, unwraps: true)
  }

  private init(_ text: String, unwraps: Bool) throws(Refusal) {
    let url = try Self.withoutFragment(Self.tidied(text))
    guard let scheme = Self.scheme(of: url) else {
      throw Refusal(.badURL, "\(Self.brief(url)) does not begin with http:, https: or data:")
    }
    switch scheme {
    case "data":
      string = String(url)
    case "http", "https":
      try WebAddress.check(url)
      if unwraps, let wrapped = Self.wrapped(in: url) {
        self = try BackgroundURL(wrapped, unwraps: false)
      } else {
        string = String(url)
      }
    case "file":
      throw Refusal(.scheme, "file: is not fetched; give a picture of your own by its path")
    default:
      throw Refusal(.scheme, "\(Self.brief(scheme[...])): is not fetched, only http:, https: and data:")
    }
  }

  /// Whether the text begins with a scheme or with `www.` and a host, and is therefore a URL and not a path.
  public static func isURL(_ text: String) -> Bool { scheme(of: tidied(text)) != nil }

  /// The path in a `file:` URI (RFC 8089), of this machine; nil for any other text.
  public static func filePath(in text: String) -> String? {
    let uri = unquoted(text)
    guard scheme(of: uri) == "file" else { return nil }
    let rest = uri.utf8.dropFirst("file:".utf8.count)
    var path = rest
    if rest.starts(with: "//".utf8) {
      let authority = rest.dropFirst(2).prefix { $0 != UInt8(ascii: "/") }
      guard authority.isEmpty || String(Substring(authority)).lowercased() == "localhost" else { return nil }
      path = rest[authority.endIndex...]
    }
    guard path.first == UInt8(ascii: "/"), !path.starts(with: "//".utf8) else { return nil }
    let bytes = Array(PercentDecoding(path))
    return bytes.contains(0) ? nil : String(validating: bytes, as: UTF8.self)
  }

  /// The text without white space, and without one pair of quotes or angle brackets around it.
  public static func unquoted(_ text: String) -> String {
    let text = trimmed(text)
    guard let first = text.unicodeScalars.first, let last = text.unicodeScalars.last,
      quotes.contains(where: { $0 == (first, last) }), text.utf8.count > 2
    else { return String(text) }
    return String(trimmed(String(text.unicodeScalars.dropFirst().dropLast())))
  }

  private static let quotes: [(Unicode.Scalar, Unicode.Scalar)] = [
    ("\"", "\""), ("'", "'"), ("<", ">"), ("“", "”"), ("‘", "’"),
  ]

  /// The scheme of a text in lower case; nil without one. A scheme has at least two characters: a single letter is a
  /// Windows drive.
  public static func scheme(of text: some StringProtocol) -> String? {
    guard let colon = text.utf8.firstIndex(of: UInt8(ascii: ":")) else { return nil }
    let scheme = text.utf8[..<colon]
    guard scheme.count >= 2, scheme.first?.isLetter == true, scheme.allSatisfy(\.isOfScheme) else {
      return nil
    }
    return text[..<colon].lowercased()
  }

  /// Whether this is a `data` URL, which contains its picture.
  public var isData: Bool { Self.scheme(of: string) == "data" }

  /// The URL as a document stores it; nil if it is too long.
  public var storable: String? { string.utf8.count <= Limits.urlBytes ? string : nil }

  /// The URL without its query and the parameters of its path, such as `;jsessionid=1`, which may be keys; nil for a data: URL, which is a
  /// picture.
  public var withoutQuery: String? {
    guard !isData else { return nil }
    let segments = string.utf8.prefix { $0 != UInt8(ascii: "?") }.split(
      separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
    return segments.map { String(Substring($0.prefix { $0 != UInt8(ascii: ";") })) }.joined(separator: "/")
  }

  /// The URL for display and logs: shortened, without query and picture data.
  public var redacted: String {
    let end = UInt8(ascii: isData ? "," : "?")
    return Self.brief(Substring(string.utf8.prefix { $0 != end })) + (isData ? ",…" : "")
  }
}

extension BackgroundURL {
  /// A short form of any text for a message, without a query.
  private static func brief(_ text: Substring) -> String {
    let visible = Substring(text.utf8.prefix { $0 != UInt8(ascii: "?") })
    return visible.shortened(to: 80)
  }

  /// The URL that a text means. The result stays the same when it is read again.
  private static func tidied(_ text: String) -> String {
    let url = unquoted(text)
    if startsWithHost(url) { return "https://" + withoutEntities(url) }
    return scheme(of: url) == "data" ? url : withoutEntities(url)
  }

  /// Whether a text begins with `www.` and a name with another dot in it: what browsers complete by themselves.
  private static func startsWithHost(_ text: String) -> Bool {
    let host = text.utf8.prefix {
      $0.isLetter || $0.isDigit || $0 >= 0x80 || $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: ".")
    }
    guard host.count > 4, Substring(host.prefix(4)).lowercased() == "www.",
      host.dropFirst(5).dropLast().contains(UInt8(ascii: "."))
    else { return false }
    let next = text.utf8[host.endIndex...].first
    return next.map {
      [UInt8(ascii: "/"), UInt8(ascii: ":"), UInt8(ascii: "?"), UInt8(ascii: "#")].contains($0)
    } ?? true
  }

  /// The text with the characters that its entities of HTML mean, if it has `&amp;`: then it was copied from the source of a page. Without
  /// that, an `&` begins a parameter.
  private static func withoutEntities(_ text: String) -> String {
    guard
      text.utf8.split(separator: UInt8(ascii: "&"), omittingEmptySubsequences: false).dropFirst()
        .contains(where: { $0.starts(with: "amp;".utf8) })
    else { return text }
    var bytes: [UInt8] = []
    for byte in text.utf8 {
      bytes.append(byte)
      guard byte == UInt8(ascii: ";") else { continue }
      // An entity may have been encoded again, and then its end is that of the next one.
      let tail = bytes.suffix(longestEntity)
      guard let start = tail.lastIndex(of: UInt8(ascii: "&")),
        let entity = String(validating: tail[start...].dropFirst().dropLast(), as: UTF8.self),
        let character = entities[entity]
      else { continue }
      bytes.removeLast(bytes.endIndex - start)
      bytes.append(UInt8(ascii: character))
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// The entities of characters that a URL may have and that pages escape.
  private static let entities: [String: Unicode.Scalar] = [
    "amp": "&", "#38": "&", "#038": "&", "#x26": "&", "quot": "\"", "#34": "\"", "apos": "'", "#39": "'",
    "#039": "'",
    "#x27": "'", "#x2F": "/", "#x2f": "/", "#x3D": "=", "#x3d": "=",
  ]
  private static let longestEntity = 6

  private static func trimmed(_ text: String) -> Substring {
    let isSpace = { (byte: UInt8) in byte == 0x20 || (0x09...0x0D).contains(byte) }
    let start = text.utf8.firstIndex { !isSpace($0) } ?? text.endIndex
    let end = text.utf8[start...].lastIndex { !isSpace($0) }.map { text.utf8.index(after: $0) } ?? start
    return text[start..<end]
  }

  private static func withoutFragment(_ text: String) throws(Refusal) -> Substring {
    let text = trimmed(text)
    let url = text.utf8.firstIndex(of: UInt8(ascii: "#")).map { text[..<$0] } ?? text
    guard !url.isEmpty else { throw Refusal(.badURL, "there is no URL") }
    // White space inside a pasted picture is skipped by the decoder.
    if scheme(of: url) == "data" { return url }
    guard url.utf8.count <= Limits.urlBytes else {
      throw Refusal(.badURL, "a URL of more than \(Limits.urlBytes) bytes")
    }
    guard !url.unicodeScalars.contains(where: { $0.value < 0x20 || (0x7F...0x9F).contains($0.value) }) else {
      throw Refusal(.badURL, "a URL with a control character in it")
    }
    guard !url.unicodeScalars.contains(where: \.properties.isWhitespace) else {
      throw Refusal(.badURL, "a URL with a space in it; write %20")
    }
    return url
  }

  /// The URL in an `imgurl` parameter, which the result pages of image searches use.
  private static func wrapped(in url: Substring) -> String? {
    let query = url.utf8.drop { $0 != UInt8(ascii: "?") }.dropFirst()
    let name = "imgurl=".utf8
    for parameter in query.split(separator: UInt8(ascii: "&")) where parameter.starts(with: name) {
      let bytes = Array(PercentDecoding(parameter.dropFirst(name.count)))
      guard let value = String(validating: bytes, as: UTF8.self), let scheme = scheme(of: value) else {
        continue
      }
      if scheme == "http" || scheme == "https" { return value }
    }
    return nil
  }
}

// MARK: - Addresses

/// The authority part of an http URL.
private enum WebAddress {
  /// Throws `badURL` unless there is a host and, after it, nothing or a port.
  static func check(_ url: Substring) throws(Refusal) {
    let rest = url.utf8.drop { $0 != UInt8(ascii: ":") }
    guard rest.starts(with: "://".utf8) else { throw Refusal(.badURL, "there is no // before the host") }
    let authority = rest.dropFirst(3).prefix { $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: "?") }
    guard !authority.contains(UInt8(ascii: "@")) else {
      throw Refusal(.badURL, "a URL with a user's name in it is not fetched")
    }
    guard !authority.contains(UInt8(ascii: "\\")) else {
      throw Refusal(.badURL, "the host has a backslash in it")
    }
    let host: Substring.UTF8View
    if authority.first == UInt8(ascii: "["), let end = authority.firstIndex(of: UInt8(ascii: "]")) {
      host = authority[...end]
    } else {
      host = authority.prefix { $0 != UInt8(ascii: ":") }
    }
    guard !host.isEmpty, !host.elementsEqual("[]".utf8) else { throw Refusal(.badURL, "there is no host") }
    guard isPort(authority[host.endIndex...]) else {
      throw Refusal(.badURL, "the port is no number up to 65535")
    }
  }

  private static func isPort(_ text: Substring.UTF8View) -> Bool {
    guard text.first == UInt8(ascii: ":") else { return text.isEmpty }
    let digits = text.dropFirst()
    return digits.isEmpty || digits.allSatisfy(\.isDigit) && UInt16(Substring(digits)) != nil
  }
}

extension UInt8 {
  fileprivate var isLetter: Bool { (0x61...0x7A).contains(self | 0x20) }
  fileprivate var isDigit: Bool { (0x30...0x39).contains(self) }
  fileprivate var isOfScheme: Bool {
    isLetter || isDigit || self == UInt8(ascii: "+") || self == UInt8(ascii: "-") || self == UInt8(ascii: ".")
  }
}

// MARK: - Data URLs

/// Decodes `data:` URLs (RFC 2397), as browsers do (https://fetch.spec.whatwg.org/#data-url-processor).
package enum DataURL {
  /// The bound on the part before the comma. Parsing needs several times its memory.
  private static let headerLimit = 4096

  /// Decodes at most `limit` bytes. Throws `tooBig` before it allocates memory, `notAnImage` for a media type that is
  /// not an image's, and `badURL` for malformed data.
  package static func decode(_ url: BackgroundURL, limit: Int) throws(Refusal) -> [UInt8] {
    guard url.isData else { throw Refusal(.badURL, "\(url.redacted) is no data: URL") }
    let rest = url.string[...].utf8.dropFirst(5)
    guard let comma = rest.prefix(headerLimit).firstIndex(of: UInt8(ascii: ",")) else {
      throw Refusal(.badURL, "there is no comma in the first \(headerLimit) bytes of the data: URL")
    }
    var parameters = Substring(rest[..<comma]).split(separator: ";", omittingEmptySubsequences: false)
    let isBase64 = parameters.count > 1 && MediaType.trimmed(parameters[parameters.count - 1]) == "base64"
    if isBase64 { parameters.removeLast() }
    try MediaType.check(parameters.first.map(String.init) ?? "", from: "the data: URL")
    let bytes = PercentDecoding(rest[rest.index(after: comma)...])
    return isBase64 ? try base64(bytes, limit) : try plain(bytes, limit)
  }

  private static func plain(
    _ source: PercentDecoding<Substring.UTF8View>, _ limit: Int
  ) throws(Refusal) -> [UInt8] {
    let count = source.reduce(0) { count, _ in count + 1 }
    try check(count, limit)
    var bytes: [UInt8] = []
    bytes.reserveCapacity(count)
    for byte in source { bytes.append(byte) }
    return bytes
  }

  /// Skips white space and accepts missing padding (https://infra.spec.whatwg.org/#forgiving-base64-decode).
  private static func base64(
    _ source: PercentDecoding<Substring.UTF8View>, _ limit: Int
  ) throws(Refusal) -> [UInt8] {
    var digits = 0
    for byte in source where Base64Decoder.isDigit(byte) { digits += 1 }
    try check(digits / 4 * 3 + max(0, digits % 4 - 1), limit)
    // Reserves space for missing padding too: growing an array needs memory for both copies.
    var decoder = Base64Decoder(reserving: digits + 4)
    for byte in source where !byte.isSpace { guard decoder.consume(byte) else { throw broken } }
    guard decoder.finish(isLax: true) else { throw broken }
    return decoder.bytes
  }

  private static var broken: Refusal { Refusal(.badURL, "the base64 of the data: URL cannot be read") }

  private static func check(_ count: Int, _ limit: Int) throws(Refusal) {
    guard count <= limit else {
      throw Refusal(
        .tooBig,
        "the data: URL has \(count) bytes, more than the \(FetchLimits.text(bytes: limit)) that are accepted")
    }
  }
}

/// Checks declared media types. A declared type can only rule a picture out; the bytes decide what it is.
package enum MediaType {
  /// Throws `notAnImage` for a declared type that is not a picture's. An empty type passes. `source` names the sender
  /// in the message.
  package static func check(_ text: String, from source: String) throws(Refusal) {
    let kind = trimmed(text.prefix { $0 != ";" })
    guard kind.isEmpty || kind.hasPrefix("image/") || plain.contains(kind) else {
      throw Refusal(
        .notAnImage, "\(source) answers with \(kind[...].shortened(to: 60)), which is no picture")
    }
  }

  static func trimmed(_ text: Substring) -> String {
    let start = text.drop(while: \.isWhitespace)
    let end = start.lastIndex { !$0.isWhitespace }
    return end.map { start[...$0].lowercased() } ?? ""
  }

  private static let plain: Set<String> = ["application/octet-stream", "binary/octet-stream"]
}

/// Percent-decoded bytes. A `%` without two hexadecimal digits stands for itself.
private struct PercentDecoding<Source: Collection>: Sequence where Source.Element == UInt8 {
  private let source: Source

  init(_ source: Source) { self.source = source }

  struct Iterator: IteratorProtocol {
    fileprivate let source: Source
    fileprivate var index: Source.Index

    mutating func next() -> UInt8? {
      guard index != source.endIndex else { return nil }
      let byte = source[index]
      source.formIndex(after: &index)
      guard byte == UInt8(ascii: "%"), index != source.endIndex, let high = source[index].hexValue else {
        return byte
      }
      let second = source.index(after: index)
      guard second != source.endIndex, let low = source[second].hexValue else { return byte }
      index = source.index(after: second)
      return high << 4 | low
    }
  }

  func makeIterator() -> Iterator { Iterator(source: source, index: source.startIndex) }
}

extension UInt8 {
  fileprivate var isSpace: Bool {
    self == 0x20 || self == 0x09 || self == 0x0A || self == 0x0C || self == 0x0D
  }

  fileprivate var hexValue: UInt8? {
    switch self {
    case 0x30...0x39: self - 0x30
    case 0x41...0x46: self - 0x41 + 10
    case 0x61...0x66: self - 0x61 + 10
    default: nil
    }
  }
}
