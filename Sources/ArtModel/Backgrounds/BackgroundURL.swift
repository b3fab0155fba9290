// SPDX-License-Identifier: Apache-2.0

/// The URL of a background, as it is fetched and kept: `http`, `https` or `data`, without a fragment, out of its
/// `imgurl=` wrapper.
public struct BackgroundURL: Hashable, Sendable {
  /// The URL; for `data` it may be longer than a document keeps.
  public let string: String

  /// The URL that was typed or came from elsewhere; white space around it is dropped. Throws `badURL` and `scheme`.
  public init(_ text: String) throws(Refusal) {
    try self.init(text, unwraps: true)
  }

  private init(_ text: String, unwraps: Bool) throws(Refusal) {
    let url = try Self.withoutFragment(text)
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
      throw Refusal(.scheme, "file: is not fetched; a picture of one's own is given by its path")
    default:
      throw Refusal(.scheme, "\(Self.brief(scheme[...])): is not fetched, only http:, https: and data:")
    }
  }

  /// Whether the text begins with a scheme, and so is meant as a URL and not as a path.
  public static func isURL(_ text: String) -> Bool { scheme(of: trimmed(text)) != nil }

  /// The scheme that a text begins with, in lower case: two characters or more, for one is the letter of a drive.
  public static func scheme(of text: some StringProtocol) -> String? {
    guard let colon = text.utf8.firstIndex(of: UInt8(ascii: ":")) else { return nil }
    let scheme = text.utf8[..<colon]
    guard scheme.count >= 2, scheme.first?.isLetter == true, scheme.allSatisfy(\.isOfScheme) else {
      return nil
    }
    return text[..<colon].lowercased()
  }

  /// Whether it has its picture in it.
  public var isData: Bool { Self.scheme(of: string) == "data" }

  /// What a document keeps of it: nil where it is too long.
  public var kept: String? { string.utf8.count <= Limits.urlBytes ? string : nil }

  /// What people are shown: no query, no picture, and nothing that is long.
  public var shown: String {
    let end = UInt8(ascii: isData ? "," : "?")
    return Self.brief(Substring(string.utf8.prefix { $0 != end })) + (isData ? ",…" : "")
  }
}

extension BackgroundURL {
  /// Of a text that may be anything, as much as fits into a sentence, without a query.
  private static func brief(_ text: Substring) -> String {
    let visible = Substring(text.utf8.prefix { $0 != UInt8(ascii: "?") })
    return visible.shortened(to: 80)
  }

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
    // White space within a picture that was pasted is passed over where that is read.
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

  /// The URL in a parameter `imgurl`, as the pages of picture searches have it.
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

/// The part of an http URL that says where.
private enum WebAddress {
  /// Throws `badURL` unless there are a host and, if anything else, a port.
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

extension Substring {
  /// So many scalars at most, with an ellipsis where more are left out. A character may be of any number of them.
  public func shortened(to count: Int) -> String {
    guard unicodeScalars.dropFirst(count).first != nil else { return String(self) }
    return String(unicodeScalars.prefix(count - 1)) + "…"
  }
}

extension UInt8 {
  fileprivate var isLetter: Bool { (0x61...0x7A).contains(self | 0x20) }
  fileprivate var isDigit: Bool { (0x30...0x39).contains(self) }
  fileprivate var isOfScheme: Bool {
    isLetter || isDigit || self == UInt8(ascii: "+") || self == UInt8(ascii: "-") || self == UInt8(ascii: ".")
  }
}
