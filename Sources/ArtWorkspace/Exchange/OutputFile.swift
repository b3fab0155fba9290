// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtStore
import ArtSystem
import Glibc
import Synchronization

/// A file that is being written, which appears at its path whole or not at all.
///
///     begun ──write──▶ begun ──finish──▶ there
///       └──discard, or the last reference is dropped──▶ the path is unchanged
///
/// It is written without a name in its folder until it is whole; while it replaces another file it has a hidden name for a
/// moment. On a file system without unnamed files it has that name from the start, and a killed program leaves it behind. A pipe
/// or device gets the bytes as they come.
public final class OutputFile: Sendable {
  private struct State {
    /// The open file; nil at the end.
    var descriptor: Int32?
    var written = 0
    var trouble: Int32?
  }

  private let location: OutputLocation
  /// The file without a name; nil for a stream.
  private let file: UnnamedFile?
  private let state: Mutex<State>
  private let notice: @Sendable (DocumentNotice) -> Void

  /// Creates the file. `notice` gets what its user should know of the file in place. Throws `exists`, `noSuchDocument`, `notPermitted`, `diskFull`, `inputOutput`, `usage` for a terminal.
  public convenience init(
    _ location: OutputLocation, notice: @escaping @Sendable (DocumentNotice) -> Void = { _ in }
  ) throws(ArtError) {
    try self.init(location, isUnnamed: true, notice: notice)
  }

  /// Creates the file; `isUnnamed` is whether to try a file without a name.
  init(
    _ location: OutputLocation, isUnnamed: Bool,
    notice: @escaping @Sendable (DocumentNotice) -> Void = { _ in }
  ) throws(ArtError) {
    (self.location, self.notice) = (location, notice)
    switch location.kind {
    case .descriptor(let descriptor):
      file = nil
      state = Mutex(State(descriptor: descriptor))
    case .stream:
      let stream = try location.openStream()
      file = nil
      state = Mutex(State(descriptor: stream))
      try OutputLocation.checkTerminal(stream, location.path)
    case .new, .replacing:
      let new = try Self.begin(location, isUnnamed)
      file = new
      state = Mutex(State(descriptor: new.descriptor))
    }
  }

  deinit { discard() }

  /// Whether a killed program leaves a file with a hidden name behind.
  public var leavesFile: Bool { file?.hiddenName != nil }

  /// Whether it is a pipe without a reader.
  public var isReaderGone: Bool { state.withLock { $0.trouble == EPIPE } }

  /// The number of bytes written.
  public var size: Int { state.withLock { $0.written } }

  /// Writes bytes; false on failure, which `finish` throws. Blocks until the reader of a pipe reads.
  public func write(_ bytes: [UInt8]) -> Bool {
    state.withLock { state in
      guard let descriptor = state.descriptor, state.trouble == nil else { return false }
      state.trouble = Self.write(bytes, to: descriptor)
      state.written += bytes.count
      return state.trouble == nil
    }
  }

  /// Throws the error of a failed write.
  public func check() throws(ArtError) {
    if let trouble = state.withLock({ $0.trouble }) { throw failure(trouble) }
  }

  /// Puts the file at its path, durably. Throws the error of a failed write or of this step.
  public func finish() throws(ArtError) {
    defer { discard() }
    try check()
    let descriptor = state.withLock { $0.descriptor }
    guard let descriptor else { throw failure(EBADF) }
    switch location.kind {
    case .descriptor, .stream: break
    case .new, .replacing:
      guard fsync(descriptor) == 0 else { throw failure(errno) }
      if let file { try putInPlace(file) }
      syncFolder()
    }
  }

  /// Discards the file, unless it is at its path already. Does not wait for a write that is blocked on a pipe: the descriptor is
  /// then closed when the program ends.
  public func discard() {
    let descriptor = state.withLockIfAvailable { state in
      defer { state.descriptor = nil }
      return state.descriptor
    }
    if case .some(nil) = descriptor { return }
    file?.abandon()
    if case .descriptor = location.kind { return }
    if case .some(let descriptor?) = descriptor { close(descriptor) }
  }

  private func failure(_ number: Int32) -> ArtError {
    if case .descriptor = location.kind { return .notWritten(to: location.path, number) }
    return .notSaved(as: location.path, number)
  }
}

extension OutputFile {
  /// Writes all bytes; returns the system's error number on failure. Blocks until the reader of a pipe reads.
  private static func write(_ bytes: [UInt8], to descriptor: Int32) -> Int32? {
    var left = bytes[...]
    while !left.isEmpty {
      let count = left.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
      if count < 0, errno == EINTR { continue }
      if count < 0, errno == EAGAIN {
        // The pipe may be non-blocking, set so by another program.
        var room = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        poll(&room, 1, -1)
        continue
      }
      guard count > 0 else { return errno }
      left = left.dropFirst(count)
    }
    return nil
  }

  private static func begin(_ location: OutputLocation, _ isUnnamed: Bool) throws(ArtError) -> UnnamedFile {
    let folder = FilePath(location.target).folder
    do throws(SystemError) {
      // A copy of a private file is private from its first byte.
      return try UnnamedFile(
        in: folder, mode: location.rights == nil ? 0o666 : 0o600, else: hiddenName(in: folder),
        allowsUnnamed: isUnnamed
      )
    } catch {
      throw .notSaved(as: location.path, error.number)
    }
  }

  private static func hiddenName(in folder: String) -> String {
    "\(folder)/.emojiart-\(String(UInt64.random(in: 0 ... .max), radix: 36)).tmp"
  }

  private func putInPlace(_ file: UnnamedFile) throws(ArtError) {
    let rights = try location.rights?.apply(to: file.descriptor, name: location.path)
    let isThere: Bool
    do throws(SystemError) {
      switch location.kind {
      case .replacing(let old):
        isThere = try file.replace(
          location.target, over: Self.hiddenName(in: FilePath(location.target).folder),
          ifStill: { old.isUnchanged(at: location.target) })
      case .new, .descriptor, .stream:
        try file.link(as: location.target)
        isThere = true
      }
    } catch {
      throw failure(error.number)
    }
    guard isThere else {
      throw .changedMeanwhile(location.path)
    }
    if rights == .fewer { notice(.fewerRights(location.path)) }
  }

  /// Failures are ignored: the name exists in any case, and a folder without read permission, and some file systems, cannot be
  /// synced.
  private func syncFolder() {
    let folder = open(FilePath(location.target).folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard folder >= 0 else { return }
    fsync(folder)
    close(folder)
  }
}

// MARK: Location

/// The location of an output file, and what is there now.
public struct OutputLocation: Sendable {
  /// What is at the path.
  enum Kind: Equatable {
    /// An open descriptor.
    case descriptor(Int32)
    /// A pipe or a device.
    case stream
    /// Nothing.
    case new
    /// A file to replace.
    case replacing(OldFile)
  }

  /// Which files may be replaced.
  public enum Replaceable: Sendable {
    /// None.
    case nothing
    /// A PNG, JPEG, WebP, AVIF, SVG or PDF file.
    case pictures
    /// A page that `gallery` wrote.
    case galleries
    /// A JSON document in any format that `export` writes; with our own extension if the app that reads it requires that.
    case exchanges(mayHaveOurEnding: Bool)
  }

  /// The path as given.
  public let path: String
  /// The path of the file: a link of this user or of root is followed to the file that is replaced.
  let target: String
  let kind: Kind

  /// The rights that the file gets: those of the one that is replaced; nil for those of a new file.
  fileprivate var rights: FileRights? {
    if case .replacing(let old) = kind { old.rights } else { nil }
  }

  /// An open descriptor, which stays open; `name` is for messages. Throws `usage` for a terminal.
  public init(descriptor: Int32, name: String) throws(ArtError) {
    (path, target, kind) = (name, name, .descriptor(descriptor))
    try Self.checkTerminal(descriptor, name)
  }

  /// A new file. Throws why the path is invalid.
  public init(new path: String) throws(ArtError) { try self.init(path, replacing: .nothing) }

  /// Checks what is at the path. Only an empty file or one of the given kind is replaced, never a document. Throws `badValue`,
  /// `exists`, `notPermitted`, `noSuchDocument`, `usage` for a terminal.
  public init(_ path: String, replacing replaceable: Replaceable) throws(ArtError) {
    self.path = path
    var status = stat()
    guard stat(path, &status) == 0 else {
      guard errno == ENOENT else { throw .notSaved(as: path, errno) }
      guard lstat(path, &status) != 0 else { throw .notSaved(as: path, EEXIST) }
      try Self.checkName(path, path, replaceable)
      if DocumentName.hasEnding(path), let twin = TypedPath.twins(of: path).first {
        throw .twinExists(twin, of: path)
      }
      (target, kind) = (path, .new)
      return
    }
    if case .nothing = replaceable { throw .notSaved(as: path, EEXIST) }
    switch status.st_mode & S_IFMT {
    case S_IFIFO, S_IFCHR: (target, kind) = (try Self.end(of: path), .stream)
    case S_IFREG:
      target = try Self.end(of: path)
      try Self.checkName(target, path, replaceable)
      guard access(target, W_OK) == 0 else { throw .notSaved(as: path, errno) }
      let old = try OldFile(target, path)
      try Self.check(old, at: target, replaceable, path)
      kind = .replacing(old)
    case S_IFDIR: throw ArtError(.exists, "\(path) is a folder; name a file in it", about: path)
    default: throw ArtError(.exists, "\(path) is no regular file", about: path, remedy: .chooseName)
    }
  }

  /// The file that a path leads to. Throws `notPermitted` for a link of another user, who may have put it there so that a file of this user's is
  /// replaced.
  private static func end(of path: String) throws(ArtError) -> String {
    let end: Ownership.End
    do throws(SystemError) { end = try Ownership.end(of: path) } catch {
      throw .notSaved(as: path, error.number)
    }
    switch end {
    case .path(let end): return end
    case .foreignLink(let owner):
      throw ArtError(
        .notPermitted,
        "\(path) is a symbolic link of another user (\(owner)); name the file that it leads to",
        about: path)
    }
  }

  /// Opens the pipe or device. Blocks until a pipe has a reader. Throws `notPermitted` for a pipe of another user in a folder where others may
  /// write, who may have put it there: the kernel's own rule, see proc(5), fs.protected_fifos.
  fileprivate func openStream() throws(ArtError) -> Int32 {
    var (status, folder) = (stat(), stat())
    // The file that is checked is the one that is opened: by its descriptor.
    let place = Glibc.open(target, oPath | O_CLOEXEC)
    guard place >= 0, fstat(place, &status) == 0 else { throw .notSaved(as: path, errno) }
    defer { close(place) }
    guard [S_IFIFO, S_IFCHR].contains(status.st_mode & S_IFMT) else {
      throw .changedMeanwhile(path)
    }
    if status.st_mode & S_IFMT == S_IFIFO, !Ownership.isTrusted(status.st_uid) {
      guard stat(FilePath(target).folder, &folder) == 0, !Ownership.isOpen(folder) else {
        throw ArtError(
          .notPermitted,
          "\(path) is a pipe of another user (\(status.st_uid)), and others may write to its folder",
          about: path)
      }
    }
    let stream = Glibc.open("/proc/self/fd/\(place)", O_WRONLY | O_NOCTTY | O_CLOEXEC)
    guard stream >= 0 else { throw .notSaved(as: path, errno) }
    return stream
  }

  /// Throws for a terminal, which cannot show a picture.
  fileprivate static func checkTerminal(_ descriptor: Int32, _ name: String) throws(ArtError) {
    guard isatty(descriptor) == 1 else { return }
    throw ArtError(
      .usage, "\(name) is a terminal, which shows no picture; redirect it, or name a file", about: name)
  }

  /// Throws for the name of a document, or of a file that SQLite would use with one.
  private static func checkName(
    _ target: String, _ path: String, _ replaceable: Replaceable
  ) throws(ArtError) {
    let name = FilePath(target).name.utf8
    guard !name.isEmpty else { throw .notSaved(as: path, ENOENT) }
    // Works on bytes: to Swift the character before the point may combine with it.
    let endings = replaceable.mayHaveOurEnding ? [] : [""]
    let own = (endings + ["-journal", "-wal", "-shm"]).map { (".emojiart" + $0).utf8 }
    guard !own.contains(where: { name.suffix($0.count).elementsEqual($0) }) else {
      throw ArtError(
        .badValue, "\(path) is, or leads to, a file with the name of a document; choose another one",
        about: path)
    }
  }

  /// Throws if the file must not be replaced.
  private static func check(
    _ old: OldFile, at target: String, _ replaceable: Replaceable, _ path: String
  ) throws(ArtError) {
    let head = old.head
    guard head.isEmpty || replaceable.matches(head) && replaceable.matchesAll(of: target) else {
      let what = head.starts(with: "SQLite format 3".utf8) ? "a database" : "no \(replaceable.noun)"
      throw ArtError(.exists, "\(path) exists already, and is \(what)", about: path, remedy: .chooseName)
    }
  }
}

extension OutputLocation.Replaceable {
  fileprivate var mayHaveOurEnding: Bool {
    if case .exchanges(let may) = self { may } else { false }
  }

  fileprivate var noun: String {
    switch self {
    case .nothing, .pictures: "PNG, JPEG, WebP, AVIF, SVG or PDF"
    case .galleries: "gallery"
    case .exchanges: "document as JSON"
    }
  }

  /// Checks the whole file, because the JSON of many programs begins as a document does, with an `image` or a `url`.
  fileprivate func matchesAll(of path: String) -> Bool {
    guard case .exchanges = self else { return true }
    do throws(ArtError) {
      _ = try SourceBytes(path, followsLinks: true).foreign()
      return true
    } catch {
      // A file that cannot be parsed is not replaced.
      return false
    }
  }

  /// Whether a file with these first bytes may be replaced.
  fileprivate func matches(_ head: [UInt8]) -> Bool {
    switch self {
    case .nothing: false
    case .pictures:
      head.starts(with: [0x89, 0x50, 0x4E, 0x47]) || head.starts(with: "%PDF-".utf8)
        || head.starts(with: [0xFF, 0xD8, 0xFF]) || Self.isWebP(head) || Self.isSVG(head)
        || PictureKind(of: head) == .avif
    case .galleries: head.starts(with: GalleryPage.mark.utf8)
    case .exchanges: [.own, .course].contains(DocumentText(beginning: head))
    }
  }

  /// Whether a RIFF file contains WebP.
  private static func isWebP(_ head: [UInt8]) -> Bool {
    head.starts(with: "RIFF".utf8) && head.dropFirst(8).starts(with: "WEBP".utf8)
  }

  /// Whether `svg` is the root element, after a prolog. An HTML page that contains a drawing does not match.
  private static func isSVG(_ head: [UInt8]) -> Bool {
    guard head.first == UInt8(ascii: "<") else { return false }
    let blanks = [UInt8](" \t\r\n".utf8)
    var rest = head[...]
    let passed = [("<?", "?>"), ("<!--", "-->"), ("<!DOCTYPE svg", ">")]
    while let (_, end) = passed.first(where: { rest.starts(with: $0.0.utf8) }) {
      guard let range = rest.firstRange(ofPart: end.utf8) else { return false }
      rest = rest[range.upperBound...].drop(while: blanks.contains)
    }
    guard rest.starts(with: "<svg".utf8), let next = rest.dropFirst(4).first else { return false }
    return (blanks + [UInt8](">/".utf8)).contains(next)
  }
}

// MARK: Replaced file

/// A file to be replaced. It is held open, so that its inode number is not reused.
final class OldFile: Sendable {
  private static let headBytes = 1024

  /// Its first bytes.
  let head: [UInt8]
  /// Its permissions; nil if others may have put the file there, who then get no rights by it.
  let rights: FileRights?
  private let state: State
  private let descriptor: Int32

  /// What identifies the file and its content.
  private struct State: Equatable {
    let device: dev_t
    let number: ino_t
    let size: off_t
    let seconds: time_t
    let nanoseconds: Int

    init(_ status: stat) {
      (device, number, size) = (status.st_dev, status.st_ino, status.st_size)
      (seconds, nanoseconds) = (status.st_mtim.tv_sec, status.st_mtim.tv_nsec)
    }
  }

  /// Opens it; `path` is the path as given. Throws what `notSaved` returns.
  init(_ target: String, _ path: String) throws(ArtError) {
    let descriptor = open(target, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_NOFOLLOW | O_CLOEXEC)
    guard descriptor >= 0 else { throw .notSaved(as: path, errno) }
    var status = stat()
    var head = [UInt8](repeating: 0, count: Self.headBytes)
    let count = fstat(descriptor, &status) == 0 ? read(descriptor, &head, head.count) : -1
    guard count >= 0 else {
      let number = errno
      PlainFile.close(descriptor)
      throw .notSaved(as: path, number)
    }
    do throws(ArtError) {
      rights = Self.isPlanted(status, target) ? nil : try FileRights(of: descriptor, status, name: path)
    } catch {
      PlainFile.close(descriptor)
      throw error
    }
    self.head = Array(head.prefix(count))
    state = State(status)
    self.descriptor = descriptor
  }

  deinit { PlainFile.close(descriptor) }

  /// Whether another user may have put the file there who does not work in that folder: people of one group replace each other's files. Root
  /// replaces a file of another user in that user's folder, where it stays that user's.
  private static func isPlanted(_ file: stat, _ target: String) -> Bool {
    guard file.st_uid != geteuid() else { return false }
    var folder = stat()
    guard stat(FilePath(target).folder, &folder) == 0 else { return true }
    guard geteuid() == 0 else { return folder.st_mode & S_IWOTH != 0 }
    return Ownership.isOpen(folder) || ![0, file.st_uid].contains(folder.st_uid)
  }

  /// Whether the same file is still at the path, unchanged.
  func isUnchanged(at target: String) -> Bool {
    var status = stat()
    return lstat(target, &status) == 0 && State(status) == state
  }
}

extension OldFile: Equatable {
  static func == (one: OldFile, other: OldFile) -> Bool { one === other }
}

// MARK: Errors

extension ArtError {
  /// Writing to an open descriptor failed; `name` is for messages.
  package static func notWritten(to name: String, _ number: Int32) -> ArtError {
    let cause = SystemError.text(of: number)
    let knob = number == EFBIG ? "; raise `ulimit -f`" : ""
    return ArtError(.inputOutput, "cannot write the result to \(name): \(cause)\(knob)", about: name)
  }

  fileprivate static func changedMeanwhile(_ path: String) -> ArtError {
    ArtError(.exists, "the file at \(path) was changed meanwhile; look at it, then try again")
  }

  fileprivate static func notSaved(as path: String, _ number: Int32) -> ArtError {
    let cause = SystemError.text(of: number)
    switch number {
    case EEXIST: return ArtError(.exists, "\(path) exists already", about: path, remedy: .chooseName)
    case EACCES, EPERM, EROFS: return ArtError(.notPermitted, "cannot write \(path): \(cause)", about: path)
    case EFBIG: return ArtError(.diskFull, "cannot write \(path): \(cause); raise `ulimit -f`", about: path)
    case ENOSPC, EDQUOT: return ArtError(.diskFull, "cannot write \(path): \(cause)", about: path)
    case ENOENT, ENOTDIR:
      return ArtError(.noSuchDocument, "no folder to write \(path) in; make it first", about: path)
    case ENAMETOOLONG:
      return ArtError(.badValue, "the name \(path.prefix(40))… is too long for the file system", about: path)
    default: return ArtError(.inputOutput, "cannot write \(path): \(cause)", about: path)
    }
  }
}
