// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtSystem

/// The addresses of servers of this user, by which tabs find what they have kept: a browser keeps it by the address. They outlive a logout, which
/// removes `ServerRecord`.
///
///     STATE/studio-hosts    [{"folder":"ID","name":"NAME","port":8360},…], the newest first, mode 0600; no keys
package struct FormerHosts: Sendable {
  /// The most addresses of a folder, and of all folders.
  private static let (folderCount, count) = (64, 1_024)
  /// The most bytes of a folder's identity.
  private static let identityBytes = 64
  private static let limit = 256 << 10

  private struct Entry: Hashable {
    /// The identity of the folder.
    let folderID: String
    let host: ServerRecord.Host
  }

  private let place: String?

  /// Those in the state folder, unless another one is given.
  package init(in place: String? = nil) { self.place = place }

  /// The addresses of servers of a folder, the newest first. A file that cannot be understood has none. Throws what finding the state folder and
  /// reading throw.
  package func read(of folderID: String) throws(ArtError) -> [ServerRecord.Host] {
    Self.entries(try file().read()).filter { $0.folderID == folderID }.map(\.host)
  }

  /// Adds the address of a server of a folder, as the newest one. The oldest ones are forgotten. Throws what finding the state folder and writing
  /// throw.
  package func add(_ host: ServerRecord.Host, of folderID: String) throws(ArtError) {
    let new = Entry(folderID: folderID, host: host)
    try file().update { (former) throws(ArtError) in
      var left = Self.folderCount
      let entries = ([new] + Self.entries(former).filter { $0 != new }).filter { entry in
        guard entry.folderID == folderID else { return true }
        left -= 1
        return left >= 0
      }
      return (Self.json(entries.prefix(Self.count)), ())
    }
  }

  private func file() throws(ArtError) -> ReplacedFile {
    let folder = if let place { place } else { try StateFolder.create() }
    return ReplacedFile(path: folder + "/studio-hosts", limit: Self.limit, isPrivate: true)
  }

  private static func json(_ entries: some Sequence<Entry>) -> [UInt8] {
    var json = JSONWriter()
    json.array { json in
      for entry in entries {
        json.object { json in
          json.key("folder")
          json.string(entry.folderID)
          entry.host.write(to: &json)
        }
      }
    }
    json.endLine()
    return json.bytes
  }

  private static func entries(_ bytes: [UInt8]?) -> [Entry] {
    guard let bytes else { return [] }
    do throws(ArtError) {
      return try bytes.withUnsafeBufferPointer { (buffer) throws(ArtError) in
        try JSONReader.read(buffer) { (reader) throws(ArtError) in
          var entries: [Entry] = []
          try reader.array { (reader) throws(ArtError) in
            var folderID = ""
            let host = try ServerRecord.Host(from: &reader) { (key, reader) throws(ArtError) in
              if key == "folder" { folderID = try reader.string() } else { try reader.skip() }
            }
            guard folderID.utf8.count <= identityBytes else { throw reader.error("no identity of a folder") }
            entries.append(Entry(folderID: folderID, host: host))
          }
          return entries
        }
      }
    } catch {
      return []
    }
  }
}
