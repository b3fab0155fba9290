// SPDX-License-Identifier: Apache-2.0

import ArtModel
import Glibc

/// Collects the drawings of one picture that come one by one.
final class PanelRow {
  private var panels: [Drawing] = []

  /// Adds a drawing. Returns all of its picture once none is left. Ends the program for one that is not the next.
  func add(_ drawing: Drawing) -> [Drawing]? {
    if let last = panels.last, drawing.details.panelsLeft != last.details.panelsLeft - 1 {
      end(EX_DATAERR, "a panel out of turn")
    }
    panels.append(drawing)
    guard drawing.details.panelsLeft == 0 else { return nil }
    defer { panels = [] }
    return panels
  }
}
