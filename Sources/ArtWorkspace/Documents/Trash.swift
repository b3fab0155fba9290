// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtStore
import ArtSystem
import Glibc

/// A document in the trash.
public struct TrashedDocument: Sendable, Equatable {
  private let (originalPath, trashPath, infoPath): (FilePath, FilePath, FilePath)
  /// Its original path, without symbolic links.
  public var original: String { originalPath.string }
  /// Its path in the trash.
  public var path: String { trashPath.string }
  /// The file with its original path and the time of deletion.
  public var info: String { infoPath.string }

  init(original: String, path: String, info: String) {
    (originalPath, trashPath, infoPath) = (FilePath(original), FilePath(path), FilePath(info))
  }

  /// Moves it back to its original path, if that is free. Throws as `Documents.undelete` does.
  func putBack(_ notice: @escaping @Sendable (DocumentNotice) -> Void) throws(ArtError) -> DocumentFile {
    let folder = FilePath(original).folder
    var status = stat()
    guard stat(folder, &status) == 0, status.st_mode & S_IFMT == S_IFDIR else {
      throw ArtError(.noSuchDocument, "the folder \(folder) is gone; make it, and try again", about: folder)
    }
    let file = try DocumentFile(path, notice: notice).move(to: original, comingBack: true)
    // An info file without its document is ignored by all that show the trash.
    unlink(info)
    return file
  }
}

/// The trash of freedesktop.org's specification 1.0 (https://specifications.freedesktop.org/trash-spec), as file managers
/// show it:
///
///     on the home file system   $XDG_DATA_HOME/Trash, ~/.local/share/Trash
///     on another one            $topdir/.Trash/$uid where an administrator made $topdir/.Trash, else $topdir/.Trash-$uid
///
/// In it `info/NAME.trashinfo` is made first and by one program only (O_EXCL), then the document comes to `files/NAME`.
public struct Trash: Sendable {
  /// The home file system's trash; nil if no variable names one.
  private let home: String?
  private let user: uid_t
  private let time: @Sendable () -> Int
  private let topOf: @Sendable (String) -> String?

  /// This user's trash. `time` is the time of a deletion, in seconds since 1970.
  public init(time: @escaping @Sendable () -> Int = { WallClock.milliseconds() / 1_000 }) {
    self.init(home: XDGFolders().data.map { "\($0)/Trash" }, time: time, topOf: Self.mountPoint)
  }

  /// A trash with that home folder; `topOf` finds the top folder of a folder's file system.
  init(
    home: String?, user: uid_t = geteuid(), time: @escaping @Sendable () -> Int,
    topOf: @escaping @Sendable (String) -> String?
  ) {
    (self.home, self.user, self.time, self.topOf) = (home, user, time, topOf)
  }

  /// Moves a document to the trash. Throws `notPermitted` if there is no usable trash, `diskFull`, `inputOutput`, and what
  /// `DocumentFile.move` throws; then the document stays at its path.
  func put(_ file: DocumentFile) throws(ArtError) -> TrashedDocument {
    let original = try Self.absolute(file.path)
    let location = try location(for: original)
    let parts = FilePath(original)
    var number = 1
    while number < Self.names {
      let name = Self.name(for: parts.name, number, in: location.path)
      number += 1
      guard let info = try writeInfo(of: original, name, in: location) else { continue }
      let trashed = TrashedDocument(original: original, path: "\(location.path)/files/\(name)", info: info)
      do throws(ArtError) {
        _ = try file.move(to: trashed.path)
        return trashed
      } catch {
        unlink(info)
        // Another program put a file without an info file there.
        guard error.code == .exists else { throw error }
      }
    }
    throw ArtError(
      .exists, "the trash \(location.path) has too many documents called \(parts.name); empty it")
  }

  /// The document that was deleted last from a path, of those in the trash of its file system, and in a trash at its folder or above; if there
  /// is none, from a path of the same text in other bytes. Makes nothing. Throws `noSuchDocument` if there is none, `ambiguous` for several
  /// such paths, and what reading the trash throws.
  public func newest(from path: String) throws(ArtError) -> TrashedDocument {
    let original = try Self.absolute(path)
    var entries: [Entry] = []
    for location in locations(of: original) {
      for name in try Self.infoNames(in: location.path) {
        if let entry = try Self.entry(name, in: location, of: original) { entries.append(entry) }
      }
    }
    let exact = entries.filter { FilePath($0.document.original) == FilePath(original) }
    let names = Set(entries.map { FilePath($0.document.original) })
    guard !exact.isEmpty || names.count <= 1 else { throw .severalTwins(names.sorted(), of: path) }
    guard let found = (exact.isEmpty ? entries : exact).max(by: { $0.order < $1.order }) else {
      throw ArtError(.noSuchDocument, "the trash has no document from \(original)", about: path)
    }
    return found.document
  }

  /// A document in a trash, with what says which one was deleted later.
  private struct Entry {
    let date: String
    let number: Int
    let document: TrashedDocument
    /// Of several in one second the one with the higher number came later.
    var order: (String, Int) { (date, number) }
  }

  /// The document of that name in a trash; nil if it is not from that path or its twin, or gone.
  private static func entry(
    _ name: String, in location: Location, of original: String
  ) throws(ArtError) -> Entry? {
    let info = "\(location.path)/info/\(name)\(infoEnding)"
    let (pathKey, dateKey) = ("Path=", "DeletionDate=")
    let lines = try lines(of: info)
    let wanted = [original, location.stored(original)].map { FilePath($0) }
    let stored = lines.lazy.filter { $0.utf8.starts(with: pathKey.utf8) }.compactMap {
      String(validating: decoded(Array($0.utf8.dropFirst(pathKey.utf8.count))), as: UTF8.self)
    }.map { FilePath($0) }.first { path in
      // The same text, perhaps in other bytes.
      wanted.contains { FilePath($0.prefix) == FilePath(path.prefix) && $0.name == path.name }
    }
    guard let stored else { return nil }
    let document = TrashedDocument(
      original: FilePath(original).prefix + stored.name, path: "\(location.path)/files/\(name)", info: info)
    var status = stat()
    guard lstat(document.path, &status) == 0 else { return nil }
    return Entry(
      date: lines.first { $0.utf8.starts(with: dateKey.utf8) } ?? "",
      number: number(of: name, for: FilePath(document.original).name, in: location.path), document: document)
  }

  private static let infoEnding = ".trashinfo"
  private static let largestInfo = 1 << 16

  private static func infoNames(in trash: String) throws(ArtError) -> [String] {
    var names: [String] = []
    do throws(SystemError) {
      try FolderEntry.each(in: "\(trash)/info") { entry in
        if let name = entry.name.map({ FilePath($0) }), name.hasEnding(infoEnding) {
          names.append(name.without(ending: infoEnding).string)
        }
      }
    } catch {
      guard error.number != ENOENT else { return [] }
      throw ArtError(error, cannot: "look into", trash)
    }
    return names
  }

  /// The lines of an info file; none for one that is gone, or that another program has written otherwise.
  private static func lines(of info: String) throws(ArtError) -> [String] {
    do throws(SystemError) {
      // "\r\n" is one Character.
      let text = try SmallFile.text(info, limit: largestInfo) ?? ""
      return text.split { $0 == "\n" || $0 == "\r\n" }.map(String.init)
    } catch {
      if error.number == EFBIG { return [] }
      throw ArtError(error, cannot: "read", info)
    }
  }

  /// Makes sure that there is a trash for a document. Throws `notPermitted` if there is no usable one, and what finding its folder throws.
  func prepare(for path: String) throws(ArtError) { _ = try location(for: try Self.absolute(path)) }

  private static let names = 10_000

  /// The number in a name that `name(for:_:in:)` has made for a document; 1 for any other.
  private static func number(of trashed: String, for name: String, in trash: String) -> Int {
    let digits = DocumentName.withoutEnding(trashed).utf8.split(separator: UInt8(ascii: ".")).last
    guard let number = digits.flatMap({ Int(String(decoding: $0, as: UTF8.self)) }), number > 1,
      FilePath(Self.name(for: name, number, in: trash)) == FilePath(trashed)
    else { return 1 }
    return number
  }

  /// The name in a trash: `bees.emojiart`, `bees.2.emojiart`. One that would leave no room for the endings of the info file and of SQLite's
  /// journal loses the end of its stem; the info file has the whole name.
  private static func name(for name: String, _ number: Int, in trash: String) -> String {
    let ending =
      (number == 1 ? "" : ".\(number)") + (DocumentName.hasEnding(name) ? DocumentFile.ending : "")
    let most = FileSystem.longestName(in: "\(trash)/files") - infoEnding.utf8.count - ending.utf8.count
    var stem = DocumentName.withoutEnding(name).unicodeScalars[...]
    while stem.reduce(0, { $0 + $1.utf8.count }) > most, !stem.isEmpty { stem.removeLast() }
    return String(stem) + ending
  }
}

// MARK: Location

extension Trash {
  private struct Location {
    let path: String
    /// The folder that paths in it are relative to; nil if they are absolute.
    let top: String?

    /// A path as an info file has it, before it is encoded.
    func stored(_ original: String) -> String {
      guard let top else { return original }
      let prefix = top == "/" ? "/" : top + "/"
      guard original.utf8.starts(with: prefix.utf8) else { return original }
      return String(decoding: original.utf8.dropFirst(prefix.utf8.count), as: UTF8.self)
    }
  }

  /// The trashes that a document may be in: those in use of its file system, and those at its folder and above up to the top of the file
  /// system. A program to which one folder alone is bound has that folder for the top, and puts documents there.
  private func locations(of original: String) -> [Location] {
    let folder = FilePath(original).folder
    var status = stat()
    var found: [Location] = []
    if let home, stat(home, &status) == 0, isSameFileSystem(home, folder), hasOwnFolders(home) {
      found.append(Location(path: home, top: nil))
    }
    for top in tops(of: folder) {
      let prefix = top == "/" ? "" : top
      let shared = "\(prefix)/.Trash"
      if Self.isUsable(shared), isOwn("\(shared)/\(user)"), hasOwnFolders("\(shared)/\(user)") {
        found.append(Location(path: "\(shared)/\(user)", top: top))
      }
      if isOwn("\(prefix)/.Trash-\(user)"), hasOwnFolders("\(prefix)/.Trash-\(user)") {
        found.append(Location(path: "\(prefix)/.Trash-\(user)", top: top))
      }
    }
    return found
  }

  /// A folder, and those above it on its file system.
  private func tops(of folder: String) -> [String] {
    guard let device = Self.device(folder) else { return [] }
    var tops = [folder]
    while let last = tops.last, last != "/" {
      let above = FilePath(last).folder
      guard FilePath(above) != FilePath(last), Self.device(above) == device else { break }
      tops.append(above)
    }
    if let top = topOf(folder), !tops.contains(where: { FilePath($0) == FilePath(top) }) { tops.append(top) }
    return tops
  }

  /// The trash of a document's file system; it is made if it is missing.
  private func location(for original: String) throws(ArtError) -> Location {
    let folder = FilePath(original).folder
    if let home, isSameFileSystem(home, folder) {
      try makeFolders(home, for: original)
      return Location(path: home, top: nil)
    }
    guard let top = topOf(folder) else { throw .noTrash(original, "the top of its file system is not found") }
    let prefix = top == "/" ? "" : top
    let shared = "\(prefix)/.Trash"
    if Self.isUsable(shared) {
      let own = "\(shared)/\(user)"
      if mkdir(own, 0o700) == 0 || isOwn(own) {
        try makeFolders(own, for: original)
        return Location(path: own, top: top)
      }
    }
    let own = "\(prefix)/.Trash-\(user)"
    guard mkdir(own, 0o700) == 0 || isOwn(own) else {
      throw .noTrash(original, "\(own) cannot be made, or is not this user's")
    }
    try makeFolders(own, for: original)
    return Location(path: own, top: top)
  }

  /// Whether a trash that users share protects them from each other: it is sticky and no symbolic link, and no other user has made it, who
  /// could exchange what is in it.
  private static func isUsable(_ shared: String) -> Bool {
    var status = stat()
    return lstat(shared, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR && status.st_mode & S_ISVTX != 0
      && Ownership.isTrusted(status.st_uid)
  }

  /// Whether a trash and its folders are this user's alone: who owns one of them reads and replaces what is in it. A link of the user may lead to the
  /// trash.
  private func hasOwnFolders(_ trash: String) -> Bool {
    guard case .path(let real)? = Self.end(of: trash) else { return false }
    return ([real] + Self.folders(of: real)).allSatisfy(isOwn)
  }

  private static func end(of path: String) -> Ownership.End? {
    do throws(SystemError) { return try Ownership.end(of: path) } catch { return nil }
  }

  private static func folders(of trash: String) -> [String] { ["\(trash)/files", "\(trash)/info"] }

  private func isOwn(_ folder: String) -> Bool {
    var status = stat()
    // On many network file systems all is root's.
    return lstat(folder, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
      && (status.st_uid == user || Ownership.isTrusted(status.st_uid))
  }

  /// Whether two folders are on one file system; for a missing folder its nearest parent counts.
  private func isSameFileSystem(_ one: String, _ other: String) -> Bool {
    guard let first = Self.device(one), let second = Self.device(other) else { return false }
    return first == second
  }

  private static func device(_ path: String) -> dev_t? {
    var path = path
    var status = stat()
    while stat(path, &status) != 0 {
      guard errno == ENOENT, path != "/", path != "." else { return nil }
      path = FilePath(path).folder
    }
    return status.st_dev
  }

  /// The top folder of a folder's file system; nil if it cannot be found.
  private static func mountPoint(of folder: String) -> String? {
    guard let device = device(folder), var top = try? absolute(folder) else { return nil }
    while top != "/" {
      let above = FilePath(top).folder
      guard Self.device(above) == device else { return top }
      top = above
    }
    return top
  }

  /// Makes the folders of a trash, for this user alone.
  private func makeFolders(_ trash: String, for original: String) throws(ArtError) {
    var missing: [String] = []
    var folder = trash
    var status = stat()
    while stat(folder, &status) != 0, errno == ENOENT, folder != "/" {
      missing.append(folder)
      folder = FilePath(folder).folder
    }
    for folder in missing.reversed() + Self.folders(of: trash)
    where mkdir(folder, 0o700) != 0 && errno != EEXIST {
      throw .noTrash(original, "\(folder) cannot be made: \(SystemError.text(of: errno))")
    }
    guard hasOwnFolders(trash) else {
      throw .noTrash(original, "\(trash), or a folder in it, belongs to another user")
    }
  }

  /// The absolute path, with the folder's symbolic links resolved.
  private static func absolute(_ path: String) throws(ArtError) -> String {
    let parts = FilePath(path)
    guard let folder = FilePath.resolvedIfThere(parts.folder) else {
      throw ArtError(.noSuchDocument, "the folder of \(path) is not there", about: path)
    }
    return FilePath.path(of: parts.name, in: folder)
  }
}

// MARK: Files

extension Trash {
  /// Writes the info file of a document, durably; nil if there is one of that name.
  private func writeInfo(of original: String, _ name: String, in location: Location) throws(ArtError)
    -> String?
  {
    let info = "\(location.path)/info/\(name).trashinfo"
    let file = open(info, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard file >= 0 else {
      if errno == EEXIST { return nil }
      throw .noTrash(original, SystemError.text(of: errno))
    }
    defer { close(file) }
    let bytes = Array(text(of: original, in: location).utf8)
    let isWritten = bytes.withUnsafeBytes { write(file, $0.baseAddress, $0.count) } == bytes.count
    guard isWritten, fsync(file) == 0 else {
      let number = errno
      unlink(info)
      throw .noTrash(original, SystemError.text(of: number))
    }
    return info
  }

  private func text(of original: String, in location: Location) -> String {
    "[Trash Info]\nPath=\(Self.encoded(location.stored(original)))\nDeletionDate=\(Self.date(time()))\n"
  }

  /// Percent-encodes a path as in a URL (RFC 2396), except slashes.
  static func encoded(_ path: String) -> String {
    var result = ""
    for byte in path.utf8 {
      let scalar = Unicode.Scalar(byte)
      if byte < 0x80, "-_.!~*'()/".unicodeScalars.contains(scalar) || scalar.isLetterOrDigit {
        result.unicodeScalars.append(scalar)
      } else {
        let digits = String(byte, radix: 16, uppercase: true)
        result += digits.count == 1 ? "%0\(digits)" : "%\(digits)"
      }
    }
    return result
  }

  /// The bytes of a percent-encoded path. What is no encoding stands for itself.
  private static func decoded(_ bytes: [UInt8]) -> [UInt8] {
    var (result, index): ([UInt8], Int) = ([], 0)
    while index < bytes.count {
      let digits = bytes[index...].dropFirst().prefix(2)
      if bytes[index] == UInt8(ascii: "%"), digits.count == 2,
        let byte = UInt8(String(decoding: digits, as: UTF8.self), radix: 16),
        digits.first != UInt8(ascii: "+")
      {
        result.append(byte)
        index += 3
      } else {
        result.append(bytes[index])
        index += 1
      }
    }
    return result
  }

  /// The local time, as in `2026-11-21T09:30:05`.
  private static func date(_ seconds: Int) -> String {
    var time = time_t(seconds)
    var parts = tm()
    guard localtime_r(&time, &parts) != nil else { return "1970-01-01T00:00:00" }
    var buffer = [CChar](repeating: 0, count: 64)
    let count = strftime(&buffer, buffer.count, "%Y-%m-%dT%H:%M:%S", &parts)
    return String(decoding: buffer.prefix(count).map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }
}

extension Unicode.Scalar {
  fileprivate var isLetterOrDigit: Bool {
    switch self {
    case "a"..."z", "A"..."Z", "0"..."9": true
    default: false
    }
  }
}

extension ArtError {
  fileprivate static func noTrash(_ path: String, _ why: String) -> ArtError {
    ArtError(.notPermitted, "\(path) cannot be put into the trash: \(why)", about: path)
  }
}
