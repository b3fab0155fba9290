// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtStore
import ArtSystem
import Glibc
import Synchronization

/// A bounded folder of small pictures that may be deleted at any moment, by anybody, while any number of programs use it.
///
/// Each picture is a PNG file with a digest of its key and its bytes behind the end, where readers of PNG do not look. The file is
/// named by a digest of its key. It is written without a name and then renamed, and a file whose digest does not fit counts as
/// absent: so no file needs to be synchronised with the disk. A read sets the modification time of the file, and the files that were
/// not used for the longest time go first.
///
/// No failure of it is an error: then the picture is absent, or is not kept.
public final class ThumbnailCache: Sendable {
  /// Bytes of all files that are kept by default.
  public static let defaultLimit = 64 << 20

  /// Its folder.
  let folder: String
  private let limit: Int
  /// Bytes written since the last clean-up; nil before the first one.
  private let written = Mutex<Int?>(nil)

  /// In a folder that need not exist, with files of `limit` bytes in all; several programs that write at once may exceed it by an
  /// eighth each.
  init(in folder: String, limit: Int = defaultLimit) {
    self.folder = folder
    self.limit = limit
  }

  /// That of this user: `$XDG_CACHE_HOME/emojiart/thumbnails`, else `~/.cache/emojiart/thumbnails`, with files of `limit` bytes in
  /// all. Nil where no variable names an absolute path.
  public convenience init?(limit: Int = defaultLimit) { self.init(limit: limit) { Environment[$0] } }

  /// The same with these variables.
  convenience init?(limit: Int = defaultLimit, variable: @escaping (String) -> String?) {
    guard let cache = XDGFolders(variable).cache else { return nil }
    self.init(in: "\(cache)/emojiart/thumbnails", limit: limit)
  }

  /// The PNG file that was kept under that key; nil where there is none, or none that can be believed.
  func read(_ key: String) -> [UInt8]? {
    let path = path(of: key)
    do {
      try verifyFolder()
      guard let bytes = try SmallFile.read(path, limit: largest), bytes.starts(with: Self.signature) else {
        return nil
      }
      let picture = Array(bytes.dropLast(Self.digestLength))
      guard bytes.suffix(Self.digestLength).elementsEqual(Self.digest(key, picture).utf8) else { return nil }
      // One whose time stays is removed earlier, which does no harm.
      utimensat(AT_FDCWD, path, nil, AT_SYMLINK_NOFOLLOW)
      return picture
    } catch {
      // What cannot be read is drawn again.
      return nil
    }
  }

  /// Keeps a PNG file under a key, if it can; one that is larger than an eighth of the limit is not kept.
  func keep(_ picture: [UInt8], as key: String) {
    let bytes = picture + Array(Self.digest(key, picture).utf8)
    guard bytes.count <= largest else { return }
    do {
      try StateFolder.makeFolders(folder)
      try verifyFolder()
      try written.withLock { written in
        let sum = (written ?? largest) + bytes.count
        if sum > largest {
          try clean()
          written = bytes.count
        } else {
          written = sum
        }
      }
      try write(bytes, to: path(of: key))
    } catch {
      // The picture was drawn, and will be drawn again.
    }
  }

  /// Bytes of a file at most, and those written between two clean-ups.
  private var largest: Int { limit / 8 }

  private func write(_ bytes: [UInt8], to path: String) throws {
    let hidden =
      "\(folder)/\(Self.hiddenStart)\(String(UInt64.random(in: 0 ... .max), radix: 36))\(Self.hiddenEnd)"
    let file = try UnnamedFile(in: folder, mode: 0o600, else: hidden)
    defer { close(file.descriptor) }
    do {
      try PlainFile.write(bytes, to: file.descriptor, name: path)
      _ = try file.replace(path, over: hidden)
    } catch {
      file.abandon()
      throw error
    }
  }

  /// Throws where others could have put anything there.
  private func verifyFolder() throws(ArtError) {
    try StateFolder.verify(FilePath(folder).folder)
    try StateFolder.verify(folder)
  }

  /// Removes the files that were not used for the longest time until there is room for what is written before the next clean-up.
  /// Files of other names stay: the folder may be a link to one where other things are.
  private func clean() throws(SystemError) {
    var files: [(path: String, size: Int, time: timespec)] = []
    try FolderEntry.each(in: folder) { entry in
      guard let name = entry.name, Self.isOurs(name) else { return }
      let path = "\(folder)/\(name)"
      // One that is gone meanwhile takes no room.
      guard let status = try? FileStatus(ofLinkAt: path), status.isRegularFile else { return }
      files.append((path, status.size, status.raw.st_mtim))
    }
    files.sort { ($0.time.tv_sec, $0.time.tv_nsec, $0.path) < ($1.time.tv_sec, $1.time.tv_nsec, $1.path) }
    var sum = files.reduce(0) { $0 &+ $1.size }
    for file in files where sum > limit - largest {
      guard unlink(file.path) == 0 || errno == ENOENT else { throw SystemError("unlink", file.path) }
      sum -= file.size
    }
  }
}

// MARK: Names and bytes

extension ThumbnailCache {
  /// The first bytes of every PNG file.
  private static let signature: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
  private static let digestLength = 32
  private static let end = ".png"
  private static let (hiddenStart, hiddenEnd) = (".thumbnail-", ".tmp")

  /// Where the picture of that key is.
  func path(of key: String) -> String { "\(folder)/\(Self.digest(key, []))\(Self.end)" }

  private static func digest(_ key: String, _ picture: [UInt8]) -> String {
    (Array(key.utf8) + [0] + picture).withUnsafeBufferPointer { ContentDigest.of($0) }
  }

  /// Whether this type gives a file such a name.
  private static func isOurs(_ name: String) -> Bool {
    if name.hasPrefix(hiddenStart), name.hasSuffix(hiddenEnd) { return true }
    return name.utf8.count == digestLength + end.utf8.count && name.hasSuffix(end)
      && name.utf8.prefix(digestLength).allSatisfy { byte in
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
          || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(byte)
      }
  }
}
