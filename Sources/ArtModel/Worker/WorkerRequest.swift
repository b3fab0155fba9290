// SPDX-License-Identifier: Apache-2.0

/// What `emojiart-worker` is asked, a line of JSON each.
public enum WorkerRequest: Sendable, Hashable {
  /// The line that the worker begins with has this number: the version of what is said between the two.
  public static let version = 1
  /// Bytes of a line, at most: a `data:` URL of the largest body is one.
  public static let lineLimit = 64 << 20

  case fetch(Fetch)
  /// Have a look at a picture whose bytes, that many, follow the line.
  case decode(bytes: Int, PictureLimits)

  /// Fetch a body.
  public struct Fetch: Sendable, Hashable {
    /// From there.
    public var url: String
    /// Whether a person typed it: then its host may have any address, and its proxies are used.
    public var isTyped: Bool
    /// Whether any address may be fetched from.
    public var allowsPrivate: Bool
    /// A person's proxies; nothing of them is used for what nobody typed.
    public var proxies: ProxySettings
    /// What it may take.
    public var limits: FetchLimits

    /// A request.
    public init(
      url: String, isTyped: Bool, allowsPrivate: Bool = false, proxies: ProxySettings = ProxySettings(),
      limits: FetchLimits = FetchLimits()
    ) {
      self.url = url
      self.isTyped = isTyped
      self.allowsPrivate = allowsPrivate
      self.proxies = proxies
      self.limits = limits
    }
  }

  /// Writes the line, without its line break.
  public func write(to writer: inout JSONWriter) {
    // STUB
  }

  /// Reads what `write` writes. Throws `badJSON` and `badValue`.
  public init(from reader: inout JSONReader) throws(ArtError) {
    // STUB
    throw reader.error("stub")
  }
}

/// What `emojiart-worker` answers, a line of JSON each.
public enum WorkerReply: Sendable, Hashable {
  /// The first line: which version of requests it takes.
  case hello(version: Int)
  /// So many bytes of the body have come, of so many as far as that is known.
  case progress(received: Int, total: Int?)
  /// The body, so many bytes, follows the line.
  case body(bytes: Int)
  /// The picture can be decoded.
  case picture(mediaType: String, size: Canvas, isAnimated: Bool)
  /// It was not fetched, or is none.
  case refused(Refusal)

  /// Writes the line, without its line break.
  public func write(to writer: inout JSONWriter) {
    // STUB
  }

  /// Reads what `write` writes. Throws `badJSON` and `badValue`.
  public init(from reader: inout JSONReader) throws(ArtError) {
    // STUB
    throw reader.error("stub")
  }
}
