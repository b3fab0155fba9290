// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtStore

/// The folder in which a document journals its unsaved edits, so that they outlive the program.
public enum JournalLocation: Sendable {
  /// The state folder of this machine: `$EMOJIART_STATE`, else `$XDG_STATE_HOME/emojiart`, else
  /// `~/.local/state/emojiart`.
  case standard
  /// Another folder. The program itself must restore journals from there.
  case folder(JournalFolder)
  /// No journal: a program that is killed loses its unsaved edits.
  case none

  func folder() throws(ArtError) -> JournalFolder? {
    switch self {
    case .standard: try JournalFolder.standard()
    case .folder(let folder): folder
    case .none: nil
    }
  }
}
