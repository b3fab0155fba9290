// SPDX-License-Identifier: Apache-2.0

/// What `emojiart-worker` is asked, a line of JSON each.
public enum WorkerRequest: Sendable, Hashable {
  /// The line that the worker begins with has this number: the version of what is said between the two.
  public static let version = 1
  /// Bytes of a line, at most: many more than those of the longest URL, however it is escaped.
  public static let lineLimit = 1 << 20
  /// Bytes of a picture or a body, at most, whatever the limits say.
  public static let bodyLimit = 1 << 28

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
}
