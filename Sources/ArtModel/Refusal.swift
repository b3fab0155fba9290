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

/// The kinds of pictures that are taken as a background.
public enum PictureKind: String, Sendable, CaseIterable {
  case png, jpeg, gif, webp, avif

  /// The kind that a file's first bytes say it is; nil for any other. Reads at most 4,096 bytes and decodes nothing.
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

  /// `image/png` and the like.
  public var mediaType: String { "image/\(rawValue)" }

  /// As it is written.
  public var name: String {
    switch self {
    case .png: "PNG"
    case .jpeg: "JPEG"
    case .gif: "GIF"
    case .webp: "WebP"
    case .avif: "AVIF"
    }
  }

  /// The brands of the first box (ISO/IEC 14496-12, 4.3) within the first 4,096 bytes, the major one first; none when that box is
  /// no `ftyp`.
  package static func brands(of file: ArraySlice<UInt8>) -> [String] {
    guard file.dropFirst(4).starts(with: "ftyp".utf8) else { return [] }
    let size = file.prefix(4).reduce(0) { $0 << 8 | Int($1) }
    let data = file.prefix(min(size, 4096)).dropFirst(8)
    func brand(_ offset: Int) -> String? {
      let letters = data.dropFirst(offset).prefix(4)
      return letters.count == 4 ? String(decoding: letters, as: UTF8.self) : nil
    }
    guard let major = brand(0) else { return [] }
    // Four bytes of a version lie between the major brand and the others.
    return [major] + stride(from: 8, to: data.count, by: 4).compactMap(brand)
  }
}

/// How a person wants to hear of a background that was refused.
public enum WarningChoice: String, Sendable, CaseIterable {
  case always
  case once
  case never
}

/// What is kept of the warnings about one document on this machine.
public struct WarningRecord: Sendable, Hashable {
  /// Whether a person has stopped them.
  public var isStopped = false
  /// Whether it was warned.
  public var wasTold = false
  /// The digest of the URL that a person's own command was refused last; nil when the last one was taken.
  public var lastRefused: String?

  /// Nothing was told.
  public init() {}
}

/// What becomes of a warning.
public enum Warning: Sendable, Hashable {
  /// Nothing is said.
  case silent
  /// It is told, and where a person can be asked, the question is put.
  case told(asks: Bool)

  /// By these rules, the first that fits: `never` is silent; `always` is told; what a person asks for again right after it was
  /// refused is told again; what was stopped is silent; else once for a document. Who said `always` has answered the question,
  /// and is not asked.
  public static func decide(
    _ choice: WarningChoice?, _ record: WarningRecord, isAskedAgain: Bool
  ) -> Warning {
    switch choice {
    case .never: .silent
    case .always: .told(asks: false)
    case .once, nil:
      if isAskedAgain {
        .told(asks: !record.isStopped)
      } else if record.isStopped || record.wasTold {
        .silent
      } else {
        .told(asks: true)
      }
    }
  }
}
