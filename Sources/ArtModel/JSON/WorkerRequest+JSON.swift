// SPDX-License-Identifier: Apache-2.0

extension WorkerRequest {
  /// Writes the line, without its line break:
  ///
  ///     {"decode":{"bytes":…,"limits":{…}}}  {"fetch":{"allowsPrivate":…,"isTyped":…,"limits":{…},"proxies":{…},"url":"…"}}
  ///     {"labels":{"bytes":…,"total":…}}  {"picture":…}  {"draw":{…}}
  public func write(to writer: inout JSONWriter) {
    writer.object { writer in
      switch self {
      case .decode(let bytes, let limits):
        writer.key("decode")
        writer.object {
          $0.key("bytes")
          $0.integer(bytes)
          $0.key("limits")
          limits.write(to: &$0)
        }
      case .fetch(let fetch):
        writer.key("fetch")
        fetch.write(to: &writer)
      case .labels(let bytes, let total):
        writer.key("labels")
        writer.object {
          $0.key("bytes")
          $0.integer(bytes)
          $0.key("total")
          $0.integer(total)
        }
      case .picture(let bytes):
        writer.key("picture")
        writer.integer(bytes)
      case .draw(let draw):
        writer.key("draw")
        draw.write(to: &writer)
      }
    }
  }

  /// Reads what `write` writes. Throws `badJSON`, and `badValue` for a number that is out of bounds.
  public init(from reader: inout JSONReader) throws(ArtError) {
    var request: WorkerRequest?
    try reader.object { (key, reader) throws(ArtError) in
      guard request == nil else { throw reader.error("two requests in one") }
      switch key {
      case "decode": request = try Self.decode(from: &reader)
      case "draw": request = .draw(try Draw(from: &reader))
      case "fetch": request = .fetch(try Fetch(from: &reader))
      case "labels": request = try Self.labels(from: &reader)
      case "picture": request = .picture(bytes: try reader.count(0...WorkerRequest.bodyLimit, "bytes"))
      default: throw reader.error("no request \"\(key.prefix(40))\"")
      }
    }
    guard let request else { throw reader.error("no request") }
    self = request
  }

  private static func decode(from reader: inout JSONReader) throws(ArtError) -> WorkerRequest {
    var bytes: Int?
    var limits: PictureLimits?
    try reader.object { (key, reader) throws(ArtError) in
      switch key {
      case "bytes": bytes = try reader.count(0...bodyLimit, "bytes")
      case "limits": limits = try PictureLimits(from: &reader)
      default: throw reader.error("decode with the key \"\(key.prefix(40))\"")
      }
    }
    guard let bytes, let limits else { throw reader.error("decode without bytes or limits") }
    guard bytes <= limits.bytes else { throw .badCount(bytes, "bytes") }
    return .decode(bytes: bytes, limits)
  }

  private static func labels(from reader: inout JSONReader) throws(ArtError) -> WorkerRequest {
    var bytes: Int?
    var total: Int?
    try reader.object { (key, reader) throws(ArtError) in
      switch key {
      case "bytes": bytes = try reader.count(0...labelsLimit, "bytes")
      case "total": total = try reader.count(1...Limits.emojiCount, "labels")
      default: throw reader.error("labels with the key \"\(key.prefix(40))\"")
      }
    }
    guard let bytes, let total else { throw reader.error("labels without bytes or total") }
    return .labels(bytes: bytes, total: total)
  }
}

extension WorkerRequest.Fetch {
  fileprivate func write(to writer: inout JSONWriter) {
    writer.object {
      $0.key("allowsPrivate")
      $0.boolean(allowsPrivate)
      $0.key("isTyped")
      $0.boolean(isTyped)
      $0.key("limits")
      limits.write(to: &$0)
      $0.key("proxies")
      proxies.write(to: &$0)
      $0.key("url")
      $0.string(url)
    }
  }

  fileprivate init(from reader: inout JSONReader) throws(ArtError) {
    var allowsPrivate: Bool?
    var isTyped: Bool?
    var limits: FetchLimits?
    var proxies: ProxySettings?
    var url: String?
    try reader.object { (key, reader) throws(ArtError) in
      switch key {
      case "allowsPrivate": allowsPrivate = try reader.boolean()
      case "isTyped": isTyped = try reader.boolean()
      case "limits": limits = try FetchLimits(from: &reader)
      case "proxies": proxies = try ProxySettings(from: &reader)
      case "url": url = try reader.string()
      default: throw reader.error("fetch with the key \"\(key.prefix(40))\"")
      }
    }
    guard let allowsPrivate, let isTyped, let limits, let proxies, let url else {
      throw reader.error("fetch without allowsPrivate, isTyped, limits, proxies or url")
    }
    self.init(url: url, isTyped: isTyped, allowsPrivate: allowsPrivate, proxies: proxies, limits: limits)
  }
}

extension FetchLimits {
  fileprivate func write(to writer: inout JSONWriter) {
    writer.object {
      $0.key("bytes")
      $0.integer(bytes)
      $0.key("connect")
      $0.integer(connect.milliseconds)
      $0.key("redirects")
      $0.integer(redirects)
      $0.key("total")
      $0.integer(total.milliseconds)
    }
  }

  fileprivate init(from reader: inout JSONReader) throws(ArtError) {
    var bytes: Int?
    var connect: Int?
    var redirects: Int?
    var total: Int?
    try reader.object { (key, reader) throws(ArtError) in
      switch key {
      case "bytes": bytes = try reader.count(0...WorkerRequest.bodyLimit, "bytes")
      case "connect": connect = try reader.count(Duration.wireMilliseconds, "milliseconds")
      case "redirects": redirects = try reader.count(0...100, "redirects")
      case "total": total = try reader.count(Duration.wireMilliseconds, "milliseconds")
      default: throw reader.error("limits with the key \"\(key.prefix(40))\"")
      }
    }
    guard let bytes, let connect, let redirects, let total else {
      throw reader.error("limits without bytes, connect, redirects or total")
    }
    self.init(
      bytes: bytes, connect: .milliseconds(connect), total: .milliseconds(total), redirects: redirects)
  }
}

extension PictureLimits {
  fileprivate func write(to writer: inout JSONWriter) {
    writer.object {
      $0.key("bytes")
      $0.integer(bytes)
      $0.key("pixels")
      $0.integer(pixels)
      $0.key("side")
      $0.integer(side)
    }
  }

  fileprivate init(from reader: inout JSONReader) throws(ArtError) {
    var bytes: Int?
    var pixels: Int?
    var side: Int?
    try reader.object { (key, reader) throws(ArtError) in
      switch key {
      case "bytes": bytes = try reader.count(0...WorkerRequest.bodyLimit, "bytes")
      case "pixels": pixels = try reader.count(0...1 << 32, "pixels")
      case "side": side = try reader.count(0...Limits.canvasSide, "pixels")
      default: throw reader.error("limits with the key \"\(key.prefix(40))\"")
      }
    }
    guard let bytes, let pixels, let side else { throw reader.error("limits without bytes, pixels or side") }
    self.init(bytes: bytes, pixels: pixels, side: side)
  }
}

extension ProxySettings {
  fileprivate func write(to writer: inout JSONWriter) {
    writer.object { writer in
      for (key, value) in [("http", http), ("https", https), ("none", none)] {
        guard let value else { continue }
        writer.key(key)
        writer.string(value)
      }
    }
  }

  fileprivate init(from reader: inout JSONReader) throws(ArtError) {
    var proxies = ProxySettings()
    try reader.object { (key, reader) throws(ArtError) in
      switch key {
      case "http": proxies.http = try reader.string()
      case "https": proxies.https = try reader.string()
      case "none": proxies.none = try reader.string()
      default: throw reader.error("proxies with the key \"\(key.prefix(40))\"")
      }
    }
    self = proxies
  }
}

extension JSONReader {
  /// Reads a whole number within bounds. Throws `badValue` for one that is not.
  mutating func count(_ bounds: ClosedRange<Int>, _ unit: String) throws(ArtError) -> Int {
    let value = try integer()
    guard bounds.contains(value) else { throw .badCount(value, unit) }
    return value
  }
}

extension Duration {
  /// From one to a day's.
  fileprivate static let wireMilliseconds = 1...86_400_000

  /// Whole milliseconds, in those bounds.
  fileprivate var milliseconds: Int {
    let bounds = Self.wireMilliseconds
    return Int(min(max(self / .milliseconds(1), Double(bounds.lowerBound)), Double(bounds.upperBound)))
  }
}
