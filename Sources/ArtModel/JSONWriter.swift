// SPDX-License-Identifier: Apache-2.0

/// How JSON spells the URLs of a document.
public enum URLForm: Sendable {
  /// Byte by byte: for what is read again, such as files and exports.
  case whole
  /// As people are shown them, see `BackgroundURL.shown`: a query may hold a secret. For all that is printed.
  case shown
}

/// Writes JSON as bytes. The caller gives keys in sorted order; values then have one spelling only.
public struct JSONWriter {
  /// What has been written.
  public private(set) var bytes: [UInt8] = []
  private var needsComma = false
  private let urls: URLForm

  /// An empty text, which spells URLs in that form.
  public init(reserving capacity: Int = 256, urls: URLForm = .whole) {
    self.urls = urls
    bytes.reserveCapacity(capacity)
  }

  /// What has been written, as a string.
  public var text: String { String(decoding: bytes, as: UTF8.self) }

  /// Forgets what has been written, for a caller that has sent it on.
  public mutating func removeAll() { bytes.removeAll(keepingCapacity: true) }

  /// Forgets what has been written, and begins another text.
  public mutating func restart() {
    removeAll()
    needsComma = false
  }

  /// Writes an object; the body writes keys and values.
  public mutating func object<Failure>(_ body: (inout JSONWriter) throws(Failure) -> Void) throws(Failure) {
    open("{")
    try body(&self)
    close("}")
  }

  /// Writes an array; the body writes its elements.
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

  /// Writes the member `url` of an object; nothing where there is no URL, or none that can be shown.
  public mutating func urlMember(_ url: String?) {
    guard let url else { return }
    switch urls {
    case .whole:
      key("url")
      string(url)
    case .shown:
      do throws(Refusal) {
        let shown = try BackgroundURL(url).shown
        key("url")
        string(shown)
      } catch {
        // It may be any text: a document from elsewhere says what it likes.
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

  /// Writes a finite number, whole numbers without a fraction.
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

  /// Writes a value whose bytes are JSON already.
  public mutating func verbatim(_ json: some Collection<UInt8>) {
    separate()
    bytes.append(contentsOf: json)
  }

  /// Puts the next piece of a value that has begun in the place of what was written, which has been sent on.
  mutating func piece(_ piece: [UInt8]) { bytes = piece }

  /// Ends a line: the next value begins on its own.
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

  /// Quotes, backslashes, control characters, and the first byte of the C1 controls and the bidirectional ones.
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

extension Unicode.Scalar {
  /// Whether a terminal may take the scalar for a command, or let it change the order of what it shows: the
  /// C0 and C1 controls, the line and paragraph separators and the bidirectional controls. All are below
  /// U+10000.
  public var isUnsafeOnTerminal: Bool {
    switch value {
    case 0..<0x20, 0x7F..<0xA0, 0x061C, 0x200E, 0x200F, 0x2028...0x202E, 0x2066...0x2069: true
    default: false
    }
  }
}
