// SPDX-License-Identifier: Apache-2.0

import ArtModel

/// A document of another program, or our own JSON, as values: what was read, before its picture was looked at.
public struct ForeignArt: Sendable, Equatable {
  /// The picture that it names or holds; both where it holds one and says where it came from.
  public struct Background: Sendable, Equatable {
    /// A URL as it stands there, never empty; nobody has looked at it yet.
    public var url: String?
    /// The bytes of a picture, one at least; nobody has decoded them yet.
    public var bytes: [UInt8]?

    /// A background of these values.
    public init(url: String? = nil, bytes: [UInt8]? = nil) {
      self.url = url
      self.bytes = bytes
    }
  }

  /// Bytes of a source at most; whoever reads one refuses more.
  public static let byteLimit = 256 << 20

  /// The form that it is written in.
  public let dialect: Dialect
  /// The picture, if any. It may be taken out and its bytes let go of once they are decoded.
  public var background: Background?
  /// The picture that our own JSON says is still to come: it stays so.
  public let pending: PendingBackground?
  /// How many emoji come in.
  public var emojiCount: Int { emojis.count }
  /// How many emoji there were: `emojiCount` and those that the report counts as left out.
  public let emojisFound: Int
  /// What was left out of it or changed.
  public let report: ExchangeReport

  /// The canvas of our own JSON.
  let canvas: Canvas?
  let emojis: [ForeignEmoji]

  init(
    dialect: Dialect, background: Background?, pending: PendingBackground?, canvas: Canvas?,
    emojis: [ForeignEmoji], found: Int, report: ExchangeReport
  ) {
    self.dialect = dialect
    self.background = background
    self.pending = pending
    self.canvas = canvas
    self.emojis = emojis
    emojisFound = found
    self.report = report
  }

  /// Reads a document's bytes; the form is told by what is in them. Throws `badJSON` with the place, `notADocument` for JSON that is
  /// no document of these, `tooLarge`.
  public init(reading bytes: UnsafeBufferPointer<UInt8>) throws(ArtError) {
    guard bytes.count <= Self.byteLimit else {
      throw ArtError(
        .tooLarge, "\(bytes.count) bytes, more than the \(Self.byteLimit >> 20) MiB that are read")
    }
    guard !bytes.isEmpty else {
      // 2017's app makes a file before there is anything in it.
      self.init(
        dialect: .emojiart2017, background: nil, pending: nil, canvas: nil, emojis: [], found: 0,
        report: ExchangeReport())
      return
    }
    guard !bytes.starts(with: [0xEF, 0xBB, 0xBF]) else {
      throw .badJSON("a byte order mark before it; take these 3 bytes away", atByte: 0)
    }
    var foreign = ForeignReader()
    try JSONReader.read(bytes) { (reader) throws(ArtError) in try foreign.read(&reader) }
    self = try foreign.finish()
  }
}
