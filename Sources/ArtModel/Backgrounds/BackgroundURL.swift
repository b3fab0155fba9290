// SPDX-License-Identifier: Apache-2.0

/// The URL of a background, as it is fetched and kept: `http`, `https` or `data`, without a fragment, out of its
/// `imgurl=` wrapper.
public struct BackgroundURL: Hashable, Sendable {
  /// The URL; for `data` it may be longer than a document keeps.
  public let string: String

  /// The URL that was typed or came from elsewhere. Throws `badURL` and `scheme`.
  public init(_ text: String) throws(Refusal) {
    // STUB
    string = text
  }

  /// Whether the text begins with a scheme, and so is meant as a URL and not as a path.
  public static func isURL(_ text: String) -> Bool {
    // STUB
    text.contains("://") || text.hasPrefix("data:")
  }

  /// Whether it has its picture in it.
  public var isData: Bool { string.prefix(5).lowercased() == "data:" }

  /// What a document keeps of it: nil where it is too long.
  public var kept: String? { string.utf8.count <= Limits.urlBytes ? string : nil }

  /// What people are shown: no query, and nothing that is long.
  public var shown: String {
    // STUB
    String(string.prefix(80))
  }
}
