// SPDX-License-Identifier: Apache-2.0

/// Why a background was refused. The document is unchanged.
public struct Refusal: Error, Sendable, Hashable {
  /// The reasons, by their names in messages and JSON.
  public enum Reason: String, Sendable, CaseIterable {
    /// The URL is malformed.
    case badURL
    /// The scheme is not supported.
    case scheme
    /// The host name has no address.
    case dns
    /// The connection was refused or lost.
    case refused
    /// The timeout expired.
    case timeout
    /// The connection is not secure: the certificate is expired, for another host, or from an unknown authority.
    case tls
    /// The server's status is not 200.
    case status
    /// Too many redirects, a redirect without a target, or one from https to http.
    case redirects
    /// The body has an unwanted encoding, or not the announced length.
    case encoding
    /// The file has too many bytes.
    case tooBig
    /// The picture has too many pixels.
    case tooManyPixels
    /// The bytes are not a readable picture.
    case notAnImage
    /// The address is not allowed: it belongs to this machine or its network, or is otherwise special.
    case notAllowed
  }

  /// The reason.
  public let reason: Reason
  /// What happened and to what, as the rest of a sentence, without the query of a URL. It may contain a server's
  /// text; the front end escapes it for display.
  public let detail: String
  /// Whether another attempt may succeed: after failures of name resolution or the connection, certificate errors,
  /// and status 5xx.
  public let isTransient: Bool

  /// A refusal. `isTransient` defaults to what is usual for the reason.
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

  /// The corresponding error code: `badValue` for faults of the URL or the picture, `unavailable` for all others.
  public var code: ArtError.Code {
    switch self {
    case .badURL, .tooManyPixels, .notAnImage: .badValue
    case .scheme, .dns, .refused, .timeout, .tls, .status, .redirects, .encoding, .tooBig, .notAllowed:
      .unavailable
    }
  }
}

// MARK: - Picture formats

/// The picture formats that can be a background.
public enum PictureKind: String, Sendable, CaseIterable {
  case png, jpeg, gif, webp, avif

  /// Detects the format from the first bytes; nil for any other format. Reads at most 4,096 bytes and decodes
  /// nothing.
  public init?(of file: [UInt8]) {
    if file.starts(with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) {
      self = .png
    } else if file.starts(with: [0xFF, 0xD8, 0xFF]) {
      self = .jpeg
    } else if file.starts(with: "GIF87a".utf8) || file.starts(with: "GIF89a".utf8) {
      self = .gif
    } else if file.starts(with: "RIFF".utf8), file.dropFirst(8).starts(with: "WEBP".utf8) {
      self = .webp
    } else if Self.brands(of: file[...]).contains(where: { $0 == "avif" || $0 == "avis" }) {
      self = .avif
    } else {
      return nil
    }
  }

  /// The media type, such as `image/png`.
  public var mediaType: String { "image/\(rawValue)" }

  /// The format's name in its usual spelling.
  public var name: String {
    switch self {
    case .png: "PNG"
    case .jpeg: "JPEG"
    case .gif: "GIF"
    case .webp: "WebP"
    case .avif: "AVIF"
    }
  }

  /// The brands of the first box (ISO/IEC 14496-12, 4.3) within the first 4,096 bytes, the major brand first; empty
  /// if that box is not `ftyp`.
  package static func brands(of file: ArraySlice<UInt8>) -> [String] {
    guard file.dropFirst(4).starts(with: "ftyp".utf8) else { return [] }
    let size = file.prefix(4).reduce(0) { $0 << 8 | Int($1) }
    let data = file.prefix(min(size, 4096)).dropFirst(8)
    func brand(_ offset: Int) -> String? {
      let letters = data.dropFirst(offset).prefix(4)
      return letters.count == 4 ? String(decoding: letters, as: UTF8.self) : nil
    }
    guard let major = brand(0) else { return [] }
    // Four bytes of version lie between the major brand and the others.
    return [major] + stride(from: 8, to: data.count, by: 4).compactMap(brand)
  }
}

// MARK: - Warnings

/// The user's setting for warnings about refused backgrounds.
public enum WarningChoice: String, Sendable, CaseIterable {
  case always
  case once
  case never
}

/// What this machine stores about the warnings of one document.
public struct WarningRecord: Sendable, Hashable {
  /// Whether the user has stopped warnings for the document.
  public var isStopped = false
  /// Whether a warning was shown before.
  public var wasShown = false
  /// The digest of the last URL that was refused to the user's own command; nil if the last one was accepted.
  public var lastRefused: String?

  /// A record without warnings.
  public init() {}
}

/// Whether and how a warning is shown.
package enum WarningDecision: Sendable, Hashable {
  /// The warning is not shown.
  case silent
  /// The warning is shown. `asks` says whether the user is asked, if possible, whether to see further ones.
  case shown(asks: Bool)

  /// Decides by the first rule that applies: `never` hides the warning; `always` shows it without the question; a
  /// request repeated right after its refusal shows it; stopped warnings are hidden; otherwise it is shown once for
  /// each document.
  package static func decide(
    _ choice: WarningChoice?, _ record: WarningRecord, isAskedAgain: Bool
  ) -> WarningDecision {
    switch choice {
    case .never: .silent
    case .always: .shown(asks: false)
    case .once, nil:
      if isAskedAgain {
        .shown(asks: !record.isStopped)
      } else if record.isStopped || record.wasShown {
        .silent
      } else {
        .shown(asks: true)
      }
    }
  }
}
