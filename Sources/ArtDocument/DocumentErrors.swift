// SPDX-License-Identifier: Apache-2.0

import ArtModel

extension ArtError {
  static func closedDocument(_ name: String) -> ArtError {
    ArtError(.closed, "\(name) is closed; open it again to edit it")
  }

  static func groupedUndo() -> ArtError {
    ArtError(.badValue, "an undo or a redo cannot be part of a group; ask for it by itself")
  }

  static func requestTooOld(_ tag: RequestTag) -> ArtError {
    ArtError(
      .movedOn,
      "whether the request \(tag) was done cannot be told any more: the history does not go back to when it was made; "
        + "look at the document and ask again under another tag")
  }

  /// A document that can only be looked at, and why.
  public static func readOnlyDocument(_ name: String, _ reason: String) -> ArtError {
    ArtError(.notPermitted, "\(name) can only be looked at: \(reason)")
  }
}
