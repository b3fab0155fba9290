// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtTerminal
import ArtWorkspace

/// What a person says of watching before it begins.
struct WatchSettings {
  var isJSON = false
  var isRecursive = false
  /// Whether the first change ends it.
  var isOnce = false
  /// Why the system is not to be asked for changes; nil when it is.
  var pollBecause: String?
  /// The edits after that revision are told first.
  var since: Int?
  /// The words of COMMAND.
  var command: [String]?
  /// Which pending backgrounds are fetched.
  var fetch = PendingMode.changed
  /// Whether backgrounds may come from any address.
  var allowsPrivate = false
  /// How a person wants to hear of a background that was refused; nil where nothing was said.
  var warning: WarningChoice?

  /// Reads what was typed. Throws `usage`, `badValue`.
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

  /// Reads what was typed about backgrounds. Throws `usage`, `badValue`.
  mutating func take(_ fetching: FetchOptions, _ warnings: WarningOptions) throws(ArtError) {
    fetch = try fetching.mode()
    allowsPrivate = fetching.allowPrivate
    warning = try warnings.choice()
  }
}
