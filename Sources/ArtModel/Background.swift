// SPDX-License-Identifier: Apache-2.0

/// The picture behind the emoji. Its bytes are in the document, found by their digest.
public struct Background: Hashable, Sendable {
  /// XXH3-128 of the bytes, 32 hexadecimal digits, lower case.
  public var digest: String
  /// For example `image/png`.
  public var mediaType: String
  /// Pixels across and down, as the picture is to be looked at.
  public var size: Canvas
  /// Where it came from, if anywhere.
  public var url: String?

  /// A background of these values.
  public init(digest: String, mediaType: String, size: Canvas, url: String?) {
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

  /// Where from.
  public var url: String
  /// Since when, in milliseconds since 1970.
  public var since: Int
  /// Why it is not there yet, one word.
  public var reason: String
  /// What places are measured from.
  public var anchor: Anchor

  /// A pending background of these values.
  public init(url: String, since: Int, reason: String, anchor: Anchor) {
    self.url = url
    self.since = since
    self.reason = reason
    self.anchor = anchor
  }
}
