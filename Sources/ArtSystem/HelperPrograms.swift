// SPDX-License-Identifier: Apache-2.0

import Glibc

/// Where helper programs are found.
public struct HelperPrograms: Sendable, Hashable {
  /// Folders to search, in this order.
  public var folders: [String]
  /// Paths of programs by name; these are not searched for.
  public var paths: [String: String]

  /// Programs in these folders, and at these paths.
  public init(folders: [String], paths: [String: String] = [:]) {
    self.folders = folders
    self.paths = paths
  }

  /// The folder of the running program, and `libexec/emojiart` beside it.
  public static var installed: HelperPrograms {
    HelperPrograms(besideProgramAt: OwnProcess.path)
  }

  /// The same for a program at that path; no folders where the path is nil.
  init(besideProgramAt own: String?) {
    guard let own, let slash = own.lastIndex(of: "/") else {
      self.init(folders: [])
      return
    }
    let folder = own[..<slash]
    self.init(folders: ["\(folder)", "\(folder)/../libexec/emojiart"])
  }

  /// Finds a program by name. Skips what is not a regular file or not executable. Throws `missing`.
  public func program(_ name: String) throws(HelperFailure) -> HelperProgram {
    if let path = paths[name] { return HelperProgram(name: name, path: path) }
    guard
      let path = folders.lazy.map({ "\($0)/\(name)" }).first(where: {
        FileStatus.isRegularFile(at: $0, access: X_OK)
      })
    else {
      throw .missing(name, folders: folders)
    }
    return HelperProgram(name: name, path: path)
  }
}

/// A helper program that was found.
public struct HelperProgram: Sendable, Hashable {
  /// The program's name.
  public let name: String
  /// The program's path.
  public let path: String

  /// Creates a reference to a program.
  public init(name: String, path: String) {
    self.name = name
    self.path = path
  }

  /// The program at a path, named by its last component.
  public init(path: String) {
    self.init(name: String(path.split(separator: "/").last ?? ""), path: path)
  }
}

// MARK: - Failures

/// Why a helper program cannot be used.
public enum HelperFailure: Error, Sendable, Hashable {
  /// No folder has a program of that name.
  case missing(String, folders: [String])
  /// It could not be started: there is no pipe or process left, or the file cannot be executed.
  case notStarted(HelperProgram, SystemError)
  /// A thread that it needs could not be started.
  case noThread(HelperProgram, SystemError)
  /// The program has ended.
  case ended(HelperProgram)
  /// It did not read its input for that long, and was killed.
  case inputBlocked(HelperProgram, Duration)
  /// What it was to be sent could not be made; whoever makes it knows why.
  case noRequest
}
