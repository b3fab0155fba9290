// SPDX-License-Identifier: Apache-2.0

import ArtModel

/// A client's own mark of a request, any JSON value. It comes back in every answer to the request, as the client wrote it, but for
/// characters that a terminal must not get: those are written as escapes.
public struct ProtocolTag: Hashable, Sendable {
  /// Bytes of a tag in a request, at most.
  public static let limit = 1_024
  /// Bytes of a tag in an answer, at most: an escape has six.
  private static let answerLimit = 6 * limit

  /// The JSON.
  public let json: [UInt8]

  /// The tag of that JSON text; nil for what is no tag. A tag out of an answer is one.
  public init?(_ json: String) {
    do throws(ArtError) {
      self = try JSONReader.read(json) { (reader) throws(ArtError) in try ProtocolTag(answered: &reader) }
    } catch {
      return nil
    }
  }

  /// Reads the tag of a request. Throws `usage` for one that is too long, and `badJSON`.
  init(from reader: inout JSONReader) throws(ArtError) {
    try self.init(from: &reader, limit: Self.limit)
  }

  /// Reads the tag of an answer. Throws the same.
  init(answered reader: inout JSONReader) throws(ArtError) {
    try self.init(from: &reader, limit: Self.answerLimit)
  }

  private init(from reader: inout JSONReader, limit: Int) throws(ArtError) {
    let bytes = try reader.verbatim()
    guard bytes.count <= limit else {
      throw ArtError(.usage, "a tag of \(bytes.count) bytes; it has at most \(limit)")
    }
    if bytes.allSatisfy({ (0x20..<0x7F).contains($0) }) {
      json = Array(bytes)
      return
    }
    json = String(decoding: bytes, as: UTF8.self).unicodeScalars.reduce(into: []) { json, scalar in
      if !scalar.isUnsafeOnTerminal {
        json.append(contentsOf: String(scalar).utf8)
      } else if scalar.value < 0x20 {
        // Outside of strings: there it is refused.
        json.append(0x20)
      } else {
        let digits = String(scalar.value, radix: 16)
        json.append(contentsOf: "\\u\(String(repeating: "0", count: 4 - digits.count))\(digits)".utf8)
      }
    }
  }

  /// The JSON as a string.
  public var text: String { String(decoding: json, as: UTF8.self) }

  /// The key of the request for a client with a session: the tag, where that is a string of visible ASCII characters.
  public var requestTag: RequestTag? {
    guard json.count >= 3, json.first == 0x22, json.last == 0x22, !json.contains(0x5C) else { return nil }
    return RequestTag(String(decoding: json.dropFirst().dropLast(), as: UTF8.self))
  }
}

extension JSONWriter {
  /// Writes the member `tag`, if there is one.
  mutating func member(_ tag: ProtocolTag?) {
    guard let tag else { return }
    key("tag")
    verbatim(tag.json)
  }
}
