// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@testable import ArtStore

extension Workspace {
  /// A document as a kill in the middle of a save leaves it: half of the pages are written, with the rollback journal beside the
  /// file. The real `sqlite3` shell makes it. Returns the document, and its bytes before the save.
  func crashed(_ name: String = "bees.emojiart", seed: UInt64 = 1) throws -> (DocumentFile, [UInt8]) {
    let live = DocumentFile(self["live-\(name)"])
    var random = SplitMix64(seed: seed)
    _ = try live.create(canvas: .standard, using: &random)
    try live.fill(emojis: 400, edits: 2, seed: seed)
    let whole = try bytes(live.path)
    let copies = [("", ""), ("-journal", "-journal")].map {
      "cp '\(live.path)\($0.0)' '\(self[name])\($0.1)'"
    }
    let ended = try run(
      "sqlite3",
      [
        "-bail", live.path, "PRAGMA cache_size=2", "BEGIN IMMEDIATE", "PRAGMA user_version=1",
        "UPDATE emoji SET z = z + 7",
        ".shell \(copies.joined(separator: " && "))", "ROLLBACK",
      ])
    try #require(ended.status == 0, "\(ended.errors)")
    try FileManager.default.removeItem(atPath: live.path)
    try #require(try bytes(self[name]) != whole)
    try #require(try bytes(self[name] + "-journal").first == 0xD9)
    return (DocumentFile(self[name]), whole)
  }
}
