// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtTerminal
import ArtWorkspace

/// The options of `watch`.
struct WatchSettings {
  var isJSON = false
  var isRecursive = false
  /// Whether the program ends after the first change.
  var isOnce = false
  /// The reason for polling instead of using inotify; nil for inotify.
  var pollBecause: String?
  /// Whether copies are merged.
  var merges = false
  /// Edits after this revision are reported first.
  var since: Int?
  /// COMMAND and its arguments.
  var command: [String]?
  /// Which pending backgrounds are fetched.
  var fetch = PendingMode.changed
  /// Whether backgrounds may come from private addresses.
  var allowsPrivate = false
  /// How to warn about refused backgrounds; nil when the option was not given.
  var warning: WarningChoice?

  /// Parses the arguments. Throws `usage`, `badValue`.
  init(json: Bool, recursive: Bool, once: Bool, poll: Bool, since: String?, exec: String?, shell: Bool)
    throws(ArtError)
  {
    (isJSON, isRecursive, isOnce) = (json, recursive, once)
    pollBecause = poll ? "--poll asks for it" : nil
    if let since {
      guard let revision = Int(since), revision >= 0 else {
        throw ArtError(.badValue, "\(shown(since)) is no revision; `emojiart history` shows them")
      }
      self.since = revision
    }
    guard let exec else {
      guard !shell else { throw ArtError(.usage, "--shell goes with --exec") }
      return
    }
    if shell {
      guard !exec.isEmpty else { throw ArtError(.usage, "--exec without a command; give one in quotes") }
      command = ["sh", "-c", exec]
    } else {
      command = try ShellWords.split(exec)
    }
  }

  /// Parses the options for backgrounds. Throws `usage`, `badValue`.
  mutating func apply(_ fetching: FetchOptions, _ warnings: WarningOptions) throws(ArtError) {
    fetch = try fetching.mode()
    allowsPrivate = fetching.allowPrivate
    warning = try warnings.choice()
  }
}
