// SPDX-License-Identifier: Apache-2.0

import ArtSystem
import Glibc

/// Where the font with colour glyphs lies.
public enum EmojiFont {
  /// The name of Noto Color Emoji's file with its glyphs as pictures, everywhere.
  private static let name = "NotoColorEmoji.ttf"

  /// The one at that path, which a person gave; else what `EMOJIART_FONT` names; else Noto Color Emoji where people install it for
  /// themselves and where Debian and others keep it. Nil when there is none.
  public static func find(_ path: String?) -> String? {
    find(
      path, environment: { Environment[$0] }, isFile: { FileStatus.isRegularFile(at: $0, access: R_OK) })
  }

  /// The same with that environment and those files. What a person named is believed, there or not: whoever draws says what is
  /// wrong with it.
  static func find(
    _ path: String?, environment: @escaping (String) -> String?, isFile: (String) -> Bool
  ) -> String? {
    if let path = path ?? environment("EMOJIART_FONT") { return path }
    return folders(environment).lazy.map { "\($0)/\(name)" }.first(where: isFile)
  }

  /// Where it may lie, a person's own folders before the system's.
  private static func folders(_ environment: @escaping (String) -> String?) -> [String] {
    let xdg = XDGFolders(environment)
    let all = xdg.sharedData
    var roots = [xdg.data.map { "\($0)/fonts" }, xdg.home.map { "\($0)/.fonts" }].compactMap(\.self)
    for folder in all + ["/usr/local/share", "/usr/share", "/run/current-system/sw/share/X11"]
    where !roots.contains("\(folder)/fonts") {
      roots.append("\(folder)/fonts")
    }
    return roots.flatMap { root in subfolders.map { "\(root)\($0)" } }
  }

  /// Below a folder of fonts: Debian and Ubuntu, Arch and Alpine, Fedora old and new, Gentoo, openSUSE, one's own.
  private static let subfolders = [
    "/truetype/noto", "/noto", "/google-noto-emoji", "/google-noto-color-emoji-fonts", "/noto-emoji",
    "/truetype", "",
  ]
}
