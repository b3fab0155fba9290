// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import ArtModel
import ArtSystem
import ArtWorkspace
import Glibc

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

/// How a command warns of refused backgrounds.
struct WarningOptions: ParsableArguments {
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "Warn of a refused picture: always, once for a document, or never.", valueName: "when"),
    completion: .list(WarningChoice.allCases.map(\.rawValue)))
  var warn: String?

  @Flag(help: "The same as --warn never.")
  var suppressWarnings = false

  /// The choice; nil if neither option was given. Throws `badValue`, and `usage` for both.
  func choice() throws(ArtError) -> WarningChoice? {
    guard let warn else { return suppressWarnings ? .never : nil }
    guard !suppressWarnings else { throw ArtError(.usage, "--warn or --suppress-warnings: give one of them") }
    guard let choice = WarningChoice(rawValue: warn) else {
      throw ArtError(.badValue, "\(shown(warn)) does not say when to warn; give always, once or never")
    }
    return choice
  }

  /// Whether one of the options was given.
  var isGiven: Bool { warn != nil || suppressWarnings }
}

extension ProxySettings {
  /// The proxies of the environment. A lowercase variable takes precedence over an uppercase one, as in curl. Unlike
  /// curl, `HTTP_PROXY` is used: a web server may set it from a request for its CGI programs, and emojiart is none.
  static var ofEnvironment: ProxySettings {
    ProxySettings(http: variable("HTTP_PROXY"), https: variable("HTTPS_PROXY"), none: variable("NO_PROXY"))
  }

  /// The value of a variable; an empty lowercase variable overrides the uppercase one.
  private static func variable(_ name: String) -> String? {
    guard let text = Environment.raw(name.lowercased()) ?? Environment.raw(name), !text.isEmpty else {
      return nil
    }
    return text
  }
}
