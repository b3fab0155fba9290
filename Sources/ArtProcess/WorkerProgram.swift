// SPDX-License-Identifier: Apache-2.0

import Glibc

/// Where a worker's program lies.
public struct WorkerProgram: Sendable, Hashable {
  /// Its path.
  public let path: String

  /// The program at a path.
  public init(path: String) { self.path = path }

  /// The program of that name beside this one, or in `libexec/emojiart` beside its folder; nil when it lies in neither.
  public static func find(_ name: String) -> WorkerProgram? {
    guard let own = ownPath() else { return nil }
    return find(name, from: own)
  }

  /// The same for a program at that path. What is no regular file, or may not be executed, is not there.
  static func find(_ name: String, from own: String) -> WorkerProgram? {
    guard let slash = own.lastIndex(of: "/") else { return nil }
    let folder = own[..<slash]
    let places = ["\(folder)/\(name)", "\(folder)/../libexec/emojiart/\(name)"]
    return places.first(where: isProgram).map(WorkerProgram.init)
  }

  /// The running program's path without symbolic links; nil when the system does not tell.
  private static func ownPath() -> String? {
    var bytes = [UInt8](repeating: 0, count: Int(PATH_MAX))
    let count = readlink("/proc/self/exe", &bytes, bytes.count)
    guard count > 0, count < bytes.count else { return nil }
    return String(validating: bytes[..<count], as: UTF8.self)
  }

  private static func isProgram(_ path: String) -> Bool {
    var status = stat()
    return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG && access(path, X_OK) == 0
  }
}
