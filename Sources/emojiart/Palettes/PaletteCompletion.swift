// SPDX-License-Identifier: Apache-2.0

import ArtStore

extension Completion {
  /// The palettes that there are.
  @Sendable static func palettes(_ words: [String], _ index: Int, _ prefix: String) -> [String] {
    // Where they cannot be read none are offered.
    guard let palettes = try? PaletteStore().palettes() else { return [] }
    return palettes.all.map(\.name.string)
  }
}
