// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import ArtModel
import ArtWorker
import ArtWorkspace

/// `emojiart --version --verbose`: the version, and what this machine has for the sandbox of the worker.
enum VersionDetails {
  /// Whether these arguments ask for it.
  static func areAsked(by arguments: some Collection<String>) -> Bool {
    arguments.count == 2 && Set(arguments) == ["--version", "--verbose"]
  }

  /// Prints it. Throws `unavailable` after the version where the worker does not answer.
  static func write() throws(ArtError) {
    try Output.line(Emojiart.configuration.version)
    try checkThreads()
    let asked = Outcome { await result { () async throws(ArtError) in try await SandboxProbe().ask() } }
    let ability = try asked.wait().get()
    try Output.line(line(ability))
  }

  /// What it can do, and what a part that is missing means.
  static func line(_ ability: SandboxAbility) -> String {
    let files =
      ability.landlock.map { "Landlock \($0)" }
      ?? "no Landlock, so files are only as safe as their permissions"
    let calls = ability.hasSeccomp ? "seccomp" : "no seccomp, so every system call is open to it"
    return "sandbox of emojiart-worker: \(files); \(calls)"
  }
}
