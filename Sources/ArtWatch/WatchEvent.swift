// SPDX-License-Identifier: Apache-2.0

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
