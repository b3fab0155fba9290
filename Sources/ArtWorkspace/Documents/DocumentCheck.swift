// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtStore

/// Checks a document, and mends it.
public struct DocumentCheck: Sendable {
  private let file: DocumentFile
  private let recovery: Recovery

  /// What is wrong, a line each; empty for a document that is whole.
  public let faults: [String]

  /// Checks the document in a file, and reports what programs that are gone have left for it. Throws what `DocumentFile.check` throws.
  public init(_ file: DocumentFile, recovery: Recovery) throws(ArtError) {
    (self.file, self.recovery) = (file, recovery)
    faults = try file.check().faults
    try recovery.mention(file)
  }

  /// Whether nothing is wrong.
  public var isWhole: Bool { faults.isEmpty }

  /// Ends what a save that was cut short has left beside a whole document. Throws what `DocumentFile.settle` throws.
  public func settle() throws(ArtError) { try file.settle() }

  /// Mends it; nil where somebody else has mended it meanwhile. The file as it was is kept, as the report says. Throws what
  /// `DocumentFile.mend` throws; then nothing is changed.
  public func mend(_ mending: Mending) throws(ArtError) -> MendingReport? {
    var author = try recovery.newAuthor()
    return try file.mend(mending, stamp: author.stamp(at: millisecondsSince1970()))
  }
}
