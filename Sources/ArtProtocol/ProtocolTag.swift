// SPDX-License-Identifier: Apache-2.0

import ArtModel

/// A client's own mark for a request: any JSON value. Every answer to the request has it as the client wrote it,
/// except that characters which are unsafe on a terminal are escaped.
public struct ProtocolTag: Hashable, Sendable {
  /// The length of a tag in a request in bytes, at most.
  public static let limit = 1_024
  /// The length of a tag in an answer in bytes, at most: an escape has six bytes.
  private static let answerLimit = 6 * limit

  /// The JSON text.
  public let json: [UInt8]

  /// The tag with that JSON text; nil if it is not valid as a tag of an answer.
  public init?(_ json: String) {
    do throws(ArtError) {
      self = try JSONReader.read(json) { (reader) throws(ArtError) in try ProtocolTag(answered: &reader) }
    } catch {
      return nil
    }
  }

  /// Reads the tag of a request. Throws `usage` for one that is too long, and `badJSON`.
  package init(from reader: inout JSONReader) throws(ArtError) {
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
        // A control character outside of a string is white space; the reader refuses it inside of one.
        json.append(0x20)
      } else {
        let digits = String(scalar.value, radix: 16)
        json.append(contentsOf: "\\u\(String(repeating: "0", count: 4 - digits.count))\(digits)".utf8)
      }
    }
  }

  /// The tag that is that text; nil for one that is too long.
  package init?(text: String) {
    var json = JSONWriter()
    json.string(text)
    self.init(json.text)
  }

  /// The JSON as a string.
  public var text: String { String(decoding: json, as: UTF8.self) }

  /// The tag as an idempotency key: the string, if the tag is one of visible ASCII characters; nil otherwise.
  public var requestTag: RequestTag? {
    guard json.count >= 3, json.first == 0x22, json.last == 0x22, !json.contains(0x5C) else { return nil }
    return RequestTag(String(decoding: json.dropFirst().dropLast(), as: UTF8.self))
  }
}

extension JSONWriter {
  /// Writes the member `tag`, if there is a tag.
  package mutating func member(_ tag: ProtocolTag?) {
    guard let tag else { return }
    key("tag")
    verbatim(tag.json)
  }

  /// Writes the member `line`, the line of the request in the input, if it has one.
  mutating func member(line: Int?) {
    guard let line else { return }
    key("line")
    integer(line)
  }
}
