// SPDX-License-Identifier: Apache-2.0

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
    public var isTyped: Bool
    /// Whether any address may be fetched from.
    public var allowsPrivate: Bool
    /// A person's proxies; nothing of them is used for what nobody typed.
    public var proxies: ProxySettings
    /// What it may take; times in whole milliseconds, from one to a day's.
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
