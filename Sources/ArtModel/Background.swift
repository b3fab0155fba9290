// SPDX-License-Identifier: Apache-2.0

/// The background picture of a document. The document stores the bytes under their digest.
public struct Background: Hashable, Sendable {
  /// XXH3-128 of the bytes, 32 hexadecimal digits, lower case.
  public let digest: String
  /// The media type, such as `image/png`; at most 100 bytes.
  public let mediaType: String
  /// The size in pixels, after the orientation is applied.
  public let size: Canvas
  /// The URL of the picture, if it has one; at most 65,536 bytes.
  public let url: String?

  /// Throws `badValue` for an invalid digest, a media type that is not an image's, and a URL that is too long.
  public init(digest: String, mediaType: String, size: Canvas, url: String?) throws(ArtError) {
    let digits = "0123456789abcdef".utf8
    guard digest.utf8.count == 32, digest.utf8.allSatisfy(digits.contains) else {
      throw .badBackground("a digest that is none")
    }
    guard mediaType.utf8.count <= 100, mediaType.hasPrefix("image/") else {
      throw .badBackground("a media type that is no image's")
    }
    guard url.map({ $0.utf8.count <= Limits.urlBytes }) ?? true else {
      throw .badBackground("a URL of more than \(Limits.urlBytes) bytes")
    }
    self.digest = digest
    self.mediaType = mediaType
    self.size = size
    self.url = url
  }
}

/// A background that is still to be fetched.
public struct PendingBackground: Hashable, Sendable {
  /// The point from which the positions of emoji are measured until the picture arrives.
  public enum Anchor: String, Sendable {
    /// The picture's top left corner.
    case topLeft
    /// The picture's centre, for documents imported from a program that measures from there.
    case center
  }

  /// The URL; at most 65,536 bytes.
  public let url: String
  /// The time at which it became pending, in milliseconds since 1970.
  public let since: Int
  /// Why the picture is not there yet, in one word; at most 256 bytes.
  public let reason: String
  /// The point from which positions are measured.
  public let anchor: Anchor

  /// Throws `badValue` for a URL or a reason that is too long.
  public init(url: String, since: Int, reason: String, anchor: Anchor) throws(ArtError) {
    guard url.utf8.count <= Limits.urlBytes else {
      throw .badBackground("a URL of more than \(Limits.urlBytes) bytes")
    }
    guard reason.utf8.count <= 256 else { throw .badBackground("a reason of more than 256 bytes") }
    self.url = url
    self.since = since
    self.reason = reason
    self.anchor = anchor
  }
}

// MARK: - Edits

/// A change of a document's background, by a user or by a fetch. `plan` turns it into an `Edit`.
public enum BackgroundEdit: Hashable, Sendable {
  /// Sets a picture and clears the pending one. The canvas gets the picture's size unless `keepsCanvas`. `pending` is
  /// the URL under which the picture was pending: the edit does nothing if another URL, or none, is pending by now.
  /// If positions are measured from the centre of the pending picture, and this is that picture, the emoji move with
  /// the centre.
  case set(Background, keepsCanvas: Bool, pending: String? = nil)
  /// Removes the picture and the pending one.
  case clear
  /// Makes a picture pending. The current picture stays until the new one arrives.
  case later(PendingBackground)
  /// Clears the pending picture with that URL, because it was refused for good.
  case refuse(url: String, Refusal.Reason)

  /// Plans the edit on this document; nil when it has no effect. Throws what the document's read methods throw.
  public func plan(on art: some ArtReading) throws(ArtError) -> Edit? {
    let changes: [Change]
    switch self {
    case .set(let background, let keepsCanvas, let pending):
      guard pending == nil || art.pending?.url == pending else { return nil }
      let canvas = keepsCanvas ? art.canvas : background.size
      let moves = try Self.moves(to: canvas, for: pending ?? background.url, on: art)
      changes = [.setBackground(background), .setCanvas(canvas)] + moves + [.setPending(nil)]
    case .clear: changes = [.setBackground(nil), .setPending(nil)]
    case .later(let pending): changes = [.setPending(pending)]
    case .refuse(let url, _):
      guard art.pending?.url == url else { return nil }
      changes = [.setPending(nil)]
    }
    let effective = changes.filter { !$0.matches(art) }
    return effective.isEmpty ? nil : Edit(name: name, changes: effective, isRefusal: isRefusal)
  }

  private var isRefusal: Bool { if case .refuse = self { true } else { false } }

  /// The name of the edit.
  public var name: String {
    switch self {
    case .set: "set the background"
    case .clear: "clear the background"
    case .later: "fetch the background later"
    case .refuse(_, let reason): Self.refuseName + reason.rawValue
    }
  }

  private static let refuseName = "refuse the background: "

  /// The reason of an entry that refuses a background; nil for other entries.
  public static func refusal(in entry: LoggedEdit) -> Refusal.Reason? {
    guard entry.kind == .refuse, entry.edit.name.hasPrefix(refuseName) else { return nil }
    return Refusal.Reason(rawValue: String(entry.edit.name.dropFirst(refuseName.count)))
  }

  /// Moves all emoji with the centre when a picture arrives from whose centre they were measured. Positions stay
  /// within the bounds of coordinates.
  private static func moves(
    to canvas: Canvas, for url: String?, on art: some ArtReading
  ) throws(ArtError) -> [Change] {
    guard let pending = art.pending, pending.anchor == .center, isSame(pending.url, url), canvas != art.canvas
    else {
      return []
    }
    let right = Double(canvas.width - art.canvas.width) / 2
    let down = Double(canvas.height - art.canvas.height) / 2
    var moves: [Change] = []
    for emoji in try art.emojisInOrder() {
      let place = try Point(x: within(emoji.position.x + right), y: within(emoji.position.y + down))
      moves.append(.move(emoji.id, to: place))
    }
    return moves
  }

  /// Whether the URL is the pending one, as stored or as normalized for fetching.
  private static func isSame(_ pending: String, _ url: String?) -> Bool {
    if pending == url { return true }
    do throws(Refusal) { return try BackgroundURL(pending).string == url } catch { return false }
  }

  private static func within(_ value: Double) -> Double {
    min(max(value, -Limits.coordinate), Limits.coordinate)
  }
}

extension Change {
  /// Whether the document already has the value that the change sets. False for changes of single emoji.
  fileprivate func matches(_ art: some ArtReading) -> Bool {
    switch self {
    case .setCanvas(let canvas): canvas == art.canvas
    case .setFill(let fill): fill == art.fill
    case .setBackground(let background): background == art.background
    case .setPending(let pending): pending == art.pending
    case .add, .remove, .set: false
    }
  }
}

// MARK: - Fetching and checking pictures

/// The limits of one fetch.
public struct FetchLimits: Sendable, Hashable {
  /// The size of the body in bytes.
  public var bytes: Int
  /// The timeout of each connection.
  public var connect: Duration
  /// The timeout of the whole fetch, redirects included.
  public var total: Duration
  /// The number of redirects.
  public var redirects: Int

  /// Limits. The defaults are 20 MiB, 5 s, 15 s and 10 redirects.
  public init(
    bytes: Int = 20 << 20, connect: Duration = .seconds(5), total: Duration = .seconds(15),
    redirects: Int = 10
  ) {
    self.bytes = bytes
    self.connect = connect
    self.total = total
    self.redirects = redirects
  }
}

extension FetchLimits {
  /// A number of bytes for messages: in MiB if it is a whole number of them, else in bytes.
  package static func text(bytes: Int) -> String {
    bytes >= 1 << 20 && bytes % (1 << 20) == 0 ? "\(bytes >> 20) MiB" : "\(bytes) bytes"
  }
}

/// The limits of a picture.
public struct PictureLimits: Sendable, Hashable {
  /// The size of the file in bytes.
  public var bytes: Int
  /// The number of pixels.
  public var pixels: Int
  /// The largest width and height in pixels.
  public var side: Int

  /// Limits. The defaults are 20 MiB, 24,000,000 pixels and 16,384 pixels a side.
  public init(bytes: Int = 20 << 20, pixels: Int = 24_000_000, side: Int = 16_384) {
    self.bytes = bytes
    self.pixels = pixels
    self.side = side
  }
}

/// The user's proxies. They are used for user-initiated fetches only.
public struct ProxySettings: Sendable, Hashable {
  /// The proxy for http URLs: a URL, or a host and port.
  public var http: String?
  /// The proxy for https URLs.
  public var https: String?
  /// Hosts that are reached without a proxy, separated by commas; `*` for all.
  public var none: String?

  /// Settings.
  public init(http: String? = nil, https: String? = nil, none: String? = nil) {
    self.http = http
    self.https = https
    self.none = none
  }
}

/// A picture that passed a trial decode and can become a background.
public struct CheckedPicture: Sendable, Equatable {
  /// The bytes of the file, unchanged.
  public let bytes: [UInt8]
  /// The media type, detected from the bytes: `image/png`, `image/jpeg`, `image/gif`, `image/webp` or `image/avif`.
  public let mediaType: String
  /// The size in pixels, after the orientation is applied.
  public let size: Canvas
  /// Whether there is more than one frame. The background is the first frame.
  public let isAnimated: Bool

  /// A picture with these values.
  public init(bytes: [UInt8], mediaType: String, size: Canvas, isAnimated: Bool) {
    self.bytes = bytes
    self.mediaType = mediaType
    self.size = size
    self.isAnimated = isAnimated
  }
}
