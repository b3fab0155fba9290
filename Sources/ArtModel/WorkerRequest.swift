// SPDX-License-Identifier: Apache-2.0

/// What a worker is started for. Its sandbox is closed for that before it reads a request.
public enum WorkerVerb: Sendable, Hashable {
  /// Fetches bodies.
  case fetch
  /// Decodes pictures of these kinds; another kind is refused as if its loader were not installed.
  case decode([PictureKind])
  /// Draws with the font at that path, and decodes backgrounds of these kinds.
  case draw(font: String?, [PictureKind])
  /// Says what the system has for a sandbox, and answers no requests.
  case sandbox

  /// A program's arguments that say it.
  public var arguments: [String] {
    switch self {
    case .fetch: ["fetch"]
    case .decode(let kinds): ["decode"] + kinds.map(\.rawValue)
    case .draw(nil, let kinds): ["draw"] + kinds.map(\.rawValue)
    case .draw(let font?, let kinds): ["draw", Self.fontOption, font] + kinds.map(\.rawValue)
    case .sandbox: ["sandbox"]
    }
  }

  private static let fontOption = "--font"

  /// Reads what `arguments` gives. Throws `usage` for anything else.
  public init(arguments: [String]) throws(ArtError) {
    var rest = arguments.dropFirst()
    switch arguments.first {
    case "decode": self = .decode(try Self.kinds(rest))
    case "draw":
      var font: String?
      if rest.first == Self.fontOption {
        font = rest.dropFirst().first
        rest = rest.dropFirst(2)
      }
      self = .draw(font: font, try Self.kinds(rest))
    case "fetch" where rest.isEmpty: self = .fetch
    case "sandbox" where rest.isEmpty: self = .sandbox
    default: throw Self.isNone
    }
  }

  private static let isNone = ArtError(.usage, "a helper of emojiart, which starts it; it has no commands")

  private static func kinds(_ words: ArraySlice<String>) throws(ArtError) -> [PictureKind] {
    var kinds: [PictureKind] = []
    for word in words {
      guard let kind = PictureKind(rawValue: word) else { throw isNone }
      kinds.append(kind)
    }
    return kinds
  }

  /// Whether a worker that was started for this answers that request.
  public func takes(_ request: WorkerRequest) -> Bool {
    switch (self, request) {
    case (.fetch, .fetch), (.decode, .decode), (.draw, .labels), (.draw, .picture), (.draw, .draw): true
    default: false
    }
  }
}

/// What a system has for the worker's sandbox.
public struct SandboxAbility: Sendable, Hashable {
  /// The version of Landlock's interface; nil where the kernel has none, or has it switched off.
  public var landlock: Int?
  /// Whether the kernel filters system calls.
  public var hasSeccomp: Bool

  /// That much.
  public init(landlock: Int?, hasSeccomp: Bool) {
    self.landlock = landlock
    self.hasSeccomp = hasSeccomp
  }
}

/// What `emojiart-worker` is asked, a line of JSON each.
///
/// A drawing is asked for in several: its labels, if there are any, in pieces of any number; its picture, if it has one; and
/// `draw`, which uses them up.
public enum WorkerRequest: Sendable, Hashable {
  /// The line that the worker begins with has this number: the version of what is said between the two.
  public static let version = 3
  /// Bytes of a line, at most: many more than those of the longest URL, however it is escaped.
  public static let lineLimit = 1 << 20
  /// Bytes of a picture or a body, at most, whatever the limits say.
  public static let bodyLimit = 1 << 28
  /// Bytes of a piece of labels, at most.
  public static let labelsLimit = 1 << 20

  case fetch(Fetch)
  /// Have a look at a picture whose bytes, that many, follow the line.
  case decode(bytes: Int, PictureLimits)
  /// Here are labels of what is to be drawn, some of so many in all: a JSON array of that many bytes follows the line.
  case labels(bytes: Int, total: Int)
  /// Here is the background of what is to be drawn: that many bytes follow the line.
  case picture(bytes: Int)
  /// Draw what was sent.
  case draw(Draw)

  /// How many raw bytes follow the line; nil where another line does.
  public var bytesThatFollow: Int? {
    switch self {
    case .fetch, .draw: nil
    case .decode(let bytes, _), .labels(let bytes, _), .picture(let bytes): bytes
    }
  }

  /// Fetch a body.
  public struct Fetch: Sendable, Hashable {
    /// From there.
    public var url: String
    /// Whether a person typed it: then its host may have any address, and its proxies are used.
    public var isUserInitiated: Bool
    /// Whether any address may be fetched from.
    public var allowsPrivate: Bool
    /// A person's proxies; nothing of them is used for what nobody typed.
    public var proxies: ProxySettings
    /// What it may take; times in whole milliseconds, from one to a day's.
    public var limits: FetchLimits

    /// A request.
    public init(
      url: String, isUserInitiated: Bool, allowsPrivate: Bool = false,
      proxies: ProxySettings = ProxySettings(),
      limits: FetchLimits = FetchLimits()
    ) {
      self.url = url
      self.isUserInitiated = isUserInitiated
      self.allowsPrivate = allowsPrivate
      self.proxies = proxies
      self.limits = limits
    }
  }

  /// Draw: a `Drawing` without what was sent before, and without its font, which the worker was started with.
  public struct Draw: Sendable, Hashable {
    /// How large the canvas is.
    public var canvas: Canvas
    /// Which part of it.
    public var region: Rect
    /// As what.
    public var format: Drawing.Format
    /// Whether there is nothing where nothing is drawn.
    public var isTransparent: Bool

    /// What a drawing is without its labels and its picture.
    public init(_ drawing: Drawing) {
      canvas = drawing.scene.canvas
      region = drawing.region
      format = drawing.format
      isTransparent = drawing.isTransparent
    }

    init(canvas: Canvas, region: Rect, format: Drawing.Format, isTransparent: Bool) {
      self.canvas = canvas
      self.region = region
      self.format = format
      self.isTransparent = isTransparent
    }
  }
}

/// Puts a drawing together from what is sent before `draw`.
package struct SentScene {
  private var labels: [Scene.Label] = []
  private var total = 0
  private var picture: [UInt8]?

  /// Nothing was sent yet.
  package init() {}

  /// Whether nothing was sent.
  package var isEmpty: Bool { total == 0 && picture == nil }

  /// Takes some of so many labels, a JSON array. Throws `badJSON`, and `badValue` when they are more than those.
  package mutating func receive(labels json: [UInt8], total: Int) throws(ArtError) {
    if self.total == 0 {
      self.total = total
      // At once: an array that grows is there twice while it does.
      labels.reserveCapacity(total)
    }
    guard total == self.total else { throw .badCount(total, "labels") }
    try json.withUnsafeBufferPointer { (bytes) throws(ArtError) in
      try JSONReader.read(bytes) { (reader) throws(ArtError) in
        try reader.array { (reader) throws(ArtError) in
          guard labels.count < total else { throw .badCount(labels.count + 1, "labels") }
          labels.append(try Scene.Label(from: &reader))
        }
      }
    }
  }

  /// Takes the background. Throws `badValue` when there is one.
  package mutating func receive(picture: [UInt8]) throws(ArtError) {
    guard self.picture == nil else { throw ArtError(.badValue, "two pictures of one drawing") }
    self.picture = picture
  }

  /// Hands over the drawing, without a font, and holds nothing more. Throws `badValue` when labels are missing.
  package mutating func drawing(_ draw: WorkerRequest.Draw) throws(ArtError) -> Drawing {
    guard labels.count == total else { throw .badCount(labels.count, "labels") }
    defer { self = SentScene() }
    return Drawing(
      scene: Scene(canvas: draw.canvas, labels: labels, picture: picture), region: draw.region,
      format: draw.format, isTransparent: draw.isTransparent, font: nil)
  }
}

extension Drawing {
  /// Sends a request for it, line by line and in pieces, so that nothing large is made of it.
  package func send<Failure: Error>(_ send: ([UInt8]) throws(Failure) -> Void) throws(Failure) {
    try sendLabels(send)
    if let picture = scene.picture {
      try send(WorkerRequest.picture(bytes: picture.count).line)
      try send(picture)
    }
    try send(WorkerRequest.draw(WorkerRequest.Draw(self)).line)
  }

  /// Bytes of a piece of labels, about.
  private static let pieceLength = 1 << 16

  private func sendLabels<Failure: Error>(_ send: ([UInt8]) throws(Failure) -> Void) throws(Failure) {
    var rest = scene.labels[...]
    while !rest.isEmpty {
      var writer = JSONWriter(reserving: Self.pieceLength + 1_024)
      writer.array {
        while $0.bytes.count < Self.pieceLength, let label = rest.popFirst() { label.write(to: &$0) }
      }
      try send(WorkerRequest.labels(bytes: writer.bytes.count, total: scene.labels.count).line)
      try send(writer.bytes)
    }
  }
}

extension WorkerRequest {
  /// Its line, with its line break.
  package var line: [UInt8] {
    var writer = JSONWriter()
    write(to: &writer)
    writer.endLine()
    return writer.bytes
  }
}

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
      $0.boolean(isUserInitiated)
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
    var isUserInitiated: Bool?
    var limits: FetchLimits?
    var proxies: ProxySettings?
    var url: String?
    try reader.object { (key, reader) throws(ArtError) in
      switch key {
      case "allowsPrivate": allowsPrivate = try reader.boolean()
      case "isTyped": isUserInitiated = try reader.boolean()
      case "limits": limits = try FetchLimits(from: &reader)
      case "proxies": proxies = try ProxySettings(from: &reader)
      case "url": url = try reader.string()
      default: throw reader.error("fetch with the key \"\(key.prefix(40))\"")
      }
    }
    guard let allowsPrivate, let isUserInitiated, let limits, let proxies, let url else {
      throw reader.error("fetch without allowsPrivate, isTyped, limits, proxies or url")
    }
    self.init(
      url: url, isUserInitiated: isUserInitiated, allowsPrivate: allowsPrivate, proxies: proxies,
      limits: limits)
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
