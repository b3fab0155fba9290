// SPDX-License-Identifier: Apache-2.0

import ArtModel

/// What a picture's first bytes say of it. Nothing is decoded.
public struct PictureHeader: Sendable, Hashable {
  /// The kinds that are taken.
  public enum Kind: String, Sendable, CaseIterable {
    case png, jpeg, gif, webp, avif

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
  }

  /// Which kind the bytes are.
  public let kind: Kind
  /// Pixels across, as they are stored; for AVIF after its clean aperture.
  public let width: Int
  /// Pixels down, likewise.
  public let height: Int
  /// How it is to be turned, as EXIF counts: 1 is as stored, 2 to 4 are mirrored or upside down, 5 to 8 swap the sides.
  public let orientation: Int
  /// Whether there is more than one frame.
  public let isAnimated: Bool

  init(kind: Kind, width: Int, height: Int, orientation: Int = 1, isAnimated: Bool = false) {
    self.kind = kind
    self.width = width
    self.height = height
    self.orientation = orientation
    self.isAnimated = isAnimated
  }

  /// Pixels across and down after it is turned.
  public var turned: (width: Int, height: Int) {
    orientation > 4 ? (height, width) : (width, height)
  }

  /// Reads it. Throws `notAnImage` for what is of no such kind, and for a header that cannot be.
  public init(_ bytes: [UInt8]) throws(Refusal) {
    let file = PictureBytes(bytes)
    guard let kind = Kind(file) else { throw .notTaken(ForeignKind.name(file)) }
    let header: PictureHeader? =
      switch kind {
      case .png: .png(file)
      case .jpeg: .jpeg(file)
      case .gif: .gif(file)
      case .webp: .webp(file)
      case .avif: .avif(file)
      }
    guard let header, header.width > 0, header.height > 0 else {
      throw .broken(kind, "its header cannot be read")
    }
    self = header
  }
}

extension PictureHeader.Kind {
  fileprivate init?(_ file: PictureBytes) {
    if file.has([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A], at: 0) {
      self = .png
    } else if file.has([0xFF, 0xD8, 0xFF], at: 0) {
      self = .jpeg
    } else if file.has("GIF87a", at: 0) || file.has("GIF89a", at: 0) {
      self = .gif
    } else if file.has("RIFF", at: 0), file.has("WEBP", at: 8) {
      self = .webp
    } else if file.has("ftyp", at: 4), file.brands.contains(where: { $0 == "avif" || $0 == "avis" }) {
      self = .avif
    } else {
      return nil
    }
  }
}

extension Refusal {
  /// Bytes of a kind that is known but not taken, or of none.
  static func notTaken(_ name: String?) -> Refusal {
    let what = name.map { "this is \($0)" } ?? "this is no picture"
    return Refusal(.notAnImage, "\(what); PNG, JPEG, GIF, WebP and AVIF are taken")
  }

  /// Bytes that begin as that kind and then are none.
  static func broken(_ kind: PictureHeader.Kind, _ why: String) -> Refusal {
    Refusal(.notAnImage, "the \(kind.name) picture cannot be decoded: \(why)")
  }
}
