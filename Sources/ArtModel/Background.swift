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
