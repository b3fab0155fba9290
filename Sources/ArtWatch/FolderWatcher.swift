// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtProcess

/// What a watcher says: look again.
public enum WatchNews: Sendable, Equatable {
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

/// A file to look at.
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
  /// The paths of the files in it, relative to the watched folder, as far as they are wanted.
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
  /// Whether the folders below it, too.
  public var isRecursive = false
  /// The names of the files that are wanted end so.
  public var ending: String
  /// The only file that is wanted; nil for all of them.
  public var only: String?
  /// How long nothing must happen to a file before it is looked at.
  public var quiet = Duration.milliseconds(20)
  /// How long a look is put off at most.
  public var patience = Duration.milliseconds(100)
  /// How often the folder is looked through while the system does not tell.
  public var pollEvery = Duration.seconds(2)
  /// Why the system is not to be asked at all; nil when it is.
  public var pollBecause: String?
  /// The helper program; nil when it was not found.
  public var program: WorkerProgram?

  /// The usual settings for files whose names end so, with the helper program that lies beside this one.
  public init(ending: String) {
    self.ending = ending
    program = WorkerProgram.find("emojiart-inotify")
  }
}

/// Watches a folder. It only says "look again": truth is what the files say.
public actor FolderWatcher {
  /// Begins to watch a folder, by its path without symbolic links. The first news is a scan of all of it, after
  /// `degraded` where that holds.
  public init(_ folder: String, _ settings: WatchSettings, clock: some Clock<Duration> = ContinuousClock()) {}

  /// Waits for the next news; nil after `close`. One caller at a time; what happens between two calls waits, and is
  /// merged.
  public func next() async -> WatchNews? { nil }

  /// Has a file come again as one to look at, after that long.
  public func lookAgain(at path: String, after delay: Duration) {}

  /// Ends watching; nothing of it is left.
  public func close() {}
}
