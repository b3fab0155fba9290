// SPDX-License-Identifier: Apache-2.0

extension DrawingRefusal {
  /// There is no font: none was found, or none lies at that path.
  public static func noFont(at path: String? = nil) -> DrawingRefusal {
    let packages =
      "it comes with fonts-noto-color-emoji (Debian, Ubuntu), noto-fonts-emoji (Arch), google-noto-color-emoji-fonts (Fedora)"
    guard let path else {
      return DrawingRefusal(
        .noFont, "the font NotoColorEmoji.ttf is not installed; \(packages); or give it with --font FILE")
    }
    return DrawingRefusal(.noFont, "no font \(path); give the path of NotoColorEmoji.ttf; \(packages)")
  }
}
