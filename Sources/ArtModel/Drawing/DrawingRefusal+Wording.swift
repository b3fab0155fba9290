// SPDX-License-Identifier: Apache-2.0

extension DrawingRefusal {
  /// Who brings Noto Color Emoji, of the distributions that people have.
  private static let packages =
    "fonts-noto-color-emoji (Debian, Ubuntu), noto-fonts-emoji (Arch) or google-noto-color-emoji-fonts (Fedora)"

  /// No font was found.
  public static func noFont() -> DrawingRefusal {
    DrawingRefusal(
      .noFont,
      "no font with colour emoji was found; install \(packages), or give NotoColorEmoji.ttf with --font FILE")
  }

  /// The font at that path cannot be opened, and why.
  public static func noFont(at path: String, _ why: String) -> DrawingRefusal {
    DrawingRefusal(
      .noFont,
      "the font \(path) cannot be opened: \(why); give the path of NotoColorEmoji.ttf, or install \(packages)"
    )
  }
}
