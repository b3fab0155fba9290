// SPDX-License-Identifier: Apache-2.0

/// How JSON contains the URLs of a document.
public enum URLForm: Sendable {
  /// Complete, for text that is read again: files and exports.
  case whole
  /// Redacted like `BackgroundURL.redacted`, because a query may contain a secret; for everything that is printed.
  case redacted
}

/// Writes JSON as bytes. The caller writes keys in sorted order, so that equal values have equal text.
public struct JSONWriter {
  /// The bytes so far.
  public private(set) var bytes: [UInt8] = []
  private var needsComma = false
  private let urls: URLForm

  /// An empty text, with URLs in that form.
  public init(reserving capacity: Int = 256, urls: URLForm = .whole) {
    self.urls = urls
    bytes.reserveCapacity(capacity)
  }

  /// The text so far.
  public var text: String { String(decoding: bytes, as: UTF8.self) }

  /// Discards the bytes so far, for a caller that has passed them on.
  public mutating func removeAll() { bytes.removeAll(keepingCapacity: true) }

  /// Discards the bytes so far and begins a new text.
  public mutating func restart() {
    removeAll()
    needsComma = false
  }

  /// Writes an object. The body writes keys and values.
  public mutating func object<Failure>(_ body: (inout JSONWriter) throws(Failure) -> Void) throws(Failure) {
    open("{")
    try body(&self)
    close("}")
  }

  /// Writes an array. The body writes the elements.
  public mutating func array<Failure>(_ body: (inout JSONWriter) throws(Failure) -> Void) throws(Failure) {
    open("[")
    try body(&self)
    close("]")
  }

  /// Writes a key of an object.
  public mutating func key(_ name: String) {
    string(name)
    bytes.append(UInt8(ascii: ":"))
    needsComma = false
  }

  /// Writes the member `url` of an object; nothing without a URL or for one that cannot be redacted.
  public mutating func urlMember(_ url: String?) {
    guard let url else { return }
    switch urls {
    case .whole:
      key("url")
      string(url)
    case .redacted:
      do throws(Refusal) {
        let redacted = try BackgroundURL(url).redacted
        key("url")
        string(redacted)
      } catch {
        // A foreign document may have any text as its URL; such a text is left out.
      }
    }
  }

  /// Writes a string.
  public mutating func string(_ text: String) {
    separate()
    bytes.append(UInt8(ascii: "\""))
    var copy = text
    copy.withUTF8 { utf8 in
      if utf8.contains(where: Self.mayNeedEscape) { escape(text) } else { bytes.append(contentsOf: utf8) }
    }
    bytes.append(UInt8(ascii: "\""))
  }

  /// Writes a finite number. Whole numbers have no fraction.
  public mutating func number(_ value: Double) { literal(numberText(value)) }

  /// Writes a whole number.
  public mutating func integer(_ value: Int) {
    guard (0..<10_000).contains(value) else { return literal(String(value)) }
    separate()
    var unit = value < 10 ? 1 : value < 100 ? 10 : value < 1_000 ? 100 : 1_000
    while unit > 0 {
      bytes.append(0x30 + UInt8(value / unit % 10))
      unit /= 10
    }
  }

  /// Writes `true` or `false`.
  public mutating func boolean(_ value: Bool) { literal(value ? "true" : "false") }

  /// Writes `null`.
  public mutating func null() { literal("null") }

  /// Writes a value whose bytes are already JSON.
  public mutating func verbatim(_ json: some Collection<UInt8>) {
    separate()
    bytes.append(contentsOf: json)
  }

  /// Replaces the bytes, which the caller has passed on, with the next piece of an unfinished value.
  mutating func piece(_ piece: [UInt8]) { bytes = piece }

  /// Ends a line; the next value begins a new text.
  public mutating func endLine() {
    bytes.append(UInt8(ascii: "\n"))
    needsComma = false
  }

  private mutating func literal(_ text: String) {
    separate()
    bytes.append(contentsOf: text.utf8)
  }

  private mutating func open(_ bracket: Unicode.Scalar) {
    separate()
    bytes.append(UInt8(truncatingIfNeeded: bracket.value))
    needsComma = false
  }

  private mutating func close(_ bracket: Unicode.Scalar) {
    bytes.append(UInt8(truncatingIfNeeded: bracket.value))
    needsComma = true
  }

  private mutating func separate() {
    if needsComma { bytes.append(UInt8(ascii: ",")) }
    needsComma = true
  }

  /// Whether a byte may need an escape: quotes, backslashes, control characters, and the first byte of C1 and
  /// bidirectional controls.
  private static func mayNeedEscape(_ byte: UInt8) -> Bool {
    byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") || byte == 0x7F || byte == 0xC2
      || byte == 0xD8 || byte == 0xE2
  }

  private mutating func escape(_ text: String) {
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"": bytes.append(contentsOf: "\\\"".utf8)
      case "\\": bytes.append(contentsOf: "\\\\".utf8)
      case "\n": bytes.append(contentsOf: "\\n".utf8)
      case "\r": bytes.append(contentsOf: "\\r".utf8)
      case "\t": bytes.append(contentsOf: "\\t".utf8)
      case _ where scalar.isUnsafeOnTerminal:
        let digits = String(scalar.value, radix: 16)
        bytes.append(contentsOf: "\\u\(String(repeating: "0", count: 4 - digits.count))\(digits)".utf8)
      default: bytes.append(contentsOf: String(scalar).utf8)
      }
    }
  }
}
