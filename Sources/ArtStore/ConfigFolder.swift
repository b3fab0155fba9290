// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtSystem

/// Where a person's own settings are: `$EMOJIART_CONFIG`, else `$XDG_CONFIG_HOME/emojiart`, else `~/.config/emojiart`.
enum ConfigFolder {
  /// Its path, as these variables say. Throws `inputOutput` where none names one, `badValue` where `EMOJIART_CONFIG` is
  /// relative. Relative paths in the others are ignored, as in `StateFolder`.
  static func path(_ variable: @escaping (String) -> String? = { Environment[$0] }) throws(ArtError) -> String
  {
    if let own = variable("EMOJIART_CONFIG") { return try StateFolder.absolute(own, in: "EMOJIART_CONFIG") }
    guard let config = XDGFolders(variable).config else { throw .noConfigFolder }
    return "\(config)/emojiart"
  }
}

extension ArtError {
  static var noConfigFolder: ArtError {
    ArtError(.inputOutput, "no folder for your palettes; set EMOJIART_CONFIG to one")
  }
}
