// SPDX-License-Identifier: Apache-2.0

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
