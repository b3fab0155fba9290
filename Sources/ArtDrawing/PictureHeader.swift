// SPDX-License-Identifier: Apache-2.0

import ArtModel

/// What a picture's first bytes say of it. Nothing is decoded.
public struct PictureHeader: Sendable, Hashable {
  /// Which kind the bytes are.
  public let kind: PictureKind
  /// Pixels across, as they are stored; for AVIF after its clean aperture.
  public let width: Int
  /// Pixels down, likewise.
  public let height: Int
  /// How it is to be turned, as EXIF counts: 1 is as stored, 2 to 4 are mirrored or upside down, 5 to 8 swap the sides.
  public let orientation: Int
  /// Whether there is more than one frame.
  public let isAnimated: Bool

  init(kind: PictureKind, width: Int, height: Int, orientation: Int = 1, isAnimated: Bool = false) {
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
    guard let kind = PictureKind(of: bytes) else { throw .notTaken(ForeignKind.name(file)) }
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

extension Refusal {
  /// Bytes of a kind that is known but not taken, or of none.
  static func notTaken(_ name: String?) -> Refusal {
    let what = name.map { "this is \($0)" } ?? "this is no picture"
    return Refusal(.notAnImage, "\(what); PNG, JPEG, GIF, WebP and AVIF are taken")
  }

  /// Bytes that begin as that kind and then are none.
  static func broken(_ kind: PictureKind, _ why: String) -> Refusal {
    Refusal(.notAnImage, "the \(kind.name) picture cannot be decoded: \(why)")
  }
}
