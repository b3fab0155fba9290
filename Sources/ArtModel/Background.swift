// SPDX-License-Identifier: Apache-2.0

/// The picture behind the emoji. Its bytes are in the document, found by their digest.
public struct Background: Hashable, Sendable {
  /// XXH3-128 of the bytes, 32 hexadecimal digits, lower case.
  public let digest: String
  /// `image/png` and the like, at most 100 bytes.
  public let mediaType: String
  /// Pixels across and down, as the picture is to be looked at.
  public let size: Canvas
  /// Where it came from, if anywhere; at most 65,536 bytes.
  public let url: String?

  /// Throws `badValue` for a digest that is none, a media type that is no image's, and a URL that is too long.
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
  /// What the emoji's places are measured from when the picture arrives.
  public enum Anchor: String, Sendable {
    /// The picture's top left corner.
    case topLeft
    /// The picture's centre, for documents that came from a program that measures from there.
    case center
  }

  /// Where from; at most 65,536 bytes.
  public let url: String
  /// Since when, in milliseconds since 1970.
  public let since: Int
  /// Why it is not there yet, one word; at most 256 bytes.
  public let reason: String
  /// What places are measured from.
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

/// What is done to a document's background, in a person's or a fetcher's terms. On a document it becomes an `Edit`.
public enum BackgroundEdit: Hashable, Sendable {
  /// That picture; the canvas takes its size, unless it is to be kept. What was pending is not any more. Where this is the pending
  /// one, and was measured from the centre, the emoji move with it: by its URL, or because `pending` is the URL that it was
  /// pending by. Where that is not pending any more, nothing is done.
  case set(Background, keepsCanvas: Bool, pending: String? = nil)
  /// No picture, and none to be fetched.
  case clear
  /// A picture that is to be fetched later; the one that is there stays until then.
  case later(PendingBackground)
  /// The pending picture of that URL was refused for good: it is not pending any more.
  case refuse(url: String, Refusal.Reason)

  /// What it is on this document; nil when it has no effect. Throws what reading throws.
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
    return effective.isEmpty ? nil : Edit(name: name, changes: effective)
  }

  /// What the edit is called.
  public var name: String {
    switch self {
    case .set: "set the background"
    case .clear: "clear the background"
    case .later: "fetch the background later"
    case .refuse(_, let reason): Self.refuseName + reason.rawValue
    }
  }

  private static let refuseName = "refuse the background: "

  /// Why a background was refused for good, where that is what the edit says.
  public static func refusal(in edit: Edit) -> Refusal.Reason? {
    guard edit.name.hasPrefix(refuseName), edit.changes == [.setPending(nil)] else { return nil }
    return Refusal.Reason(rawValue: String(edit.name.dropFirst(refuseName.count)))
  }

  /// Where a picture arrives that the places were measured from the centre of, they stay where they are to its centre; none
  /// leaves the bounds of places.
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

  /// Whether that is the URL of the pending one, as it stands there or as it is fetched.
  private static func isSame(_ pending: String, _ url: String?) -> Bool {
    if pending == url { return true }
    do throws(Refusal) { return try BackgroundURL(pending).string == url } catch { return false }
  }

  private static func within(_ value: Double) -> Double {
    min(max(value, -Limits.coordinate), Limits.coordinate)
  }
}

extension Change {
  /// Whether a field of the document as a whole has the value that the change gives it.
  fileprivate func matches(_ art: some ArtReading) -> Bool {
    switch self {
    case .setCanvas(let canvas): canvas == art.canvas
    case .setBackground(let background): background == art.background
    case .setPending(let pending): pending == art.pending
    case .add, .remove, .move, .resize, .setText, .order: false
    }
  }
}

/// What fetching a picture may take.
public struct FetchLimits: Sendable, Hashable {
  /// Bytes of the body.
  public var bytes: Int
  /// For each connection to be made.
  public var connect: Duration
  /// For all of it, redirects too.
  public var total: Duration
  /// Redirects that are followed.
  public var redirects: Int

  /// Limits; 20 MiB, 5 s, 15 s and 3 redirects where nothing is said.
  public init(
    bytes: Int = 20 << 20, connect: Duration = .seconds(5), total: Duration = .seconds(15), redirects: Int = 3
  ) {
    self.bytes = bytes
    self.connect = connect
    self.total = total
    self.redirects = redirects
  }
}

extension FetchLimits {
  /// So many bytes as people are told of them: whole MiB as that.
  public static func words(bytes: Int) -> String {
    bytes >= 1 << 20 && bytes % (1 << 20) == 0 ? "\(bytes >> 20) MiB" : "\(bytes) bytes"
  }
}

/// What a picture may be.
public struct PictureLimits: Sendable, Hashable {
  /// Bytes of the file.
  public var bytes: Int
  /// Pixels in all.
  public var pixels: Int
  /// Pixels across, and down.
  public var side: Int

  /// Limits; 20 MiB, 24,000,000 pixels and 16,384 a side where nothing is said.
  public init(bytes: Int = 20 << 20, pixels: Int = 24_000_000, side: Int = 16_384) {
    self.bytes = bytes
    self.pixels = pixels
    self.side = side
  }
}

/// The proxies that a person has set for what the person types.
public struct ProxySettings: Sendable, Hashable {
  /// For http URLs; a URL, or a host and port.
  public var http: String?
  /// For https URLs.
  public var https: String?
  /// Hosts that are reached without one, with commas between them; `*` for all.
  public var none: String?

  /// Settings.
  public init(http: String? = nil, https: String? = nil, none: String? = nil) {
    self.http = http
    self.https = https
    self.none = none
  }
}

/// A picture whose bytes were decoded once, as a trial: a document may take it.
public struct CheckedPicture: Sendable, Equatable {
  /// The file's bytes, as they came.
  public let bytes: [UInt8]
  /// `image/png`, `image/jpeg`, `image/gif`, `image/webp` or `image/avif`, by the bytes.
  public let mediaType: String
  /// Pixels across and down, after its orientation is applied.
  public let size: Canvas
  /// Whether there is more than one frame; the first one is the background.
  public let isAnimated: Bool

  /// A picture.
  public init(bytes: [UInt8], mediaType: String, size: Canvas, isAnimated: Bool) {
    self.bytes = bytes
    self.mediaType = mediaType
    self.size = size
    self.isAnimated = isAnimated
  }
}
