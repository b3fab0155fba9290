// SPDX-License-Identifier: Apache-2.0

import ArtModel

extension Background {
  /// The picture as a document's background; a URL that is too long is left out. Throws `badValue`.
  public init(_ picture: CheckedPicture, from url: String?) throws(ArtError) {
    let digest = picture.bytes.withUnsafeBufferPointer { ContentDigest.of($0) }
    let kept = url.flatMap { $0.utf8.count <= Limits.urlBytes ? $0 : nil }
    try self.init(digest: digest, mediaType: picture.mediaType, size: picture.size, url: kept)
  }
}

extension DocumentTransaction {
  /// Keeps the picture's bytes, and of older ones the last three backgrounds', 64 MiB in all. Does nothing where they are kept
  /// already. Throws `tooLarge` when the file would be.
  public func keep(_ picture: CheckedPicture) throws(ArtError) {
    // STUB
  }

  /// The bytes of that digest; nil where they are not kept.
  public func picture(_ digest: String) throws(ArtError) -> [UInt8]? {
    // STUB
    nil
  }
}

extension DocumentFile {
  /// The background and its bytes, verified; nil where there is none, or its bytes are lost. Throws what `read` throws.
  public func background() throws(ArtError) -> (background: Background, bytes: [UInt8])? {
    // STUB
    nil
  }
}
