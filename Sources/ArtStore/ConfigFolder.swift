// SPDX-License-Identifier: Apache-2.0

import ArtModel

/// Where a person's own settings are: `$EMOJIART_CONFIG`, else `$XDG_CONFIG_HOME/emojiart`, else `~/.config/emojiart`.
enum ConfigFolder {
  /// Its path. Throws `inputOutput` where no variable names one.
  static func path() throws(ArtError) -> String {
    if let own = StateFolder.variable("EMOJIART_CONFIG") { return own }
    if let config = StateFolder.variable("XDG_CONFIG_HOME") { return config + "/emojiart" }
    if let home = StateFolder.variable("HOME") { return home + "/.config/emojiart" }
    throw ArtError(.inputOutput, "no folder for your palettes; set EMOJIART_CONFIG to one")
  }
}
