// SPDX-License-Identifier: Apache-2.0

import ArtSystem

/// What a watcher says: look again.
public enum WatchEvent: Sendable, Equatable {
  /// Something happened to these files; paths are relative to the folder.
  case look([WatchedFile])
  /// A folder, or all of it, was looked through.
  case scanned(FolderScan)
  /// Changes are not told by the system any more, or not all of them: the folder is looked through every so often
  /// until `watching`. For people: why, and what can be done.
  case degraded(String)
  /// The system tells of all changes again. A scan follows.
  case watching
}

/// A file to look at. It may be gone, or be a link or something else that is no file.
public struct WatchedFile: Sendable, Equatable {
  /// Its path, relative to the folder.
  public let path: String
  /// Whether nothing has happened to it for a while. Otherwise it may be being written, and comes again.
  public let isQuiet: Bool

  /// A file.
  public init(_ path: String, isQuiet: Bool) {
    self.path = path
    self.isQuiet = isQuiet
  }
}

/// What lies in a folder.
public struct FolderScan: Sendable, Equatable {
  /// What was looked through, relative to the watched folder; empty for all of it.
  public let folder: String
  /// The paths of the files in it, relative to the watched folder, as far as they are wanted. Some may be being written:
  /// these come again.
  public let files: [String]
  /// Why the scan was needed, when something may have been missed; nil when it belongs to the ordinary course.
  public let reason: String?

  /// A scan.
  public init(_ folder: String, files: [String], reason: String?) {
    self.folder = folder
    self.files = files
    self.reason = reason
  }
}

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
