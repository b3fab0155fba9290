// SPDX-License-Identifier: Apache-2.0

import CSystem
import Glibc

/// A new file on its way: it has no name until it is whole.
///
///     begun ──link──▶ there, where nothing was
///       └───replace──▶ there, in the place of another file
///       └───abandon──▶ nothing is left
///
/// A file system without such files (O_TMPFILE) gives it a hidden name from the start, under which a kill leaves it behind. The
/// descriptor is its owner's to write to, to make durable and to close.
package struct UnnamedFile: Sendable {
  /// What is written to.
  package let descriptor: Int32
  /// The name that it has on its way; nil where it has none.
  package let hiddenName: String?

  /// Begins one in a folder. `hiddenPath` is where it lies where it must have a name; nothing may be there. `isAsked` is false where
  /// the file system is not to be asked for a file without a name. Throws what open(2) says.
  package init(
    in folder: String, mode: mode_t, else hiddenPath: @autoclosure () -> String, isAsked: Bool = true
  ) throws(SystemError) {
    // Without /proc it could get no name later.
    if isAsked, access("/proc/self/fd", X_OK) == 0 {
      // O_TMPFILE, which Swift does not import: __O_TMPFILE | O_DIRECTORY.
      let descriptor = open(folder, 0o20000000 | O_DIRECTORY | O_WRONLY | O_CLOEXEC, mode)
      if descriptor >= 0 {
        (self.descriptor, hiddenName) = (descriptor, nil)
        return
      }
      guard [EOPNOTSUPP, EISDIR, EINVAL].contains(errno) else { throw SystemError("open", folder) }
    }
    let name = hiddenPath()
    descriptor = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode)
    guard descriptor >= 0 else { throw SystemError("open", name) }
    hiddenName = name
  }

  /// Gives it a name that nothing has yet. Throws what linkat(2) says, EEXIST among it. `mayRace` is for a file system that can do so
  /// in no single step: a file that appears at the path between two steps is lost then.
  package func link(as path: String, mayRace: Bool = false) throws(SystemError) {
    guard let hiddenName else {
      guard linkat(AT_FDCWD, "/proc/self/fd/\(descriptor)", AT_FDCWD, path, AT_SYMLINK_FOLLOW) == 0 else {
        throw SystemError("linkat", path)
      }
      return
    }
    // It keeps the hidden name until `abandon`.
    if Glibc.link(hiddenName, path) == 0 { return }
    let error = SystemError("link", path)
    // A file cannot have two names there.
    guard [EPERM, EOPNOTSUPP, ENOSYS].contains(error.number) else { throw error }
    let number = csystem_rename_without_replacing(hiddenName, path)
    if number == 0 { return }
    guard [EINVAL, ENOSYS].contains(number) else { throw SystemError("rename", path, number: number) }
    guard mayRace else { throw error }
    guard FileIdentity(at: path) == nil else { throw SystemError("link", path, number: EEXIST) }
    guard rename(hiddenName, path) == 0 else { throw SystemError("rename", path) }
  }

  /// Puts it in the place of the file at a path; on its way it is at `hiddenPath`, where nothing may be. `isDue` is asked just before;
  /// where it says no, that file stays. Throws what linkat(2) and rename(2) say; then that file stays, too.
  ///
  /// - Returns: Whether it is there.
  package func replace(
    _ path: String, over hiddenPath: @autoclosure () -> String, ifStill isDue: () -> Bool = { true }
  ) throws(SystemError) -> Bool {
    let name = hiddenName ?? hiddenPath()
    if hiddenName == nil { try link(as: name) }
    guard isDue() else {
      unlink(name)
      return false
    }
    guard rename(name, path) == 0 else {
      let error = SystemError("rename", path)
      unlink(name)
      throw error
    }
    return true
  }

  /// Takes the hidden name away, if it has one.
  package func abandon() { if let hiddenName { unlink(hiddenName) } }
}
