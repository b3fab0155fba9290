// SPDX-License-Identifier: Apache-2.0

import ArtModel

/// Where a person's own settings are: `$EMOJIART_CONFIG`, else `$XDG_CONFIG_HOME/emojiart`, else `~/.config/emojiart`.
enum ConfigFolder {
  /// Its path, as these variables say. Throws `inputOutput` where none names one, `badValue` where `EMOJIART_CONFIG` is
  /// relative. Relative paths in the others are ignored, as in `StateFolder`.
  static func path(_ variable: (String) -> String? = StateFolder.variable) throws(ArtError) -> String {
    if let own = variable("EMOJIART_CONFIG") { return try StateFolder.absolute(own, in: "EMOJIART_CONFIG") }
    if let config = variable("XDG_CONFIG_HOME"), config.hasPrefix("/") { return config + "/emojiart" }
    if let home = variable("HOME"), home.hasPrefix("/") { return home + "/.config/emojiart" }
    throw .noConfigFolder
  }
}

extension ArtError {
  static var noConfigFolder: ArtError {
    ArtError(.inputOutput, "no folder for your palettes; set EMOJIART_CONFIG to one")
  }
}
