// SPDX-License-Identifier: Apache-2.0

import ArtModel

/// Parses the head of a response line by line.
struct ResponseHead {
  /// What follows from a complete head.
  enum Verdict: Equatable {
    /// An interim response; another head follows.
    case interim
    /// The body follows, with its length if that is known.
    case body(total: Int?)
    /// A redirect to a location.
    case redirect(String)
  }

  private var status: Int?
  private var lengths: [String] = []
  /// How the body is encoded.
  private var codings: [String] = []
  /// How it is encoded for the transfer only.
  private var transferCodings: [String] = []
  private var kinds: [String] = []
  private var locations: [String] = []
  /// The fields of a store's response.
  private var fields: [String: String] = [:]

  /// Adds a line, without its line break. A status line starts a new head.
  mutating func append(_ line: some Sequence<UInt8>) {
    let text = Self.readable(line)
    if text.hasPrefix("HTTP/") {
      self = ResponseHead()
      let words = text.split(separator: " ")
      status = words.count > 1 ? Int(words[1]) : nil
      return
    }
    guard let colon = text.firstIndex(of: ":") else { return }
    let value = text[text.index(after: colon)...].trimmed
    let name = text[..<colon].lowercased()
    if StoreResponse.fieldNames.contains(name) { fields[name] = value }
    switch name {
    case "content-length":
      lengths += value.split(separator: ",", omittingEmptySubsequences: false).map(\.trimmed)
    case "content-encoding": codings += Self.list(value).filter { $0 != "identity" }
    case "transfer-encoding":
      transferCodings += Self.list(value).filter { $0 != "chunked" && $0 != "identity" }
    case "content-type": kinds.append(value)
    case "location": locations.append(value)
    default: break
    }
  }

  /// The verdict. Throws `status`, `redirects`, `encoding`, `notAnImage`, and `tooBig` for a body of more than
  /// `limit` bytes.
  func verdict(from place: String, limit: Int) throws(Refusal) -> Verdict {
    guard let status else { throw Refusal(.status, "\(place) does not answer in HTTP") }
    switch status {
    case 100, 102...199: return .interim
    case 200: break
    case 301, 302, 303, 307, 308: return .redirect(try location(from: place))
    default:
      let isTransient = (500...599).contains(status) || status == 408 || status == 429
      throw Refusal(
        .status, "\(place) answered \(status)\(Self.advice(status))", isTransient: isTransient)
    }
    // Some servers compress whatever they send, though no encoding was requested.
    if let coding = transferCodings.first ?? codings.dropFirst(isCompressed ? 1 : 0).first {
      throw Refusal(
        .encoding, "\(place) answers with a body encoded as \(Self.brief(coding)), which was not requested")
    }
    for kind in kinds { try MediaType.check(kind, from: place) }
    return .body(total: try length(from: place, limit: limit))
  }

  /// Whether the body is encoded as gzip or deflate, which is expanded.
  var isCompressed: Bool { codings.first.map(["gzip", "x-gzip", "deflate"].contains) ?? false }

  /// What helps where a server gives its pictures to people only, or not to everybody.
  private static func advice(_ status: Int) -> String {
    let way = "download the picture in a browser, and give the file's path"
    return switch status {
    case 401, 403: "; \(way)"
    case 429: ": too many requests; try later, or \(way)"
    default: ""
    }
  }

  /// The status and fields of a store's response, and the length of its body if that is known; nil for an interim response. Throws `status`,
  /// `encoding`, `tooBig`.
  func response(
    from place: String, limit: Int
  ) throws(Refusal) -> (status: Int, fields: [String: String], total: Int?)? {
    guard let status else { throw Refusal(.status, "\(place) does not answer in HTTP") }
    guard !(100...199).contains(status) else { return nil }
    guard (200...999).contains(status) else { throw Refusal(.status, "\(place) answered \(status)") }
    if let coding = codings.first ?? transferCodings.first {
      throw Refusal(.encoding, "\(place) answers with a body encoded as \(Self.brief(coding))")
    }
    return (status, fields, try length(from: place, limit: limit))
  }

  private func location(from place: String) throws(Refusal) -> String {
    guard let location = locations.first, !location.isEmpty else {
      throw Refusal(.redirects, "\(place) leads elsewhere and does not say where")
    }
    guard locations.allSatisfy({ $0 == location }) else {
      throw Refusal(.redirects, "\(place) leads to several places at once")
    }
    return location
  }

  private func length(from place: String, limit: Int) throws(Refusal) -> Int? {
    guard let first = lengths.first else { return nil }
    guard lengths.allSatisfy({ $0 == first }), !first.isEmpty,
      first.utf8.allSatisfy({ (0x30...0x39).contains($0) })
    else {
      throw Refusal(.encoding, "\(place) does not say properly how long the body is")
    }
    // A number too large for `Int` is larger than any limit.
    guard let length = Int(first), length <= limit else { throw Self.tooBig(place, limit) }
    return length
  }

  /// A body of more bytes than the limit.
  static func tooBig(_ place: String, _ limit: Int) -> Refusal {
    Refusal(
      .tooBig, "\(place) answers with more than the \(FetchLimits.text(bytes: limit)) that are accepted")
  }

  private static func list(_ value: String) -> [String] {
    value.split(separator: ",").map { $0.trimmed.lowercased() }.filter { !$0.isEmpty }
  }

  private static func brief(_ text: String) -> String { text.count <= 40 ? text : text.prefix(39) + "…" }

  /// The line in ASCII; other bytes are percent-encoded, as in URLs.
  private static func readable(_ line: some Sequence<UInt8>) -> String {
    var text: [UInt8] = []
    for byte in line {
      if byte < 0x80 {
        text.append(byte)
      } else {
        text.append(UInt8(ascii: "%"))
        text += String(byte, radix: 16, uppercase: true).utf8
      }
    }
    return String(decoding: text, as: UTF8.self)
  }
}

extension StringProtocol {
  /// Without surrounding spaces and tabs.
  fileprivate var trimmed: String {
    let isSpace = { (character: Character) in character == " " || character == "\t" }
    let start = drop(while: isSpace)
    return start.lastIndex { !isSpace($0) }.map { String(start[...$0]) } ?? ""
  }
}
