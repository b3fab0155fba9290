// SPDX-License-Identifier: Apache-2.0

import CSystem
import Glibc

/// What lies below files: their file system, and what it keeps beside their bytes.
public enum FileSystem {
  /// The kind of the file system that a path is on, `f_type` of statfs(2). Throws what statfs says.
  public static func kind(at path: String) throws(SystemError) -> UInt32 {
    var status = statfs()
    guard statfs(path, &status) == 0 else { throw SystemError("statfs", path) }
    return UInt32(truncatingIfNeeded: status.f_type)
  }

  /// An extended attribute of an open file, at most 64 KiB, which is all that Linux keeps; nil where it has none, or its file system
  /// has no such attributes. Throws what fgetxattr(2) says.
  public static func attribute(_ name: String, of descriptor: Int32) throws(SystemError) -> [UInt8]? {
    var bytes = [UInt8](repeating: 0, count: 65_536)
    let count = fgetxattr(descriptor, name, &bytes, bytes.count)
    guard count < 0 else { return Array(bytes.prefix(count)) }
    let error = SystemError("fgetxattr")
    guard hasNone(error) else { throw error }
    return nil
  }

  /// Sets an extended attribute of an open file; nil removes it, if it has it. Throws what the system says.
  public static func setAttribute(
    _ name: String, of descriptor: Int32, to bytes: [UInt8]?
  ) throws(SystemError) {
    if let bytes {
      guard fsetxattr(descriptor, name, bytes, bytes.count, 0) == 0 else { throw SystemError("fsetxattr") }
    } else if fremovexattr(descriptor, name) != 0 {
      let error = SystemError("fremovexattr")
      guard hasNone(error) else { throw error }
    }
  }

  private static func hasNone(_ error: SystemError) -> Bool {
    [ENODATA, EOPNOTSUPP, ENOSYS].contains(error.number)
  }
}
