// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtStore

/// Where a document keeps the edits that no save holds yet, so that they outlive the program.
public enum JournalPlace: Sendable {
  /// In this machine's state folder: `$EMOJIART_STATE`, else `$XDG_STATE_HOME/emojiart`, else
  /// `~/.local/state/emojiart`.
  case standard
  /// In a folder of the program's choice, which must then restore from there itself.
  case folder(JournalFolder)
  /// Nowhere: a program that is killed loses what it has not saved.
  case none

  func folder() throws(ArtError) -> JournalFolder? {
    switch self {
    case .standard: try JournalFolder.standard()
    case .folder(let folder): folder
    case .none: nil
    }
  }
}
