// SPDX-License-Identifier: Apache-2.0

import ArtExchange
import ArtModel

extension ExchangeReport {
  /// A line for each note: `left out: 2 labels without an emoji: "Hello", "Bob"`.
  var lines: [String] {
    notes.map { ($0.kind == .leftOut ? "left out: " : "changed: ") + $0.words }
  }

  /// The notes as JSON.
  var json: JSON {
    .array(
      notes.map {
        .object([
          "code": .string($0.code), "emojis": .integer($0.emojis), "kind": .string($0.kind.rawValue),
          "words": .string($0.words),
        ])
      })
  }
}

extension Int {
  /// `1 document`, `2 documents`.
  func of(_ one: String, _ many: String) -> String { "\(self) \(self == 1 ? one : many)" }
}
