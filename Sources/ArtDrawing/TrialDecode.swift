// SPDX-License-Identifier: Apache-2.0

import ArtModel
import CWorker

/// Whether bytes are a picture that a document may take: its header is within the limits, and the first frame was decoded once.
public enum TrialDecode {
  /// The picture's kind, its size after it is turned, and whether there are more frames. Throws `tooBig`, `tooManyPixels` and
  /// `notAnImage`. For a process of its own with limits on memory and time: the loaders are C.
  public static func run(_ bytes: [UInt8], _ limits: PictureLimits) throws(Refusal) -> (
    mediaType: String, size: Canvas, isAnimated: Bool
  ) {
    guard bytes.count <= limits.bytes else {
      throw Refusal(.tooBig, "the picture has \(bytes.count) bytes; \(limits.bytes) are taken")
    }
    let header = try PictureHeader(bytes)
    try limits.check(header.width, header.height)
    try FirstFrame.of(bytes, header, limits).decode(header)
    let turned = header.turned
    let size: Canvas
    do {
      size = try Canvas(width: turned.width, height: turned.height)
    } catch {
      throw .tooManyPixels(turned.width, turned.height, limits)
    }
    return (header.kind.mediaType, size, header.isAnimated)
  }
}

extension FirstFrame {
  /// Decodes it, made smaller by 1, 2, 4 or 8 where its loader can; for a trial there are no `pixels` to be kept, which the caller
  /// frees. Throws `notAnImage` and `tooManyPixels`.
  func decode(
    _ header: PictureHeader, reduction: Int32 = 1, into pixels: UnsafeMutablePointer<cpixbuf_pixels>? = nil
  ) throws(Refusal) {
    guard let width = Int32(exactly: width), let height = Int32(exactly: height) else {
      throw .broken(header.kind, "its size cannot be")
    }
    let result = cpixbuf_decode(header.kind.rawValue, bytes, bytes.count, width, height, reduction, pixels)
    switch result.status {
    case CPIXBUF_DECODED: return
    case CPIXBUF_NO_LOADER: throw .noLoader(header.kind)
    case CPIXBUF_NO_MEMORY: throw .outOfMemory(header)
    case CPIXBUF_INCOMPLETE: throw .broken(header.kind, "some of its pixels are missing")
    case CPIXBUF_OTHER_SIZE:
      // Too little memory for a copy that is turned leaves AVIF's as it was.
      if (result.width, result.height) == (height, width), header.orientation > 4 {
        throw .outOfMemory(header)
      }
      throw .broken(
        header.kind, "it has \(result.width) x \(result.height) pixels and says \(width) x \(height)")
    default: throw .broken(header.kind, result.words)
    }
  }
}

extension PictureLimits {
  /// Throws `tooManyPixels`.
  func check(_ width: Int, _ height: Int) throws(Refusal) {
    let pixels = width.multipliedReportingOverflow(by: height)
    guard width <= side, height <= side, !pixels.overflow, pixels.partialValue <= self.pixels else {
      throw .tooManyPixels(width, height, self)
    }
  }
}

extension cpixbuf_result {
  fileprivate var words: String {
    withUnsafeBytes(of: message) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
  }
}

extension Refusal {
  fileprivate static func tooManyPixels(_ width: Int, _ height: Int, _ limits: PictureLimits) -> Refusal {
    Refusal(
      .tooManyPixels,
      "the picture has \(width) x \(height) pixels; \(limits.pixels) in all and \(limits.side) a side are taken"
    )
  }

  static func outOfMemory(_ header: PictureHeader) -> Refusal {
    Refusal(
      .tooManyPixels,
      "decoding this \(header.kind.name) picture of \(header.width) x \(header.height) pixels takes more memory than it may"
    )
  }

  /// It may be otherwise once the package is there.
  fileprivate static func noLoader(_ kind: PictureKind) -> Refusal {
    let package =
      switch kind {
      case .webp: "webp-pixbuf-loader"
      case .avif: "libavif-gdk-pixbuf"
      case .png, .jpeg, .gif: "libgdk-pixbuf-2.0-0"
      }
    return Refusal(
      .notAnImage, "\(kind.name) pictures cannot be decoded here: install the package \(package)",
      isTransient: true)
  }
}
