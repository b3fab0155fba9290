// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtStore
import ArtSystem
import ArtWorker

/// The emoji that a user has chosen for all drawings: the setting `font`, which each look reads again.
public struct FontChoice: Sendable {
  /// A design that can be chosen.
  public struct Design: Hashable, Sendable {
    /// Its name.
    public let name: EmojiFontName
    /// Whether a font of it is on this machine.
    public let isInstalled: Bool
    /// Whether it is there as outlines, which are sharp at any size.
    public let isSharp: Bool
  }

  private let variable: @Sendable (String) -> String?

  /// The choice of the user who runs this program.
  public init() { self.init { Environment[$0] } }

  /// The same for other variables.
  package init(_ variable: @escaping @Sendable (String) -> String?) { self.variable = variable }

  /// The name of a design, or the path of a file; nil where nothing is chosen. Throws what the settings throw.
  public func read() throws(ArtError) -> String? { try CurrentSettings(variable)[.font]?.text }

  /// The same for drawing. Settings that cannot be read count as none: a page without its emoji would help nobody, and `read` says what is wrong.
  public var current: String? {
    do throws(ArtError) { return try read() } catch { return nil }
  }

  /// Whether the environment of this program decides, so that a choice would change nothing.
  public var isFixed: Bool { variable(Setting.font.variable)?.contains { !$0.isWhitespace } ?? false }

  /// All designs.
  public var designs: [Design] {
    let sharp = EmojiFont.sharpDesigns()
    return EmojiFontName.allCases.map { name in
      Design(name: name, isInstalled: !EmojiFont.installed(name).isEmpty, isSharp: sharp.contains(name))
    }
  }

  /// Chooses a design. Throws `unavailable` for one that is not on this machine, `notPermitted` where the environment decides, and what the
  /// settings throw.
  public func choose(_ name: EmojiFontName) throws(ArtError) {
    guard !isFixed else {
      throw ArtError(
        .notPermitted, "\(Setting.font.variable) decides as long as it is set; start the program without it")
    }
    guard designs.contains(where: { $0.name == name && $0.isInstalled }) else {
      throw ArtError(.unavailable, "no font of \(name.rawValue) is installed; \(name.remedy)")
    }
    try SettingsStore(variable).set(.font, to: name.rawValue)
  }
}
