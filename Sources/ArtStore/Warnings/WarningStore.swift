// SPDX-License-Identifier: Apache-2.0

import ArtModel

/// What this machine keeps of the warnings about documents: a small file for each, by the document's id and its path without
/// symbolic links, in the state folder.
public struct WarningStore: Sendable {
  private let file: String

  /// Of the document in that file. Throws `inputOutput` where there is no state folder, and what reading the document throws.
  public init(for document: DocumentFile) throws(ArtError) {
    // STUB
    file = document.path
  }

  /// What is kept; nothing was told where nothing is, or what is there cannot be read.
  public func record() -> WarningRecord {
    // STUB
    WarningRecord()
  }

  /// Changes what is kept, one program after the other, and returns what it was before. Throws `inputOutput`, `notPermitted`.
  @discardableResult
  public func update(_ change: (inout WarningRecord) -> Void) throws(ArtError) -> WarningRecord {
    // STUB
    WarningRecord()
  }
}
