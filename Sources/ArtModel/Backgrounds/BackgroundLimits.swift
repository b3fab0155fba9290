// SPDX-License-Identifier: Apache-2.0

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
