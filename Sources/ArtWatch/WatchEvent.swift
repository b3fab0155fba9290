// SPDX-License-Identifier: Apache-2.0

import ArtSystem

/// An event of a watched folder. Events are hints to refresh; the content of the files decides.
public enum WatchEvent: Sendable, Equatable {
  /// Something happened to these files.
  case changed([WatchedFile])
  /// A folder was scanned.
  case scanned(FolderScan)
  /// The system does not report changes, or not all of them; the folder is scanned periodically until
  /// `watching`. The text gives the reason and a remedy.
  case degraded(String)
  /// The system reports all changes again. A scan follows.
  case watching
}

/// A file to refresh. It may be deleted, or be no regular file.
public struct WatchedFile: Sendable, Equatable {
  private let filePath: FilePath
  /// The path relative to the watched folder.
  public var path: String { filePath.string }
  /// Whether nothing has happened to the file for a while. Otherwise it may be half-written, and another event
  /// follows.
  public let isQuiet: Bool

  /// Creates a reference to a file.
  public init(_ path: String, isQuiet: Bool) {
    filePath = FilePath(path)
    self.isQuiet = isQuiet
  }
}

/// The result of a scan.
public struct FolderScan: Sendable, Equatable {
  private let folderPath: FilePath
  private let filePaths: [FilePath]
  /// The folder that was scanned, relative to the watched folder; empty for all of it.
  public var folder: String { folderPath.string }
  /// The wanted files in it, relative to the watched folder. Other events follow for those that are being
  /// written.
  public var files: [String] { filePaths.map(\.string) }
  /// Why the scan was needed, where events may have been missed; nil otherwise.
  public let reason: String?

  /// Creates a result.
  public init(_ folder: String, files: [String], reason: String?) {
    folderPath = FilePath(folder)
    filePaths = files.map { FilePath($0) }
    self.reason = reason
  }
}

/// How a folder is watched.
public struct WatchSettings: Sendable {
  /// Whether subfolders are watched, too: down to 64 levels, at most `mostFolders`, and only those whose paths are
  /// short enough for the system.
  public var isRecursive = false
  /// Whether subfolders whose names begin with a point are left out, such as `.git` and the trash of a disk.
  public var skipsHiddenFolders = false
  /// The number of folders that are watched at most, with the watched folder itself.
  public var mostFolders = 100_000
  /// The suffix of the names of wanted files.
  public var ending: String
  /// The only wanted file, relative to the folder; nil for all files.
  public var only: String?
  /// A file is refreshed when nothing has happened to it for this long.
  public var quiet = Duration.milliseconds(20)
  /// The longest delay of a refresh while events continue.
  public var maxDelay = Duration.milliseconds(100)
  /// The time between scans while the watcher is degraded; longer where a scan takes long.
  public var pollEvery = Duration.seconds(2)
  /// A reason to scan periodically instead of using inotify; nil to use it.
  public var pollBecause: String?
  /// The timeout for an answer of the helper process. Tests set it.
  package var helperTimeout = Duration.seconds(5)
  /// Where `emojiart-inotify` is found.
  public var helpers: HelperPrograms

  /// Creates the default settings for files whose names have a suffix.
  public init(ending: String, helpers: HelperPrograms = .installed) {
    self.ending = ending
    self.helpers = helpers
  }
}
