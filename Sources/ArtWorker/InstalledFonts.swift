// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtSystem
import Glibc

/// Finds the font with colour glyphs.
public enum EmojiFont {
  /// The file name of Noto Color Emoji with bitmaps, in all distributions.
  private static let name = "NotoColorEmoji.ttf"

  /// The path that the user gave; else that in `EMOJIART_FONT`; else Noto Color Emoji in the user's font
  /// folders or the system's. Nil when there is none.
  public static func find(_ path: String?) -> String? {
    find(
      path, environment: { Environment[$0] }, isFile: { FileStatus.isRegularFile(at: $0, access: R_OK) })
  }

  /// The same for tests. A path that the user gave is not checked here: drawing reports what is wrong with it.
  static func find(
    _ path: String?, environment: @escaping (String) -> String?, isFile: (String) -> Bool
  ) -> String? {
    if let path = path ?? environment("EMOJIART_FONT") { return path }
    return folders(environment).lazy.map { "\($0)/\(name)" }.first(where: isFile)
  }

  /// Folders to search, the user's before the system's.
  private static func folders(_ environment: @escaping (String) -> String?) -> [String] {
    roots(environment).flatMap { root in subfolders.map { "\(root)\($0)" } }
  }

  /// Folders in whose subfolders fonts are.
  fileprivate static func roots(_ environment: @escaping (String) -> String?) -> [String] {
    let xdg = XDGFolders(environment)
    let all = xdg.sharedData
    var roots = [xdg.data.map { "\($0)/fonts" }, xdg.home.map { "\($0)/.fonts" }].compactMap(\.self)
    for folder in all + ["/usr/local/share", "/usr/share", "/run/current-system/sw/share/X11"]
    where !roots.contains("\(folder)/fonts") {
      roots.append("\(folder)/fonts")
    }
    return roots
  }

  /// Subfolders of font folders: Debian and Ubuntu, Arch and Alpine, Fedora old and new, Gentoo, openSUSE, the
  /// user's own.
  fileprivate static let subfolders = [
    "/truetype/noto", "/noto", "/google-noto-emoji", "/google-noto-color-emoji-fonts", "/noto-emoji",
    "/truetype", "",
  ]
}

/// Finds the folders of the fonts for letters.
package enum LetterFontFolders {
  /// More subfolders than those of the colour font: for Chinese, Japanese and Korean in Debian, Ubuntu and Arch; Fedora's for both.
  private static let subfolders = [
    "/opentype/noto", "/noto-cjk", "/google-noto", "/google-noto-sans-fonts", "/google-noto-sans-cjk-fonts",
  ]

  /// All of the user's font folders and the system's, in this order, that may have them.
  package static func find() -> [String] {
    find(environment: { Environment[$0] }, isFolder: FileStatus.isFolder)
  }

  /// The same for tests.
  static func find(environment: @escaping (String) -> String?, isFolder: (String) -> Bool) -> [String] {
    let roots = EmojiFont.roots(environment)
    return roots.flatMap { root in (EmojiFont.subfolders + subfolders).map { root + $0 } }.filter(isFolder)
  }

  /// What changes when one of these fonts is installed, upgraded or removed, for caches.
  package static var identity: String {
    find().compactMap { folder in
      do throws(SystemError) {
        let time = try FileStatus(at: folder).raw.st_mtim
        return "\(folder) \(time.tv_sec) \(time.tv_nsec)"
      } catch {
        // It has gone since it was found, or cannot be used for drawing either.
        return nil
      }
    }
    .joined(separator: ":")
  }
}

extension DrawingScene {
  /// Whether a label has letters, for which fonts of their own are needed.
  package var hasLetters: Bool { labels.contains { $0.text.hasLetters } }
}
