// SPDX-License-Identifier: Apache-2.0

import ArtModel

/// The elements of a store's XML that have only text, in their order: what a listing and an error need, and no more. A document type, a
/// processing instruction after the first one, and entities other than those of XML itself are refused.
struct StoreAnswer {
  /// An element that begins with others in it, or one with text only.
  enum Piece: Equatable {
    case begin(String)
    case text(String, String)
  }

  private(set) var pieces: [Piece] = []

  /// Reads an answer. Throws `badValue`.
  init(_ bytes: [UInt8]) throws(ArtError) {
    var rest = String(decoding: bytes, as: UTF8.self)[...]
    var open: [(name: Substring, text: String, isLeaf: Bool)] = []
    while let start = rest.firstIndex(of: "<") {
      if !open.isEmpty { open[open.count - 1].text += try Self.unescaped(rest[..<start]) }
      guard let end = rest[start...].firstIndex(of: ">") else { throw Self.bad("it breaks off") }
      let tag = rest[rest.index(after: start)..<end]
      rest = rest[rest.index(after: end)...]
      if tag.hasPrefix("?") { continue }
      guard !tag.hasPrefix("!") else { throw Self.bad("it has a declaration") }
      if tag.hasPrefix("/") {
        guard let element = open.popLast(), element.name == tag.dropFirst() else {
          throw Self.bad("its elements overlap")
        }
        if element.isLeaf { pieces.append(.text(String(element.name), element.text)) }
        continue
      }
      let name = tag.prefix { !$0.isWhitespace && $0 != "/" }
      guard !name.isEmpty, open.count < 16 else { throw Self.bad("it is too deep") }
      if let outer = open.indices.last, open[outer].isLeaf {
        open[outer].isLeaf = false
        pieces.append(.begin(String(open[outer].name)))
      }
      if tag.hasSuffix("/") { pieces.append(.text(String(name), "")) } else { open.append((name, "", true)) }
    }
    guard open.isEmpty else { throw Self.bad("it breaks off") }
  }

  /// The text of the first element of that name.
  func text(_ name: String) -> String? {
    for case .text(name, let text) in pieces { return text }
    return nil
  }

  private static func bad(_ what: String) -> ArtError {
    ArtError(.badValue, "the store's answer cannot be read: \(what)")
  }

  private static func unescaped(_ text: Substring) throws(ArtError) -> String {
    guard text.contains("&") else { return String(text) }
    var result = ""
    var rest = text
    while let start = rest.firstIndex(of: "&") {
      result += rest[..<start]
      guard let end = rest[start...].firstIndex(of: ";") else { throw bad("it has a bad entity") }
      let name = rest[rest.index(after: start)..<end]
      rest = rest[rest.index(after: end)...]
      if let character = ["amp": "&", "lt": "<", "gt": ">", "quot": "\"", "apos": "'"][String(name)] {
        result += character
        continue
      }
      let digits = name.dropFirst()
      let value = digits.hasPrefix("x") ? UInt32(digits.dropFirst(), radix: 16) : UInt32(digits)
      guard name.hasPrefix("#"), let value, let scalar = Unicode.Scalar(value) else {
        throw bad("it has a bad entity")
      }
      result.unicodeScalars.append(scalar)
    }
    return result + rest
  }
}

/// A page of a listing of objects.
struct BucketPage {
  /// An object.
  struct Object: Equatable {
    let key: String
    let etag: String
    /// Its bytes, as the store says; 0 if it does not.
    var size = 0
  }

  private(set) var objects: [Object] = []
  /// Where the next page begins; nil after the last one.
  private(set) var next: String?

  /// Reads the answer of ListObjectsV2 with `encoding-type=url`. Throws `badValue`.
  init(_ bytes: [UInt8]) throws(ArtError) {
    let answer = try StoreAnswer(bytes)
    var (key, etag, size): (String?, String?, Int?)
    func add() {
      if let key, let etag { objects.append(Object(key: key, etag: etag, size: max(size ?? 0, 0))) }
      (key, etag, size) = (nil, nil, nil)
    }
    for piece in answer.pieces {
      switch piece {
      case .begin("Contents"), .begin("CommonPrefixes"): add()
      case .text("Key", let text): key = Self.decoded(text)
      case .text("ETag", let text): etag = text
      case .text("Size", let text): size = Int(text)
      case .text("NextContinuationToken", let text): next = text
      default: break
      }
    }
    add()
    if answer.text("IsTruncated") != "true" { next = nil }
  }

  /// A name that is encoded as in a form.
  private static func decoded(_ text: String) -> String {
    var bytes: [UInt8] = []
    var rest = Array(text.utf8)[...]
    while let byte = rest.popFirst() {
      let digits = rest.prefix(2)
      if byte == UInt8(ascii: "+") {
        bytes.append(UInt8(ascii: " "))
      } else if byte == UInt8(ascii: "%"), digits.count == 2,
        let value = UInt8(String(decoding: digits, as: UTF8.self), radix: 16)
      {
        bytes.append(value)
        rest = rest.dropFirst(2)
      } else {
        bytes.append(byte)
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}
