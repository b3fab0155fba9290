// SPDX-License-Identifier: Apache-2.0

/// Why a background was not taken. The document is as it was.
public struct Refusal: Error, Sendable, Hashable {
  /// The kinds, by the names that people and programs are told.
  public enum Reason: String, Sendable, CaseIterable {
    /// The URL cannot be read.
    case badURL
    /// A scheme that is not fetched.
    case scheme
    /// The host's name has no address.
    case dns
    /// Nobody answers there, or the connection was lost.
    case refused
    /// It took too long.
    case timeout
    /// The connection is not secure: a certificate that is expired, another host's, or nobody's known.
    case tls
    /// The server's answer is not 200.
    case status
    /// Too many redirects, one that leads nowhere, or one from https to http.
    case redirects
    /// The body comes in an encoding that was not asked for, or is not as long as it says.
    case encoding
    /// More bytes than are taken.
    case tooBig
    /// More pixels than are taken.
    case tooManyPixels
    /// The bytes are no picture that can be read.
    case notAnImage
    /// The address may not be fetched from: one of this machine, its network, or otherwise special.
    case notAllowed
  }

  /// The kind.
  public let reason: Reason
  /// What happened and to what, as the rest of a sentence; no query of a URL is in it. May hold text from a server: it is
  /// made safe where it is printed.
  public let detail: String
  /// Whether it may be otherwise later: a name without an address, a connection, a certificate, an answer 5xx.
  public let isTransient: Bool

  /// A refusal; where nothing is said of it, its kind tells whether it is transient.
  public init(_ reason: Reason, _ detail: String, isTransient: Bool? = nil) {
    self.reason = reason
    self.detail = detail
    self.isTransient = isTransient ?? reason.isTransient
  }
}

extension Refusal.Reason {
  fileprivate var isTransient: Bool {
    switch self {
    case .dns, .refused, .timeout, .tls: true
    case .badURL, .scheme, .status, .redirects, .encoding, .tooBig, .tooManyPixels, .notAnImage, .notAllowed:
      false
    }
  }

  /// The kind of error that it is: `badValue` for what is wrong with the URL or the picture, `unavailable` for all else.
  public var code: ArtError.Code {
    switch self {
    case .badURL, .tooManyPixels, .notAnImage: .badValue
    case .scheme, .dns, .refused, .timeout, .tls, .status, .redirects, .encoding, .tooBig, .notAllowed:
      .unavailable
    }
  }
}
