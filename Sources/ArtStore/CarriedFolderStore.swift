// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtSystem

/// The folders that another program carries between machines, as the user has declared them.
///
///     $STATE/carried.json    ["/srv/drive/art"]
public struct CarriedFolderStore: Sendable {
  private static let limit = 1 << 20
  private let file: ReplacedFile?

  /// The store in the state folder. Without one nothing is known. Throws what the state folder throws.
  public init() throws(ArtError) {
    guard try StateFolder.isNamed else {
      file = nil
      return
    }
    file = ReplacedFile(
      path: try StateFolder.path() + "/carried.json", limit: Self.limit, isPrivate: true)
  }

  /// Their absolute paths without links, sorted. Throws what reading throws, and `badJSON`.
  public func folders() throws(ArtError) -> [String] { try file?.read().map(Self.read) ?? [] }

  /// Adds a folder, by its absolute path without links, or removes it. Throws what reading and writing throw.
  public func set(_ folder: String, isCarried: Bool) throws(ArtError) {
    guard let file else { throw ArtError(.inputOutput, "no state folder; set EMOJIART_STATE to one") }
    try file.update { (bytes) throws(ArtError) in
      var folders = try bytes.map(Self.read) ?? []
      folders.removeAll { $0.utf8.elementsEqual(folder.utf8) }
      if isCarried { folders.append(folder) }
      let text = JSON.array(folders.sorted().map(JSON.string)).text
      return (Array("\(text)\n".utf8), ())
    }
  }

  private static func read(_ bytes: [UInt8]) throws(ArtError) -> [String] {
    try bytes.withUnsafeBufferPointer { (bytes) throws(ArtError) in
      try JSONReader.read(bytes) { (reader) throws(ArtError) in
        var folders: [String] = []
        try reader.array { (reader) throws(ArtError) in folders.append(try reader.string()) }
        return folders
      }
    }
  }
}
