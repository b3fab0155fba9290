// SPDX-License-Identifier: Apache-2.0

import ArtModel

/// The pieces of a gallery: one HTML page that needs nothing beside it. It has no script, and its policy allows none, nor anything
/// from elsewhere.
enum GalleryPage {
  /// What is told of a document.
  struct Entry {
    /// What it is called.
    var name: String
    /// What is below the name: its size and how many emoji it has, or why it cannot be shown.
    var words: String
    /// The first emoji of it, which stand for the picture where that cannot be seen.
    var emojis: [String] = []
    /// A PNG file and how large it is shown, or nothing for what cannot be shown.
    var picture: (png: [UInt8], width: Int, height: Int)?
  }

  /// How every gallery begins; no other page does.
  static let mark =
    "<!DOCTYPE html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n<meta name=\"generator\" content=\"emojiart "

  /// What comes before the documents.
  static func head(title: String, count: Int) -> String {
    """
    \(mark)\(Version.current)">
    <meta http-equiv="Content-Security-Policy" content="default-src 'none'; img-src data:; style-src 'sha256-\(styleDigest)'; \
    base-uri 'none'; form-action 'none'">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="color-scheme" content="light dark">
    <title>\(escaped(title))</title>
    <style>\(style)</style>
    <main>
    <h1><bdi>\(escaped(title))</bdi> <small>\(count == 1 ? "1 document" : "\(count) documents")</small></h1>
    <ul role="list">

    """
  }

  /// A document.
  static func item(_ entry: Entry) -> [UInt8] {
    var item = Array("<li>".utf8)
    if let picture = entry.picture {
      let alternative = escaped(entry.emojis.joined(separator: " "))
      item +=
        "<div><img alt=\"\(alternative)\" width=\"\(picture.width)\" height=\"\(picture.height)\" "
        .utf8
      item += "decoding=\"async\" src=\"data:image/png;base64,".utf8
      item += Base64Encoder.text(picture.png)
      item += "\"></div>".utf8
    } else {
      item += "<div class=\"fault\"><p>cannot be shown</p></div>".utf8
    }
    item += "<h2><bdi>\(escaped(entry.name))</bdi></h2><p>\(escaped(entry.words))</p></li>\n".utf8
    return item
  }

  /// What comes after the documents.
  static let end = "</ul>\n</main>\n</html>\n"

  /// Text as HTML shows it, in quotes, too; characters that cannot be seen are shown by their numbers.
  static func escaped(_ text: String) -> String {
    text.visible.unicodeScalars.reduce(into: "") { result, scalar in
      switch scalar {
      case "&": result += "&amp;"
      case "<": result += "&lt;"
      case ">": result += "&gt;"
      case "\"": result += "&quot;"
      case "'": result += "&#39;"
      default: result.unicodeScalars.append(scalar)
      }
    }
  }

  /// How a picture is shown at most, in the units of the page; it has twice as many pixels.
  static let (widest, highest) = (240.0, 180.0)

  /// Colours are the browser's own, of a bright page or a dark one. A column is as wide as the pictures; a telephone has two.
  private static let style = """
    *{box-sizing:border-box}
    body{margin:0;padding:clamp(.75rem,2vw,2.5rem);font:1rem/1.4 system-ui,sans-serif;background:Canvas;color:CanvasText}
    main{display:grid;gap:1.5rem;justify-content:center;grid-template-columns:repeat(auto-fill,15rem)}
    h1{grid-column:1/-1;margin:0;font-size:1.5rem;line-height:1.2;overflow-wrap:anywhere}
    small{font-size:1rem;font-weight:normal;opacity:.7;white-space:nowrap}
    ul{display:contents;list-style:none}
    li{min-width:0}
    div{aspect-ratio:4/3;display:grid;grid-template:100%/100%;place-items:center;border-radius:.5rem;overflow:hidden;\
    outline:1px solid color-mix(in srgb,CanvasText 20%,Canvas);background:color-mix(in srgb,CanvasText 8%,Canvas)}
    img{display:block;width:100%;height:100%;object-fit:contain}
    h2{margin:.5rem 0 0;font-size:1rem;line-height:1.3;overflow-wrap:anywhere}
    p{margin:0;font-size:.875rem;opacity:.75;overflow-wrap:anywhere}
    .fault{outline-style:dashed;padding:.5rem;text-align:center}
    @media (max-width:35rem){main{gap:.75rem;grid-template-columns:repeat(auto-fill,minmax(min(100%,8rem),1fr))}}
    """

  /// The SHA-256 of the style in base64: the only style that the page's policy allows.
  private static let styleDigest = "6kZ8T6M0KzgMDJjzJR+XniCrhkqRV9i2GtAbmeQ4LOc="
}
