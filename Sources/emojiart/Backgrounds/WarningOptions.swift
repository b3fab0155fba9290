// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import ArtModel

/// How commands that fetch backgrounds tell of refused ones.
struct WarningOptions: ParsableArguments {
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "Tell of a refused picture: always, once for a document, or never.", valueName: "when"),
    completion: .list(WarningChoice.allCases.map(\.rawValue)))
  var warn: String?

  @Flag(help: "The same as --warn never.")
  var suppressWarnings = false

  /// Nil where nothing was said. Throws `badValue`, and `usage` for both.
  func choice() throws(ArtError) -> WarningChoice? {
    guard let warn else { return suppressWarnings ? .never : nil }
    guard !suppressWarnings else { throw ArtError(.usage, "--warn or --suppress-warnings: give one of them") }
    guard let choice = WarningChoice(rawValue: warn) else {
      throw ArtError(.badValue, "\(shown(warn)) does not say when to warn; give always, once or never")
    }
    return choice
  }

  /// Whether anything was said.
  var isGiven: Bool { warn != nil || suppressWarnings }
}
