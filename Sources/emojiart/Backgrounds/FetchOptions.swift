// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import ArtModel
import ArtWorkspace

/// Which pending backgrounds a command fetches while it runs.
struct FetchOptions: ParsableArguments {
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "Which pending backgrounds to fetch: none, changed (what becomes pending) or all (default: changed).",
      valueName: "what"),
    completion: .list(PendingMode.allCases.map(\.rawValue)))
  var fetch: String?

  @Flag(help: "Fetch from addresses of this machine and its network, too.")
  var allowPrivate = false

  /// Throws `badValue`.
  func mode() throws(ArtError) -> PendingMode {
    guard let fetch else { return .changed }
    guard let mode = PendingMode(rawValue: fetch) else {
      throw ArtError(.badValue, "\(shown(fetch)) does not say what to fetch; give none, changed or all")
    }
    return mode
  }
}
