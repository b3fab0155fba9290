// SPDX-License-Identifier: Apache-2.0

@testable import ArtModel

// Cases of a shared rule; `RuleVectorTests` documents their form. Sizes of phones, tablets and desks, and those around each bound.

func layoutCases() -> [String] {
  let widths = [1, 320, 390, 568, 599, 600, 601, 640, 768, 844, 999, 1_000, 1_001, 1_280, 2_560]
  let heights = [1, 320, 390, 479, 480, 481, 568, 800, 844, 1_440]
  return widths.flatMap { width in
    heights.map { height in
      let layout = StudioLayout(width: width, height: height)
      return jsonText {
        $0.key("documents")
        $0.string(layout.browser.rawValue)
        $0.key("horizontal")
        $0.string("\(layout.horizontal)")
        $0.key("palette")
        $0.string(layout.palette.rawValue)
        $0.key("places")
        $0.array {
          for state in 0..<8 {
            let place = layout.browserPlace(
              isOpen: state & 4 != 0, isWanted: state & 2 != 0, isOnTop: state & 1 != 0)
            $0.string(place.rawValue)
          }
        }
        $0.member("size", Double(width), Double(height))
        $0.key("tools")
        $0.string(layout.tools.rawValue)
        $0.key("vertical")
        $0.string("\(layout.vertical)")
      }
    }
  }
}
