// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Files of the project with what is expected of the program, written again where `EMOJIART_RECORD` names them.
///
/// The names are separated by commas: a folder of `Fixtures/cli`, or `missing` for those that expect nothing yet; a page, such as
/// `GUIDE.md`; `exchange`, `references` and `vectors` for `Fixtures/exchange`, `Fixtures/render` and `Fixtures/rules`.
package enum GoldenFiles {
  /// The names; nil where nothing is recorded.
  package static let recorded = ProcessInfo.processInfo.environment["EMOJIART_RECORD"].flatMap { names in
    names.isEmpty ? nil : Set(names.split(separator: ",").map(String.init))
  }

  /// The names of golden files that are not of `Fixtures/cli`, as `scripts/dev record` has them.
  package static let others: Set = [
    "README.md", "GUIDE.md", "exchange", "references", "decisions", "vectors", "trees", "screens", "pictures",
  ]

  private struct Recorded: Error, CustomStringConvertible {
    let description: String
  }

  /// Writes golden files if one of their names is recorded, and then throws, so that no recording is taken for a test.
  package static func record(_ names: String..., write: () throws -> Void) throws {
    guard let recorded, !recorded.isDisjoint(with: names) else { return }
    try write()
    throw Recorded(description: "recorded \(names[0]): read the difference, and run the test again")
  }
}
