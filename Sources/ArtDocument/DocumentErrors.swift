// SPDX-License-Identifier: Apache-2.0

import ArtModel

extension ArtError {
  static func closedDocument(_ name: String) -> ArtError {
    ArtError(.closed, "\(name) is closed; open it again to edit it")
  }

  /// A document that can only be looked at, and why.
  public static func readOnlyDocument(_ name: String, _ reason: String) -> ArtError {
    ArtError(.notPermitted, "\(name) can only be looked at: \(reason)")
  }
}
