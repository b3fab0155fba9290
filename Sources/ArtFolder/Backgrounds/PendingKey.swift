// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtSystem

/// A pending background: of which document, from where. Copies of a document share it, and are fetched for together.
struct PendingKey: Sendable, Hashable {
  let document: DocumentID
  let url: String
}

/// Where a document with a pending background is.
public struct PendingPlace: Sendable, Hashable {
  /// Which of the followed folders or documents it belongs to, by their order.
  public let source: Int
  /// Its path in the folder.
  public let document: String

  /// A place.
  public init(source: Int, document: String) {
    self.source = source
    self.document = document
  }

  /// By their bytes: two paths that look alike are two files.
  public static func == (left: PendingPlace, right: PendingPlace) -> Bool {
    left.source == right.source && FilePath(left.document) == FilePath(right.document)
  }

  /// By their bytes.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(source)
    hasher.combine(FilePath(document))
  }
}
