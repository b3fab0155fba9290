// SPDX-License-Identifier: Apache-2.0

import Glibc

/// Where helper programs lie.
public struct HelperPrograms: Sendable, Hashable {
  /// Folders to look in; the first that has a program of the wanted name is taken.
  public var folders: [String]
  /// Paths of programs that lie elsewhere, by their names; they are not looked for.
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

  /// The same for a program at that path; no folders where the path is not known.
  init(besideProgramAt own: String?) {
    guard let own, let slash = own.lastIndex(of: "/") else {
      self.init(folders: [])
      return
    }
    let folder = own[..<slash]
    self.init(folders: ["\(folder)", "\(folder)/../libexec/emojiart"])
  }

  /// The program of that name. What is no regular file, or may not be executed, is not there. Throws `missing`.
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
  /// What it is called.
  public let name: String
  /// Where it lies.
  public let path: String

  /// A program of that name at a path.
  public init(name: String, path: String) {
    self.name = name
    self.path = path
  }

  /// The program at a path, named by its last part.
  public init(path: String) {
    self.init(name: String(path.split(separator: "/").last ?? ""), path: path)
  }
}

/// Why a helper program cannot be used.
public enum HelperFailure: Error, Sendable, Hashable {
  /// No folder has a program of that name.
  case missing(String, folders: [String])
  /// It could not be started: no pipe, no process, or the program cannot be executed.
  case notStarted(HelperProgram, SystemError)
  /// A thread that it needs could not be begun.
  case noThread(HelperProgram, SystemError)
  /// It has ended.
  case ended(HelperProgram)
  /// It read nothing of what was sent to it for that long, and was killed.
  case inputBlocked(HelperProgram, Duration)
}
