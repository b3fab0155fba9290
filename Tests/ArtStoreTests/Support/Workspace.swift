// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@testable import ArtModel
@testable import ArtStore

/// A temporary folder, removed with the object.
final class Workspace: Sendable {
  let path: String

  init() throws {
    TestState.use()
    var template = Array("\(FileManager.default.temporaryDirectory.path)/emojiart-test.XXXXXX".utf8CString)
    try #require(mkdtemp(&template) != nil)
    let made = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    path = URL(fileURLWithPath: made).resolvingSymlinksInPath().path
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  subscript(name: String) -> String { "\(path)/\(name)" }

  /// Names of everything in the folder.
  var names: [String] {
    get throws { try FileManager.default.contentsOfDirectory(atPath: path).sorted() }
  }

  /// A new, empty document.
  func document(_ name: String = "bees.emojiart", seed: UInt64 = 1) throws -> DocumentFile {
    var random = SplitMix64(seed: seed)
    let file = DocumentFile(self[name])
    _ = try file.create(canvas: .standard, using: &random)
    return file
  }
}

func bytes(_ path: String) throws -> [UInt8] { try [UInt8](Data(contentsOf: URL(fileURLWithPath: path))) }

func write(_ bytes: [UInt8], to path: String) throws {
  // In place: without .atomic Data uses no temporary file and no other inode.
  try Data(bytes).write(to: URL(fileURLWithPath: path))
}

/// Properties of a file that a reader must not change.
func fingerprint(_ path: String) throws -> [Int] {
  var status = stat()
  try #require(lstat(path, &status) == 0)
  return [
    Int(status.st_ino), Int(status.st_size), status.st_mtim.tv_sec, status.st_mtim.tv_nsec,
    status.st_ctim.tv_sec, status.st_ctim.tv_nsec, Int(status.st_nlink),
  ]
}

/// The error that the body throws.
func failure<Value>(_ body: () throws -> Value) -> ArtError? {
  do {
    _ = try body()
    return nil
  } catch {
    return error as? ArtError
  }
}
