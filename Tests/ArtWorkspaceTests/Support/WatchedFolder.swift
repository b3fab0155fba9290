// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtStore
import Foundation
import TestSupport
import Testing

/// A temporary folder with documents, removed with the value.
final class WatchedFolder: Sendable {
  let path: String

  init() throws {
    TestState.use()
    var template = Array("\(FileManager.default.temporaryDirectory.path)/emojiart-test.XXXXXX".utf8CString)
    try #require(mkdtemp(&template) != nil)
    path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  subscript(name: String) -> String { "\(path)/\(name)" }

  /// Makes a new document.
  @discardableResult func make(_ name: String = "bees.emojiart") throws -> DocumentFile {
    let file = DocumentFile(self[name], timeout: .seconds(20))
    var random = SystemRandomNumberGenerator()
    _ = try file.create(canvas: .standard, using: &random)
    return file
  }

  /// The names of everything in the folder and below it that end as documents do.
  var names: [String] {
    FileManager.default.enumerator(atPath: path)?.compactMap { $0 as? String }
      .filter { $0.hasSuffix(".emojiart") }.sorted() ?? []
  }

  func bytes(_ name: String) throws -> [UInt8] {
    try Array(Data(contentsOf: URL(fileURLWithPath: self[name])))
  }

  /// Writes over a file in place, as `cp` does.
  func overwrite(_ name: String, _ bytes: some Collection<UInt8>) throws {
    let file = open(self[name], O_WRONLY | O_CREAT | O_TRUNC, 0o644)
    guard file >= 0 else { throw ArtError(.inputOutput, "cannot write \(name)") }
    defer { close(file) }
    let bytes = Array(bytes)
    try #require(write(file, bytes, bytes.count) == bytes.count)
  }

  /// Replaces a file by renaming, as a sync client does.
  func replace(_ name: String, _ bytes: some Collection<UInt8>) throws {
    try overwrite(".\(name).tmp", bytes)
    try move(".\(name).tmp", name)
  }

  func move(_ from: String, _ to: String) throws { try #require(rename(self[from], self[to]) == 0) }

  func remove(_ name: String) throws { try #require(unlink(self[name]) == 0) }
}
