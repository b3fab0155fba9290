// SPDX-License-Identifier: Apache-2.0

/// How the studio's page is laid out, by its size in CSS pixels. The page has the same rule in `layout.js`.
///
///                          height below 480     height from 480 on
///     width below 600      side                 sheet, tools at the bottom
///     width from 600 on    side                 panel, tools in the bar; from 1,000 on with the documents beside
///
/// The size is that of the page without an on-screen keyboard, so the layout does not change while someone types.
package struct StudioLayout: Hashable, Sendable {
  /// The least width and height that are regular.
  package static let regular = (width: 600, height: 480)
  /// The least width at which the document browser has room beside an open document.
  package static let besideWidth = 1_000

  /// Where the palette of emoji is.
  package enum Palette: String, Sendable {
    /// Beside the canvas.
    case panel
    /// In a sheet from below, with two heights.
    case sheet
    /// In a sheet from the side, where the page is low.
    case side
  }

  /// Where the tools are.
  package enum Tools: String, Sendable {
    case bar
    case bottom
    case side
  }

  /// Where the document browser is while a document is open.
  package enum Browser: String, Sendable {
    case beside
    case instead
  }

  /// Where the document browser is at a moment.
  package enum BrowserPlace: String, Sendable {
    case whole
    case beside
    case none
  }

  /// Whether there is room across and down.
  package let horizontal, vertical: SizeClass
  package let palette: Palette
  package let tools: Tools
  package let browser: Browser

  /// The layout of a page with that size.
  package init(width: Int, height: Int) {
    horizontal = width < Self.regular.width ? .compact : .regular
    vertical = height < Self.regular.height ? .compact : .regular
    switch (horizontal, vertical) {
    case (_, .compact): (palette, tools) = (.side, .side)
    case (.compact, .regular): (palette, tools) = (.sheet, .bottom)
    case (.regular, .regular): (palette, tools) = (.panel, .bar)
    }
    browser = vertical == .regular && width >= Self.besideWidth ? .beside : .instead
  }

  /// Where the document browser is. `isWanted` says that it is wanted beside a document, `isOnTop` that it is asked for in place of one. Like
  /// in a split view the open document is shown where there is no room for both, and stays open across the change.
  package func browserPlace(isOpen: Bool, isWanted: Bool, isOnTop: Bool) -> BrowserPlace {
    guard isOpen else { return .whole }
    return switch browser {
    case .beside: isWanted ? .beside : .none
    case .instead: isOnTop ? .whole : .none
    }
  }
}
