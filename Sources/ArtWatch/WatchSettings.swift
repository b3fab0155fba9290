// SPDX-License-Identifier: Apache-2.0

import ArtSystem

/// How a folder is watched.
public struct WatchSettings: Sendable {
  /// Whether the folders below it, too: up to 64 deep and 100,000 of them, as far as a path leads to them.
  public var isRecursive = false
  /// The names of the files that are wanted end so.
  public var ending: String
  /// The only file that is wanted, relative to the folder; nil for all of them.
  public var only: String?
  /// How long nothing must happen to a file before it is looked at.
  public var quiet = Duration.milliseconds(20)
  /// How long a look is put off at most.
  public var timeout = Duration.milliseconds(100)
  /// How often the folder is looked through while the system does not tell; less often where that takes long.
  public var pollEvery = Duration.seconds(2)
  /// Why the system is not to be asked at all; nil when it is.
  public var pollBecause: String?
  /// Where the helper program `emojiart-inotify` lies.
  public var helpers: HelperPrograms

  /// The usual settings for files whose names end so.
  public init(ending: String, helpers: HelperPrograms = .installed) {
    self.ending = ending
    self.helpers = helpers
  }
}
