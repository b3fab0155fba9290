// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtSystem
import Glibc

/// Finds the fonts with emoji in colours.
public enum EmojiFont {
  /// The files to draw with, the first choice first: the font that the user gave, by its name or its path; else that in `EMOJIART_FONT`; and
  /// then Noto Color Emoji in the user's font folders or the system's, as outlines and as bitmaps, for what the first lacks. Empty where there is
  /// none. A name that is not installed stays a name, which drawing reports.
  public static func find(_ choice: String?) -> [String] {
    find(
      choice, environment: { Environment[$0] }, isFile: { FileStatus.isRegularFile(at: $0, access: R_OK) })
  }

  /// Fonts to measure with: boxes are the same in each, so any design does where Noto is missing.
  static func findAny() -> [String] {
    let fonts = find(nil)
    return fonts.isEmpty ? sharpDesigns().first.map { find($0.rawValue) } ?? [] : fonts
  }

  /// The same for tests. A path that the user gave is not checked here: drawing reports what is wrong with it.
  static func find(
    _ choice: String?, environment: @escaping (String) -> String?, isFile: (String) -> Bool
  ) -> [String] {
    var found: [String] = []
    if let choice = choice ?? environment("EMOJIART_FONT") {
      found = EmojiFontName(typed: choice).map { installed($0, environment, isFile) } ?? []
      if found.isEmpty { found = [choice] }
    }
    for path in installed(.noto, environment, isFile) where !found.contains(path) { found.append(path) }
    return found
  }

  /// The files of a design that are there, the best first. The best file in any folder wins over others in the first folder.
  private static func installed(
    _ name: EmojiFontName, _ environment: @escaping (String) -> String?, _ isFile: (String) -> Bool
  ) -> [String] {
    let folders = folders(environment)
    return name.files.compactMap { file in folders.lazy.map { "\($0)/\(file)" }.first(where: isFile) }
  }

  /// The files of a design that are on this machine, the best first.
  package static func installed(_ name: EmojiFontName) -> [String] {
    installed(name, { Environment[$0] }, { FileStatus.isRegularFile(at: $0, access: R_OK) })
  }

  /// What changes with the bytes of a font's file: an upgrade makes another file. Nil where it cannot be looked at.
  package static func tag(of path: String) -> String? {
    do throws(SystemError) {
      let status = try FileStatus(at: path)
      let (file, time) = (status.identity, status.raw.st_mtim)
      return [
        UInt64(file.device), UInt64(file.inode), UInt64(clamping: status.size), UInt64(clamping: time.tv_sec),
        UInt64(clamping: time.tv_nsec),
      ]
      .map { String($0, radix: 16) }.joined(separator: "-")
    } catch {
      // It cannot be drawn with either, and drawing says why.
      return nil
    }
  }

  /// The designs that are on this machine as outlines, which are sharp at any size.
  public static func sharpDesigns() -> [EmojiFontName] {
    EmojiFontName.allCases.filter { name in
      installed(name).first.map { EmojiFontName.hasOutlines(path: $0) } ?? false
    }
  }

  /// Folders to search, the user's before the system's.
  private static func folders(_ environment: @escaping (String) -> String?) -> [String] {
    roots(environment).flatMap { root in subfolders.map { "\(root)\($0)" } } + browsers
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
    "/truetype", "/openmoji", "/truetype/openmoji", "/twemoji", "/truetype/twemoji", "",
  ]

  /// Folders of browsers that bring Twemoji, and of TeX Live's package in Fedora.
  private static let browsers = [
    "/usr/lib/firefox-esr/fonts", "/usr/lib/firefox/fonts", "/usr/lib64/firefox/fonts",
    "/usr/share/texlive/texmf-dist/fonts/truetype/public/twemoji-colr",
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
