// SPDX-License-Identifier: Apache-2.0

import ArtDocument
import ArtModel

extension StreamLine {
  /// Bytes of a tag, at most.
  static let tagLimit = 1_024

  /// Reads `{"move":{"by":[1,1],"ref":"🐝"},"tag":7}`; nil for a line of blanks.
  init?(json: UnsafeBufferPointer<UInt8>) {
    if json.allSatisfy({ $0 == 0x20 || $0 == 0x09 || $0 == 0x0D }) { return nil }
    self.init(request: .save)
    do throws(ArtError) {
      try JSONReader.read(json) { (reader) throws(ArtError) in try read(&reader) }
    } catch {
      self = StreamLine(request: .bad(error), tag: Self.tag(in: json))
    }
  }

  private mutating func read(_ reader: inout JSONReader) throws(ArtError) {
    var verb: String?
    try reader.object { (key, reader) throws(ArtError) in
      if key == "tag" { return tag = try Self.tag(from: &reader) }
      if key == "since" { return since = try Self.since(from: &reader) }
      if let verb { throw ArtError(.usage, "a line with \(verb) and \(key); ask for one thing a line") }
      verb = key
      request = try read(key, &reader)
    }
    if verb == nil { throw ArtError(.usage, "a line that asks for nothing; such as {\"undo\":1}") }
  }

  private mutating func read(_ verb: String, _ reader: inout JSONReader) throws(ArtError) -> Request {
    switch verb {
    case "add": return try .edit(.action(add(&reader)))
    case "move": return try .edit(.action(move(&reader)))
    case "resize": return try .edit(.action(resize(&reader)))
    case "remove": return try .edit(.action(remove(&reader)))
    case "order": return try .edit(.action(order(&reader)))
    case "setText": return try .edit(.action(setText(&reader)))
    case "undo": return try .edit(.undo(steps(&reader)))
    case "redo": return try .edit(.redo(steps(&reader)))
    case "background": return .background(try BackgroundLine(from: &reader))
    case "save":
      try reader.yes(of: verb)
      return .save
    case "show":
      try reader.yes(of: verb)
      return .show
    default: throw .unknown("no request", verb, among: Self.verbs)
    }
  }

  /// `null` for a document without edits.
  private static func since(from reader: inout JSONReader) throws(ArtError) -> KnownHead {
    if reader.null() { return .beginning }
    let text = try reader.string()
    guard let id = EditID(text) else {
      throw ArtError(
        .badValue, "since \(shown(String(text.prefix(40)))); give the head of what was saved, or null")
    }
    return .edit(id)
  }

  private static let verbs = [
    "add", "background", "move", "order", "redo", "remove", "resize", "save", "setText", "show", "undo",
  ]

  /// The tag of a line that cannot be read otherwise, if it comes before what cannot be read.
  private static func tag(in json: UnsafeBufferPointer<UInt8>) -> [UInt8] {
    var tag: [UInt8] = []
    do throws(ArtError) {
      try JSONReader.read(json) { (reader) throws(ArtError) in
        try reader.object { (key, reader) throws(ArtError) in
          if key == "tag" { tag = try Self.tag(from: &reader) } else { try reader.skip() }
        }
      }
    } catch {
      // The line's error is told already.
    }
    return tag
  }

  /// As it was given, but for what a terminal must not get.
  private static func tag(from reader: inout JSONReader) throws(ArtError) -> [UInt8] {
    let bytes = try reader.verbatim()
    guard bytes.count <= tagLimit else {
      throw ArtError(.usage, "a tag of \(bytes.count) bytes; it has at most \(tagLimit)")
    }
    if bytes.allSatisfy({ (0x20..<0x7F).contains($0) }) { return Array(bytes) }
    return String(decoding: bytes, as: UTF8.self).unicodeScalars.reduce(into: []) { tag, scalar in
      if !scalar.isUnsafeOnTerminal {
        tag.append(contentsOf: String(scalar).utf8)
      } else if scalar.value < 0x20 {
        // Outside of strings: there it is refused.
        tag.append(0x20)
      } else {
        let digits = String(scalar.value, radix: 16)
        tag.append(contentsOf: "\\u\(String(repeating: "0", count: 4 - digits.count))\(digits)".utf8)
      }
    }
  }
}

extension ArtError {
  /// A key that means nothing here.
  static func unknown(
    _ what: String, _ key: String, among known: [String], all: String? = nil
  ) -> ArtError {
    let near = nearest(to: key, among: known)
    let list = all ?? "there are \(known.joined(separator: ", "))"
    let hint = near.isEmpty ? list : "did you mean \(near.joined(separator: " or "))?"
    return ArtError(.usage, "\(what) \(shown(String(key.prefix(40)))); \(hint)")
  }
}
