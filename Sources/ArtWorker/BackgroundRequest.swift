// SPDX-License-Identifier: Apache-2.0

import ArtModel

/// A background that is to be fetched.
public struct BackgroundRequest: Sendable, Hashable {
  /// From where.
  public var url: BackgroundURL
  /// Whether a person typed it: then its host may have any address, and its proxies are used.
  public var isTyped: Bool
  /// Whether any address may be fetched from.
  public var allowsPrivate: Bool
  /// A person's proxies; not used for what nobody typed.
  public var proxies: ProxySettings

  /// A request.
  public init(
    _ url: BackgroundURL, isTyped: Bool, allowsPrivate: Bool = false, proxies: ProxySettings = ProxySettings()
  ) {
    self.url = url
    self.isTyped = isTyped
    self.allowsPrivate = allowsPrivate
    self.proxies = proxies
  }
}

/// Why there is no picture.
public enum BackgroundFailure: Error, Sendable, Hashable {
  /// It was refused.
  case refused(Refusal)
  /// The helper program is missing, is another version's, or ended before its answer: the picture is not to blame.
  case failed(ArtError)
  /// Somebody cancelled it.
  case cancelled
}

/// How far a transfer is.
public struct FetchProgress: Sendable, Hashable {
  /// Bytes that have come.
  public var received: Int
  /// Bytes that are expected; nil where the server does not say.
  public var total: Int?

  /// A progress.
  public init(received: Int, total: Int?) {
    self.received = received
    self.total = total
  }
}
