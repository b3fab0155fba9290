// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtStore
import CStore
import Foundation
import TestSupport

/// Random operations of users and programs on a folder, drawn from a generator.
struct FolderLife {
  let watched: WatchedFolder
  var random: SplitMix64
  /// Files and folders that were changed since they were last delivered.
  var files: Set<String> = []
  var folders: Set<String> = []
  private(set) var done: [String: Int] = [:]
  private var backups: [[UInt8]] = []
  private static let names =
    ["a", "b", "c", "d", "e", "sub/a", "sub/b", "sub/c", "other/a", "other/b"].map { "\($0).emojiart" }

  init(_ watched: WatchedFolder, seed: UInt64) throws {
    self.watched = watched
    random = SplitMix64(seed: seed)
    mkdir(watched["sub"], 0o755)
    mkdir(watched["other"], 0o755)
    for name in Self.names.prefix(7) { try watched.make(name) }
  }

  /// Does one random operation, as far as it is possible.
  mutating func act() {
    let first = pick()
    let second = pick()
    let action = Int.random(in: 0..<20, using: &random)
    noteTargets(first, second)
    let name: String
    switch action {
    case 0, 1:
      name = "create"
      _ = try? watched.make(first)
    case 2...6:
      name = "save"
      save(first)
    case 7:
      name = "cp"
      if let bytes = bytes(first) { try? watched.overwrite(second, bytes) }
      files.insert(second)
    case 8, 9:
      name = "mv"
      rename(watched[first], watched[second])
      files.insert(second)
    case 10:
      name = "rm"
      unlink(watched[first])
    case 11:
      name = "replace by rename"
      replace(first, by: bytes(second))
    case 12:
      name = "backup put back"
      if let bytes = backups.randomElement(using: &random) {
        if random.oneIn(2) { try? watched.overwrite(first, bytes) } else { replace(first, by: bytes) }
      }
    case 13:
      name = "truncate"
      truncate(watched[first], Int.random(in: 0...9_000, using: &random))
    case 14:
      name = "sqlite3 update"
      sql(first, "UPDATE emoji SET json = replace(json, '40', '41')")
    case 15:
      name = "touch and chmod"
      utimes(watched[first], nil)
      chmod(watched[second], random.oneIn(2) ? 0o600 : 0o644)
      files.insert(second)
    case 16:
      name = "ln"
      link(watched[first], watched[second])
      files.insert(second)
    case 17:
      name = "swap"
      unlink(watched["x"])
      rename(watched[first], watched["x"])
      rename(watched[second], watched[first])
      rename(watched["x"], watched[second])
      files.insert(second)
    case 18:
      name = "mv folder"
      let (from, to) = random.oneIn(2) ? ("sub", "third") : ("third", "sub")
      rename(watched[from], watched[to])
      folders.formUnion([from, to])
    default:
      name = "text or link"
      if random.oneIn(2) {
        replace(first, by: Array("text".utf8))
      } else {
        unlink(watched[first])
        symlink(watched[second], watched[first])
      }
    }
    files.insert(first)
    noteTargets(first, second)
    done[name, default: 0] += 1
  }

  /// A write through a link is an event of the link's target.
  private mutating func noteTargets(_ names: String...) {
    for name in names {
      guard let resolved = realpath(watched[name], nil) else { continue }
      defer { free(resolved) }
      let path = String(cString: resolved)
      if path.hasPrefix(watched.path + "/") { files.insert(String(path.dropFirst(watched.path.count + 1))) }
    }
  }

  /// Begins to write a file; returns its name and the remaining bytes.
  mutating func begin() -> (name: String, rest: [UInt8])? {
    let name = pick()
    guard let bytes = bytes(pick()), bytes.count > 5_000 else { return nil }
    try? watched.overwrite(name, bytes.prefix(5_000))
    files.insert(name)
    noteTargets(name)
    done["slow overwrite", default: 0] += 1
    return (name, Array(bytes.dropFirst(5_000)))
  }

  mutating func finish(_ begun: (name: String, rest: [UInt8])) {
    let file = open(watched[begun.name], O_WRONLY | O_APPEND)
    guard file >= 0 else { return }
    write(file, begun.rest, begun.rest.count)
    close(file)
    files.insert(begun.name)
    noteTargets(begun.name)
  }

  private mutating func pick() -> String { Self.names.randomElement(using: &random) ?? "" }

  /// The bytes of a document, half of the time kept as a backup.
  private mutating func bytes(_ name: String) -> [UInt8]? {
    guard let bytes = try? watched.bytes(name) else { return nil }
    if random.oneIn(2) { backups = backups.suffix(5) + [bytes] }
    return bytes
  }

  private func replace(_ name: String, by bytes: [UInt8]?) {
    guard let bytes else { return }
    // The path may be a hard link of a document, whose other name has no event.
    unlink(watched["x"])
    try? watched.overwrite("x", bytes)
    rename(watched["x"], watched[name])
  }

  private mutating func save(_ name: String) {
    let file = DocumentFile(watched[name])
    for _ in 0..<Int.random(in: 1...3, using: &random) {
      guard let content = try? file.read(), let bee = try? Emoji.one() else { return }
      let changes = content.top().map { [Change.setText($0.id, to: bee.text), .remove($0.id)] } ?? []
      _ = try? random.oneIn(3) ? file.save([.add(bee)], changes) : file.save([.add(bee)])
    }
  }

  private func sql(_ name: String, _ statement: String) {
    var handle: OpaquePointer?
    if sqlite3_open_v2(watched[name], &handle, SQLITE_OPEN_READWRITE, nil) == SQLITE_OK {
      sqlite3_exec(handle, statement, nil, nil, nil)
    }
    sqlite3_close_v2(handle)
  }
}
