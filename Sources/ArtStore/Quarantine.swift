// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtSystem
import Glibc

/// A folder of the state folder in which bytes are kept out of the way.
///
///     aside/MARK-NAME    what a document has too, or nobody needs: merged conflict copies, journals that were resolved
///     kept/MARK-NAME     states of documents that exist nowhere else: nothing but their user removes them
///
/// MARK stands for the bytes, NAME is the name of the file that they were in.
public struct Quarantine: Sendable {
  /// What can be spared. The oldest files are removed when there are more than 1 GiB.
  static let aside = Quarantine("aside", limit: 1 << 30)
  /// What exists nowhere else.
  public static let kept = Quarantine("kept", limit: nil)

  private let name: String
  private let limit: Int?

  private init(_ name: String, limit: Int?) { (self.name, self.limit) = (name, limit) }

  /// Stores bytes durably, and returns the path of their file. Equal bytes are stored once. Throws what the state folder and writing throw.
  func store(_ bytes: [UInt8], as name: String) throws(ArtError) -> String {
    try Self.store(bytes, as: name, in: try StateFolder.path() + "/\(self.name)", limit: limit)
  }

  /// The same in another folder, with a limit on the bytes of all files in it.
  static func store(
    _ bytes: [UInt8], as name: String, in folder: String, limit: Int?
  ) throws(ArtError) -> String {
    try StateFolder.makeFolders(folder)
    let path = path(of: bytes, as: name, in: folder)
    // A kill or a power cut may come at any step, also of the call that has made the folder or the file.
    try PlainFile.syncFolder(of: folder)
    if try holds(bytes, path) {
      try PlainFile.syncFolder(of: path)
      return path
    }
    if let limit { try evictOldest(for: bytes.count, in: folder, limit: limit) }
    // The rename keeps a kill from leaving a truncated file under the final name.
    var random = SystemRandomNumberGenerator()
    let new = "\(folder)/\(DocumentID(using: &random)).new"
    do throws(ArtError) {
      try PlainFile.create(new, bytes)
      guard rename(new, path) == 0 else { throw .system("create", path) }
    } catch {
      unlink(new)
      throw error
    }
    try PlainFile.syncFolder(of: path)
    return path
  }

  /// Whether bytes are stored under a name. Throws what reading throws.
  func holds(_ bytes: [UInt8], as name: String) throws(ArtError) -> Bool {
    guard try StateFolder.isNamed else { return false }
    return try Self.holds(
      bytes, Self.path(of: bytes, as: name, in: try StateFolder.path() + "/\(self.name)"))
  }

  private static func holds(_ bytes: [UInt8], _ path: String) throws(ArtError) -> Bool {
    var status = stat()
    guard lstat(path, &status) == 0, Int(status.st_size) == bytes.count else { return false }
    return try PlainFile.read(path, limit: bytes.count) == bytes
  }

  private static func path(of bytes: [UInt8], as name: String, in folder: String) -> String {
    // With the digest before it, a long name would exceed what file systems allow.
    var end = name.unicodeScalars[...]
    while end.reduce(0, { $0 + $1.utf8.count }) > 150 { end.removeFirst() }
    return "\(folder)/\(mark(of: bytes))-\(String(end))"
  }

  private static func mark(of bytes: [UInt8]) -> String {
    bytes.withUnsafeBufferPointer { ContentDigest.mark(of: $0) }
  }

  /// Removes the oldest quarantined files until that many bytes fit. Files that this program has not stored stay.
  private static func evictOldest(for newBytes: Int, in folder: String, limit: Int) throws(ArtError) {
    let files = try files(in: folder).sorted { ($0.modified, $0.path) < ($1.modified, $1.path) }
    var total = files.reduce(newBytes) { $0 &+ $1.size }
    for file in files where total > limit {
      // The name alone could be a coincidence.
      guard let bytes = try PlainFile.read(file.path, limit: max(file.size, Format.largestFile)),
        file.mark == mark(of: bytes)
      else { continue }
      guard unlink(file.path) == 0 || errno == ENOENT else { throw .system("remove", file.path) }
      total -= file.size
    }
  }

  // MARK: What lies there

  /// A file in a quarantine.
  public struct File: Sendable, Equatable {
    fileprivate let filePath: FilePath
    /// Its path.
    public var path: String { filePath.string }
    /// The name of the file that the bytes were in.
    public let name: String
    /// The number of bytes.
    public let size: Int
    /// When it was stored, in milliseconds since 1970.
    public let modified: Int
    fileprivate let mark: String

    /// Why it cannot be read as a document; nil if it can, and be merged. Reads the file whole.
    public var readError: ArtError? {
      do throws(ArtError) {
        _ = try DocumentFile(path).read()
        return nil
      } catch {
        return error
      }
    }
  }

  /// The files that were stored, the oldest first; none without a state folder. Throws `inputOutput`, `notPermitted`.
  public func files() throws(ArtError) -> [File] {
    guard try StateFolder.isNamed else { return [] }
    let folder = try StateFolder.path() + "/\(name)"
    guard FileIdentity(at: folder) != nil else { return [] }
    return try Self.files(in: folder).sorted { ($0.modified, $0.path) < ($1.modified, $1.path) }
  }

  /// The same, of a document: the states of it that can be merged into it. Reads each file whole.
  public func files(of document: DocumentID) throws(ArtError) -> [File] {
    try files().filter { file in
      // What cannot be read is no state of it.
      do throws(ArtError) { return try DocumentFile(file.path).read().id == document } catch {
        return false
      }
    }
  }

  private static func files(in folder: String) throws(ArtError) -> [File] {
    var files: [File] = []
    do throws(SystemError) {
      try FolderEntry.each(in: folder) { entry in
        let parts = entry.displayName.split(separator: "-", maxSplits: 1)
        let path = "\(folder)/\(entry.displayName)"
        var status = stat()
        guard parts.count == 2, DocumentID(String(parts[0])) != nil, lstat(path, &status) == 0,
          status.st_mode & S_IFMT == S_IFREG
        else { return }
        files.append(
          File(
            filePath: FilePath(path), name: String(parts[1]), size: Int(status.st_size),
            modified: status.st_mtim.tv_sec &* 1_000 &+ status.st_mtim.tv_nsec / 1_000_000,
            mark: String(parts[0])))
      }
    } catch {
      throw ArtError(error, cannot: "look into", folder)
    }
    return files
  }
}
