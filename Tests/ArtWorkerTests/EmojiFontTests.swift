// SPDX-License-Identifier: Apache-2.0

import ArtModel
import Testing

@testable import ArtWorker

@Suite("Finding the emoji font") struct EmojiFontTests {
  private static func find(
    _ path: String? = nil, _ environment: [String: String] = [:], files: Set<String> = []
  )
    -> String?
  {
    all(path, environment, files: files).first
  }

  private static func all(_ choice: String?, _ environment: [String: String] = [:], files: Set<String>)
    -> [String]
  {
    EmojiFont.find(choice, environment: { environment[$0] }, isFile: files.contains)
  }

  private static let debian = "/usr/share/fonts/truetype/noto/NotoColorEmoji.ttf"

  @Test("a font that the user names is used, else the one of EMOJIART_FONT, whether the file exists or not")
  func named() {
    let environment = ["EMOJIART_FONT": "named.ttf", "HOME": "/home/bee"]
    #expect(Self.find("given.ttf", environment, files: [Self.debian]) == "given.ttf")
    #expect(Self.find(nil, environment, files: [Self.debian]) == "named.ttf")
  }

  @Test("the font is searched in the user's folders first, then where distributions install it")
  func installed() {
    let environment = ["HOME": "/home/bee", "XDG_DATA_DIRS": "/opt/share:relative::/usr/share"]
    let places = [
      "/home/bee/.local/share/fonts/NotoColorEmoji.ttf", "/home/bee/.fonts/NotoColorEmoji.ttf",
      "/opt/share/fonts/noto/NotoColorEmoji.ttf", Self.debian, "/usr/share/fonts/noto/NotoColorEmoji.ttf",
      "/usr/share/fonts/google-noto-emoji/NotoColorEmoji.ttf",
      "/usr/share/fonts/google-noto-color-emoji-fonts/NotoColorEmoji.ttf",
      "/usr/share/fonts/noto-emoji/NotoColorEmoji.ttf", "/usr/share/fonts/truetype/NotoColorEmoji.ttf",
      "/usr/local/share/fonts/NotoColorEmoji.ttf",
      "/run/current-system/sw/share/X11/fonts/NotoColorEmoji.ttf",
    ]
    for (place, path) in places.enumerated() {
      #expect(Self.find(nil, environment, files: Set(places[place...])) == path)
    }
    #expect(
      Self.find(nil, environment, files: ["/opt/NotoColorEmoji.ttf", "relative/fonts/NotoColorEmoji.ttf"])
        == nil)
    #expect(Self.find(nil, [:], files: [Self.debian]) == Self.debian)
  }

  @Test("XDG_DATA_HOME replaces the user's data folder if it is an absolute path")
  func own() {
    let (other, home) = ("/data/fonts/NotoColorEmoji.ttf", "/home/bee/.local/share/fonts/NotoColorEmoji.ttf")
    let environment = ["HOME": "/home/bee", "XDG_DATA_HOME": "/data"]
    #expect(Self.find(nil, environment, files: [other, home]) == other)
    #expect(Self.find(nil, environment, files: [home]) == nil)
    #expect(Self.find(nil, ["HOME": "/home/bee", "XDG_DATA_HOME": "data"], files: [home, other]) == home)
    #expect(Self.find(nil, ["HOME": "bee"], files: ["bee/.fonts/NotoColorEmoji.ttf"]) == nil)
  }

  @Test(
    "outlines are preferred to bitmaps wherever they are, and both come after the user's font, for what it lacks"
  )
  func list() {
    let outlines = "/usr/share/fonts/google-noto-color-emoji-fonts/Noto-COLRv1.ttf"
    let home = "/home/bee/.fonts/NotoColorEmoji.ttf"
    let environment = ["HOME": "/home/bee"]
    let files: Set = [outlines, home, Self.debian]
    #expect(Self.all(nil, environment, files: files) == [outlines, home])
    #expect(Self.all("own.ttf", environment, files: files) == ["own.ttf", outlines, home])
    #expect(Self.all(home, environment, files: files) == [home, outlines])
    #expect(Self.all(nil, ["EMOJIART_FONT": "own.ttf"], files: files) == ["own.ttf", outlines, Self.debian])
  }

  @Test("a design of emoji is found by its name; what is not installed stays a name")
  func names() {
    let environment = ["HOME": "/home/bee"]
    let twemoji = "/usr/lib/firefox-esr/fonts/TwemojiMozilla.ttf"
    let openmoji = "/home/bee/.local/share/fonts/glyf_colr1.ttf"
    let files: Set = [Self.debian, twemoji, openmoji, "twemoji"]
    #expect(Self.all("twemoji", environment, files: files) == [twemoji, Self.debian])
    #expect(Self.all("openmoji", environment, files: files) == [openmoji, Self.debian])
    #expect(Self.all("noto", environment, files: files) == [Self.debian])
    #expect(Self.all("twemoji", environment, files: [Self.debian]) == ["twemoji", Self.debian])
    #expect(Self.all("./twemoji", environment, files: files) == ["./twemoji", Self.debian])
    #expect(
      Self.all(nil, ["HOME": "/home/bee", "EMOJIART_FONT": "openmoji"], files: files) == [
        openmoji, Self.debian,
      ])
  }

  @Test("V10 the error of a missing font names the packages that have it")
  func missing() {
    for refusal in [DrawingRefusal.noFont(), .noFont(at: "/a.ttf", "because")] {
      #expect(refusal.reason == .noFont && refusal.detail.contains("fonts-noto-color-emoji (Debian"))
    }
    #expect(
      DrawingRefusal.noFont(at: "/a.ttf", "because").detail.contains("/a.ttf cannot be opened: because;"))
  }
}
