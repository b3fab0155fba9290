// SPDX-License-Identifier: Apache-2.0

/// The task of a worker process. Its sandbox is set up for that task before it reads a request.
package enum WorkerVerb: Sendable, Hashable {
  /// Fetches bodies.
  case fetch
  /// Decodes pictures of these formats. Other formats are refused as if their loaders were not installed.
  case decode([PictureKind])
  /// Draws with these fonts, and decodes backgrounds of these formats.
  case draw(FontPaths, [PictureKind])
  /// Measures words in these fonts.
  case measure(FontPaths)
  /// Exchanges objects with a store.
  case store
  /// Reports the system's support for a sandbox, and accepts no requests.
  case sandbox

  /// The program's arguments.
  package var arguments: [String] {
    switch self {
    case .fetch: ["fetch"]
    case .decode(let kinds): ["decode"] + kinds.map(\.rawValue)
    case .draw(let fonts, let kinds): ["draw"] + fonts.arguments + kinds.map(\.rawValue)
    case .measure(let fonts): ["measure"] + fonts.arguments
    case .store: ["store"]
    case .sandbox: ["sandbox"]
    }
  }

  /// Parses arguments. Throws `usage` for invalid ones.
  package init(arguments: [String]) throws(ArtError) {
    var rest = arguments.dropFirst()
    switch arguments.first {
    case "decode": self = .decode(try Self.kinds(rest))
    case "draw": self = .draw(FontPaths(leading: &rest), try Self.kinds(rest))
    case "measure":
      self = .measure(FontPaths(leading: &rest))
      guard rest.isEmpty else { throw Self.isNone }
    case "fetch" where rest.isEmpty: self = .fetch
    case "store" where rest.isEmpty: self = .store
    case "sandbox" where rest.isEmpty: self = .sandbox
    default: throw Self.isNone
    }
  }

  private static let isNone = ArtError(.usage, "a helper of emojiart, which starts it; it has no commands")

  private static func kinds(_ names: ArraySlice<String>) throws(ArtError) -> [PictureKind] {
    var kinds: [PictureKind] = []
    for name in names {
      guard let kind = PictureKind(rawValue: name) else { throw isNone }
      kinds.append(kind)
    }
    return kinds
  }

  /// Whether a worker with this task accepts a request.
  package func accepts(_ request: WorkerRequest) -> Bool {
    switch (self, request) {
    case (.fetch, .fetch), (.decode, .decode), (.decode, .anonymise), (.draw, .labels), (.draw, .picture),
      (.draw, .draw),
      (.measure, .measure), (.store, .exchange):
      true
    default: false
    }
  }
}

/// Where the fonts of a drawing are.
package struct FontPaths: Sendable, Hashable {
  /// The paths of the colour fonts, the first choice first; empty if none was found.
  package var colors: [String]
  /// The folders of the fonts for letters; empty if they are not needed or not installed.
  package var letterFolders: [String]

  /// Fonts at these paths.
  package init(colors: [String], letterFolders: [String] = []) {
    self.colors = colors
    self.letterFolders = letterFolders
  }

  private static let colorMark = "font="
  private static let lettersMark = "letters="

  fileprivate var arguments: [String] {
    colors.map { Self.colorMark + $0 } + letterFolders.map { Self.lettersMark + $0 }
  }

  /// Takes the arguments for fonts from the front of others.
  fileprivate init(leading rest: inout ArraySlice<String>) {
    self.init(colors: [])
    while let argument = rest.first {
      if argument.hasPrefix(Self.colorMark) {
        colors.append(String(argument.dropFirst(Self.colorMark.count)))
      } else if argument.hasPrefix(Self.lettersMark) {
        letterFolders.append(String(argument.dropFirst(Self.lettersMark.count)))
      } else {
        return
      }
      rest = rest.dropFirst()
    }
  }
}

/// A system's support for the worker's sandbox.
public struct SandboxAbility: Sendable, Hashable {
  /// The version of Landlock's interface; nil if the kernel lacks it or has it disabled.
  public var landlock: Int?
  /// Whether the kernel supports filters of system calls.
  public var hasSeccomp: Bool

  /// Support with these values.
  public init(landlock: Int?, hasSeccomp: Bool) {
    self.landlock = landlock
    self.hasSeccomp = hasSeccomp
  }
}

/// A request to `emojiart-worker`, one line of JSON.
///
/// A drawing takes several requests: its labels, if any, in any number of pieces; its picture, if it has one; and
/// `draw`, which consumes them.
package enum WorkerRequest: Sendable, Hashable {
  /// The version of the protocol, which the worker's first line names.
  package static let version = 7
  /// The length of a line in bytes, at most. It fits the longest URL with every character escaped.
  package static let lineLimit = 1 << 20
  /// The length of a picture or a body in bytes, at most, whatever the limits say.
  package static let bodyLimit = 1 << 28
  /// The length of a piece of labels in bytes, at most.
  package static let labelsLimit = 1 << 20

  case fetch(Fetch)
  /// Checks a picture; that many bytes follow the line.
  case decode(bytes: Int, PictureLimits)
  /// Removes from a picture what it says of its maker; that many bytes follow the line.
  case anonymise(bytes: Int)
  /// Sends some of `total` labels; a JSON array of that many bytes follows the line.
  case labels(bytes: Int, total: Int)
  /// Sends the background of a drawing; that many bytes follow the line.
  case picture(bytes: Int)
  /// Draws the scene sent before.
  case draw(Draw)
  /// Measures the words of a caption.
  case measure(Words)
  /// Sends a request to an object store; its body follows the line.
  case exchange(Exchange)

  /// The number of raw bytes after the line; nil if another line follows.
  package var bytesThatFollow: Int? {
    switch self {
    case .fetch, .draw, .measure: nil
    case .exchange(let exchange): exchange.bytes
    case .decode(let bytes, _), .labels(let bytes, _), .picture(let bytes), .anonymise(let bytes): bytes
    }
  }

  /// Fetches a body.
  package struct Fetch: Sendable, Hashable {
    /// The URL.
    package var url: String
    /// Whether the URL is user-initiated: its host may have any address, and the user's proxies are used.
    package var isUserInitiated: Bool
    /// Whether private addresses are allowed for every host.
    package var allowsPrivate: Bool
    /// The user's proxies. They are ignored for untrusted URLs.
    package var proxies: ProxySettings
    /// The limits. Durations are in whole milliseconds, from one to a day's.
    package var limits: FetchLimits

    /// A request.
    package init(
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

  /// The request to draw: a `Drawing` without its labels and picture, which are sent before, and without its font,
  /// which the worker was started with.
  package struct Draw: Sendable, Hashable {
    /// The size of the canvas.
    package var canvas: Canvas
    /// The colour of the canvas; nil for none.
    package var fill: Color?
    /// The region to draw.
    package var region: CanvasRect
    /// The output format.
    package var format: Drawing.Format
    /// Whether empty areas are transparent.
    package var isTransparent: Bool
    /// What it has for print and for readers.
    package var details = DrawingDetails()

    /// The values of a drawing, without its labels and its picture.
    package init(_ drawing: Drawing) {
      canvas = drawing.scene.canvas
      fill = drawing.scene.fill
      region = drawing.region
      format = drawing.format
      isTransparent = drawing.isTransparent
      details = drawing.details
    }

    init(
      canvas: Canvas, fill: Color? = nil, region: CanvasRect, format: Drawing.Format, isTransparent: Bool,
      details: DrawingDetails = DrawingDetails()
    ) {
      self.canvas = canvas
      self.fill = fill
      self.region = region
      self.format = format
      self.isTransparent = isTransparent
      self.details = details
    }
  }
}

// MARK: - Drawings in pieces

/// Assembles a drawing from the requests before `draw`.
package struct SentScene {
  private var labels: [DrawingScene.Label] = []
  private var total = 0
  private var picture: [UInt8]?

  /// An empty scene.
  package init() {}

  /// Whether nothing was received.
  package var isEmpty: Bool { total == 0 && picture == nil }

  /// Receives some of `total` labels as a JSON array. Throws `badJSON`, and `badValue` for more than `total`.
  package mutating func receive(labels json: [UInt8], total: Int) throws(ArtError) {
    if self.total == 0 {
      self.total = total
      // Reserved at once: growing an array needs memory for both copies.
      labels.reserveCapacity(total)
    }
    guard total == self.total else { throw .badCount(total, "labels") }
    try json.withUnsafeBufferPointer { (bytes) throws(ArtError) in
      try JSONReader.read(bytes) { (reader) throws(ArtError) in
        try reader.array { (reader) throws(ArtError) in
          guard labels.count < total else { throw .badCount(labels.count + 1, "labels") }
          labels.append(try DrawingScene.Label(from: &reader))
        }
      }
    }
  }

  /// Receives the background. Throws `badValue` for a second one.
  package mutating func receive(picture: [UInt8]) throws(ArtError) {
    guard self.picture == nil else { throw ArtError(.badValue, "two pictures of one drawing") }
    self.picture = picture
  }

  /// Returns the drawing, without a font, and resets itself. Throws `badValue` when labels are missing.
  package mutating func drawing(_ draw: WorkerRequest.Draw) throws(ArtError) -> Drawing {
    guard labels.count == total else { throw .badCount(labels.count, "labels") }
    defer { self = SentScene() }
    return Drawing(
      scene: DrawingScene(canvas: draw.canvas, fill: draw.fill, labels: labels, picture: picture),
      region: draw.region,
      format: draw.format, isTransparent: draw.isTransparent, fonts: [], details: draw.details)
  }
}

extension Drawing {
  /// Sends the requests for the drawing line by line and in pieces, so that no large copy of it is made.
  package func send<Failure: Error>(_ send: ([UInt8]) throws(Failure) -> Void) throws(Failure) {
    try sendLabels(send)
    if let picture = scene.picture {
      try send(WorkerRequest.picture(bytes: picture.count).line)
      try send(picture)
    }
    try send(WorkerRequest.draw(WorkerRequest.Draw(self)).line)
  }

  /// The approximate length of a piece of labels in bytes.
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
  /// The line, with its line break.
  package var line: [UInt8] {
    var writer = JSONWriter()
    write(to: &writer)
    writer.endLine()
    return writer.bytes
  }
}

// MARK: - JSON

extension WorkerRequest {
  /// Writes the line, without its line break:
  ///
  ///     {"decode":{"bytes":…,"limits":{…}}}  {"fetch":{"allowsPrivate":…,"isTyped":…,"limits":{…},"proxies":{…},"url":"…"}}
  ///     {"labels":{"bytes":…,"total":…}}  {"picture":…}  {"draw":{…}}  {"measure":"…"}
  ///     {"exchange":{…}}  {"anonymise":…}
  package func write(to writer: inout JSONWriter) {
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
      case .anonymise(let bytes):
        writer.key("anonymise")
        writer.integer(bytes)
      case .draw(let draw):
        writer.key("draw")
        draw.write(to: &writer)
      case .exchange(let exchange):
        writer.key("exchange")
        exchange.write(to: &writer)
      case .measure(let words):
        writer.key("measure")
        writer.string(words.string)
      }
    }
  }

  /// Reads what `write` writes. Throws `badJSON`, and `badValue` for a number out of bounds.
  package init(from reader: inout JSONReader) throws(ArtError) {
    var request: WorkerRequest?
    try reader.object { (key, reader) throws(ArtError) in
      guard request == nil else { throw reader.error("two requests in one") }
      switch key {
      case "anonymise": request = .anonymise(bytes: try reader.count(0...WorkerRequest.bodyLimit, "bytes"))
      case "decode": request = try Self.decode(from: &reader)
      case "draw": request = .draw(try Draw(from: &reader))
      case "exchange": request = .exchange(try Exchange(from: &reader))
      case "fetch": request = .fetch(try Fetch(from: &reader))
      case "labels": request = try Self.labels(from: &reader)
      case "measure": request = .measure(try Words(try reader.string()))
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
  func write(to writer: inout JSONWriter) {
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

  init(from reader: inout JSONReader) throws(ArtError) {
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
  func write(to writer: inout JSONWriter) {
    writer.object {
      $0.key("bytes")
      $0.integer(bytes)
      $0.key("pixels")
      $0.integer(pixels)
      $0.key("side")
      $0.integer(side)
    }
  }

  init(from reader: inout JSONReader) throws(ArtError) {
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
  func write(to writer: inout JSONWriter) {
    writer.object { writer in
      for (key, value) in [("http", http), ("https", https), ("none", none)] {
        guard let value else { continue }
        writer.key(key)
        writer.string(value)
      }
    }
  }

  init(from reader: inout JSONReader) throws(ArtError) {
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
  /// Reads an integer within bounds. Throws `badValue` for one out of bounds.
  mutating func count(_ bounds: ClosedRange<Int>, _ unit: String) throws(ArtError) -> Int {
    let value = try integer()
    guard bounds.contains(value) else { throw .badCount(value, unit) }
    return value
  }
}

extension Duration {
  /// From one to a day's.
  fileprivate static let wireMilliseconds = 1...86_400_000

  /// Whole milliseconds, clamped to the bounds.
  fileprivate var milliseconds: Int {
    let bounds = Self.wireMilliseconds
    return Int(min(max(self / .milliseconds(1), Double(bounds.lowerBound)), Double(bounds.upperBound)))
  }
}
