// SPDX-License-Identifier: Apache-2.0

import ArtModel

extension Background {
  /// The picture as a document's background; a URL that is too long is left out. Throws `badValue`.
  public init(_ picture: CheckedPicture, from url: String?) throws(ArtError) {
    let kept = url.flatMap { $0.utf8.count <= Limits.urlBytes ? $0 : nil }
    try self.init(
      digest: picture.digest, mediaType: picture.mediaType, size: picture.size, url: kept)
  }
}

extension CheckedPicture {
  /// The digest of its bytes.
  public var digest: String { bytes.withUnsafeBufferPointer { ContentDigest.of($0) } }
}

extension DocumentFile {
  /// The background and its bytes, verified; nil where there is none, or its bytes are lost. Throws what `read` throws.
  public func background() throws(ArtError) -> (background: Background, bytes: [UInt8])? {
    try read { (transaction) throws(ArtError) in
      guard let background = transaction.background, let bytes = try transaction.picture(background.digest)
      else { return nil }
      return (background, bytes)
    }
  }

  /// The bytes of the picture with that digest, verified; nil where they are not in the file. Throws what `read` throws.
  public func picture(_ digest: String) throws(ArtError) -> [UInt8]? {
    try read { (transaction) throws(ArtError) in try transaction.picture(digest) }
  }

  /// Puts a picture's bytes into the document, durably and without an edit: its revision and its head stay as they are. What is
  /// kept besides is as `DocumentTransaction.keep` has it. Returns the digests of all pictures that the file holds.
  ///
  /// `recent` are the digests of what is or was the background in memory, the last one first, where that is not saved yet. Throws
  /// `replaced` when another document stands there, and what `edit` throws.
  public func keep(
    _ picture: CheckedPicture, in document: DocumentID, recent: [String] = []
  ) throws(ArtError) -> Set<String> {
    try edit { (transaction) throws(ArtError) in
      guard transaction.id == document else { throw .replaced(path) }
      try transaction.keep(picture, recent: recent)
      // What is there already may be in memory only.
      if !transaction.hasChanges { try transaction.touch() }
      return Set(try transaction.storedPictures().map(\.digest))
    }
  }
}
