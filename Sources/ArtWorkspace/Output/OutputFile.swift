// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtStore
import Glibc
import Synchronization

/// A result on its way to a file, which appears at its path whole or not at all.
///
///     begun ──take──▶ begun ──finish──▶ there
///       └──discard, or nobody holds it any more──▶ nothing is left, what was there before stays
///
/// It is written without a name in the folder where it is to be, until it is whole; while it takes the place of another one it has a
/// hidden name for a moment. Where the file system has no files without a name it has that one from the start, and a kill leaves it
/// behind. What is no file, a pipe for one, takes the bytes as they come.
final class NewFile: Sendable {
  private struct State {
    /// What is written to; nil when it is over.
    var descriptor: Int32?
    var written = 0
    var trouble: Int32?
  }

  private let place: FilePlace
  /// The name that it has on its way; nil where it has none.
  private let temporary: String?
  private let state: Mutex<State>

  /// Begins one; `isUnnamed` where the file system may be asked for a file without a name. Throws `exists`, `noSuchDocument`,
  /// `notPermitted`, `diskFull`, `inputOutput`, `usage` for a terminal.
  init(_ place: FilePlace, isUnnamed: Bool = true) throws(ArtError) {
    self.place = place
    switch place.kind {
    case .stdout:
      temporary = nil
      state = Mutex(State(descriptor: 1))
    case .stream:
      let file = open(place.path, O_WRONLY | O_NOCTTY | O_CLOEXEC)
      guard file >= 0 else { throw .notSaved(as: place.path, errno) }
      temporary = nil
      state = Mutex(State(descriptor: file))
      try FilePlace.checkTerminal(file, place.path)
    case .new, .replacing:
      let file = try Self.begin(place, isUnnamed)
      temporary = file.name
      state = Mutex(State(descriptor: file.descriptor))
    }
  }

  deinit { discard() }

  /// Holds back the signals that end programs where they would leave something of it. Else they end this one at once, also while it
  /// waits for who reads a pipe.
  func heldSignals() -> HeldSignals {
    guard temporary == nil else { return HeldSignals() }
    // Swift's runtime would tell of a crash.
    if !StreamSignals.isIgnored(SIGQUIT) { signal(SIGQUIT, SIG_DFL) }
    return HeldSignals([])
  }

  /// How many bytes it has.
  var size: Int { state.withLock { $0.written } }

  /// Writes; false when that fails, which `finish` tells. Waits for who reads a pipe.
  func take(_ bytes: [UInt8]) -> Bool {
    state.withLock { state in
      guard let descriptor = state.descriptor, state.trouble == nil else { return false }
      state.trouble = Output.write(bytes[...], to: descriptor)
      state.written += bytes.count
      return state.trouble == nil
    }
  }

  /// Throws why something could not be written. Ends as other commands do whose reader has gone: by that signal.
  func check() throws(ArtError) {
    guard let trouble = state.withLock({ $0.trouble }) else { return }
    if trouble == EPIPE, !StreamSignals.isIgnored(SIGPIPE) { StreamSignals.die(of: SIGPIPE) }
    throw failure(trouble)
  }

  /// Puts the file at its path, durably. Throws why it could not be written, or not be put there.
  func finish() throws(ArtError) {
    defer { discard() }
    try check()
    let descriptor = state.withLock { $0.descriptor }
    guard let descriptor else { throw failure(EBADF) }
    switch place.kind {
    case .stdout, .stream: break
    case .new, .replacing:
      guard fsync(descriptor) == 0 else { throw failure(errno) }
      try putInPlace(descriptor)
      syncFolder()
    }
  }

  /// Gives it up. Nothing happens to one that is at its path already. Where something is just being written, to a pipe that nobody
  /// reads perhaps, it is not waited for: then the end of the program closes the file.
  func discard() {
    let descriptor = state.withLockIfAvailable { state in
      defer { state.descriptor = nil }
      return state.descriptor
    }
    if case .some(nil) = descriptor { return }
    if let temporary { unlink(temporary) }
    if case .some(let descriptor?) = descriptor, place.kind != .stdout { close(descriptor) }
  }

  private func failure(_ number: Int32) -> ArtError {
    place.kind == .stdout ? .notWritten(number) : .notSaved(as: place.path, number)
  }
}

extension NewFile {
  private static func begin(
    _ place: FilePlace, _ isUnnamed: Bool
  ) throws(ArtError) -> (descriptor: Int32, name: String?) {
    let folder = PathParts(place.target).folder
    // A copy of a private file is private from its first byte.
    let mode: mode_t = place.kind == .new ? 0o666 : 0o600
    if isUnnamed, access("/proc/self/fd", X_OK) == 0 {
      // O_TMPFILE, which Swift does not import: __O_TMPFILE | O_DIRECTORY.
      let unnamed = open(folder, 0o20000000 | O_DIRECTORY | O_WRONLY | O_CLOEXEC, mode)
      if unnamed >= 0 { return (unnamed, nil) }
      guard [EOPNOTSUPP, EISDIR, EINVAL].contains(errno) else { throw .notSaved(as: place.path, errno) }
    }
    let name = hiddenName(in: folder)
    let file = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode)
    guard file >= 0 else { throw .notSaved(as: place.path, errno) }
    return (file, name)
  }

  private static func hiddenName(in folder: String) -> String {
    "\(folder)/.emojiart-\(String(UInt64.random(in: 0 ... .max), radix: 36)).tmp"
  }

  private func putInPlace(_ descriptor: Int32) throws(ArtError) {
    guard case .replacing(let old) = place.kind else {
      guard give(descriptor, place.target) else { throw failure(errno) }
      return
    }
    try old.rights.give(to: descriptor, name: place.path)
    let name = temporary ?? Self.hiddenName(in: PathParts(place.target).folder)
    if temporary == nil, !give(descriptor, name) { throw failure(errno) }
    guard old.isUnchanged(at: place.target) else {
      unlink(name)
      throw ArtError(.exists, "what is at \(place.path) was changed meanwhile; look at it, then try again")
    }
    guard rename(name, place.target) == 0 else {
      let number = errno
      unlink(name)
      throw failure(number)
    }
  }

  /// Gives the file a name that nothing has yet.
  private func give(_ descriptor: Int32, _ name: String) -> Bool {
    guard let temporary else {
      return linkat(AT_FDCWD, "/proc/self/fd/\(descriptor)", AT_FDCWD, name, AT_SYMLINK_FOLLOW) == 0
    }
    if link(temporary, name) == 0 { return true }
    guard [EPERM, EOPNOTSUPP, ENOSYS].contains(errno) else { return false }
    // A file cannot have two names there: what comes between these two calls is lost.
    var status = stat()
    if lstat(name, &status) == 0 {
      errno = EEXIST
      return false
    }
    return rename(temporary, name) == 0
  }

  /// The name is there in any case, and a folder that may not be read, or a file system of another kind, cannot be made to wait.
  private func syncFolder() {
    let folder = open(PathParts(place.target).folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard folder >= 0 else { return }
    fsync(folder)
    close(folder)
  }
}

extension ArtError {
  static func notSaved(as path: String, _ number: Int32) -> ArtError {
    let cause = String(cString: strerror(number))
    switch number {
    case EEXIST: return ArtError(.exists, "\(path) exists already; choose another name")
    case EACCES, EPERM, EROFS: return ArtError(.notPermitted, "cannot write \(path): \(cause)")
    case EFBIG: return ArtError(.diskFull, "cannot write \(path): \(cause); raise `ulimit -f`")
    case ENOSPC, EDQUOT: return ArtError(.diskFull, "cannot write \(path): \(cause)")
    case ENOENT, ENOTDIR: return ArtError(.noSuchDocument, "no folder to write \(path) in; make it first")
    case ENAMETOOLONG:
      return ArtError(.badValue, "the name \(path.prefix(40))… is too long for the file system")
    default: return ArtError(.inputOutput, "cannot write \(path): \(cause)")
    }
  }
}
