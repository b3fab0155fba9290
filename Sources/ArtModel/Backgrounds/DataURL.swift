// SPDX-License-Identifier: Apache-2.0

/// Reads the bytes out of a `data:` URL (RFC 2397), as browsers do (https://fetch.spec.whatwg.org/#data-url-processor).
public enum DataURL {
  /// What stands before the comma is a media type and little more; it is taken apart, which needs more room than it has itself.
  private static let kindBytes = 4096

  /// The bytes, at most `limit` of them. Throws `tooBig` before anything is allocated, `notAnImage` for a media type that
  /// is none of a picture, and `badURL` for what cannot be read.
  public static func decode(_ url: BackgroundURL, limit: Int) throws(Refusal) -> [UInt8] {
    guard url.isData else { throw Refusal(.badURL, "\(url.shown) is no data: URL") }
    let rest = url.string[...].utf8.dropFirst(5)
    guard let comma = rest.prefix(kindBytes).firstIndex(of: UInt8(ascii: ",")) else {
      throw Refusal(.badURL, "there is no comma in the first \(kindBytes) bytes of the data: URL")
    }
    var words = Substring(rest[..<comma]).split(separator: ";", omittingEmptySubsequences: false)
    let isBase64 = words.count > 1 && MediaType.trimmed(words[words.count - 1]) == "base64"
    if isBase64 { words.removeLast() }
    try MediaType.check(words.first.map(String.init) ?? "", from: "the data: URL")
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

  /// White space is passed over, and the `=` at the end may be left out
  /// (https://infra.spec.whatwg.org/#forgiving-base64-decode).
  private static func base64(
    _ source: PercentDecoding<Substring.UTF8View>, _ limit: Int
  ) throws(Refusal) -> [UInt8] {
    var digits = 0
    for byte in source where Base64Decoder.isDigit(byte) { digits += 1 }
    try check(digits / 4 * 3 + max(0, digits % 4 - 1), limit)
    // With room for what the padding leaves: an array that grows is there twice while it does.
    var decoder = Base64Decoder(reserving: digits + 4)
    for byte in source where !byte.isSpace { guard decoder.take(byte) else { throw broken } }
    guard decoder.finish(isLax: true) else { throw broken }
    return decoder.bytes
  }

  private static var broken: Refusal { Refusal(.badURL, "the base64 of the data: URL cannot be read") }

  private static func check(_ count: Int, _ limit: Int) throws(Refusal) {
    guard count <= limit else {
      throw Refusal(
        .tooBig,
        "the data: URL has \(count) bytes, more than the \(FetchLimits.words(bytes: limit)) that are taken")
    }
  }
}

/// What kind of data it is said to be: only a veto, for the bytes decide.
public enum MediaType {
  /// Throws `notAnImage` for what is said to be something else than a picture; nothing said is no veto.
  public static func check(_ text: String, from source: String) throws(Refusal) {
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

/// The bytes of a text in which some are written as `%` and two hexadecimal digits; a `%` without them is one.
struct PercentDecoding<Source: Collection>: Sequence where Source.Element == UInt8 {
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
