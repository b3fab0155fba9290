// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtStore
import ArtSystem
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
  /// What is on its way; nil where bytes go out as they come.
  private let file: UnnamedFile?
  private let state: Mutex<State>

  /// Begins one; `isUnnamed` where the file system may be asked for a file without a name. Throws `exists`, `noSuchDocument`,
  /// `notPermitted`, `diskFull`, `inputOutput`, `usage` for a terminal.
  init(_ place: FilePlace, isUnnamed: Bool = true) throws(ArtError) {
    self.place = place
    switch place.kind {
    case .stdout:
      file = nil
      state = Mutex(State(descriptor: 1))
    case .stream:
      let stream = open(place.path, O_WRONLY | O_NOCTTY | O_CLOEXEC)
      guard stream >= 0 else { throw .notSaved(as: place.path, errno) }
      file = nil
      state = Mutex(State(descriptor: stream))
      try FilePlace.checkTerminal(stream, place.path)
    case .new, .replacing:
      let new = try Self.begin(place, isUnnamed)
      file = new
      state = Mutex(State(descriptor: new.descriptor))
    }
  }

  deinit { discard() }

  /// Holds back the signals that end programs where they would leave something of it. Else they end this one at once, also while it
  /// waits for who reads a pipe.
  func heldSignals() -> SignalSource {
    guard file?.hiddenName == nil else { return SignalSource() }
    // Swift's runtime would tell of a crash.
    if !SignalSource.isIgnored(SIGQUIT) { signal(SIGQUIT, SIG_DFL) }
    return SignalSource([])
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
    if trouble == EPIPE, !SignalSource.isIgnored(SIGPIPE) { SignalSource.die(of: SIGPIPE) }
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
      if let file { try putInPlace(file) }
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
    file?.abandon()
    if case .some(let descriptor?) = descriptor, place.kind != .stdout { close(descriptor) }
  }

  private func failure(_ number: Int32) -> ArtError {
    place.kind == .stdout ? .notWritten(number) : .notSaved(as: place.path, number)
  }
}

extension NewFile {
  private static func begin(_ place: FilePlace, _ isUnnamed: Bool) throws(ArtError) -> UnnamedFile {
    let folder = FilePath(place.target).folder
    do throws(SystemError) {
      // A copy of a private file is private from its first byte.
      return try UnnamedFile(
        in: folder, mode: place.kind == .new ? 0o666 : 0o600, else: hiddenName(in: folder), isAsked: isUnnamed
      )
    } catch {
      throw .notSaved(as: place.path, error.number)
    }
  }

  private static func hiddenName(in folder: String) -> String {
    "\(folder)/.emojiart-\(String(UInt64.random(in: 0 ... .max), radix: 36)).tmp"
  }

  private func putInPlace(_ file: UnnamedFile) throws(ArtError) {
    if case .replacing(let old) = place.kind { try old.rights.give(to: file.descriptor, name: place.path) }
    let isThere: Bool
    do throws(SystemError) {
      switch place.kind {
      case .replacing(let old):
        isThere = try file.replace(
          place.target, over: Self.hiddenName(in: FilePath(place.target).folder),
          ifStill: { old.isUnchanged(at: place.target) })
      case .new, .stdout, .stream:
        try file.link(as: place.target, mayRace: true)
        isThere = true
      }
    } catch {
      throw failure(error.number)
    }
    guard isThere else {
      throw ArtError(.exists, "what is at \(place.path) was changed meanwhile; look at it, then try again")
    }
  }

  /// The name is there in any case, and a folder that may not be read, or a file system of another kind, cannot be made to wait.
  private func syncFolder() {
    let folder = open(FilePath(place.target).folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard folder >= 0 else { return }
    fsync(folder)
    close(folder)
  }
}

extension ArtError {
  static func notSaved(as path: String, _ number: Int32) -> ArtError {
    let cause = SystemError.text(of: number)
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
