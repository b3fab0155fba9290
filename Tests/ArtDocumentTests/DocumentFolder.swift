// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtStore
import ArtSystem
import Foundation
import TestSupport

@testable import ArtDocument

/// A temporary folder with documents, removed with the value.
final class DocumentFolder: Sendable {
  let path: String

  init() throws {
    TestState.use()
    let url = FileManager.default.temporaryDirectory.appendingPathComponent("emojiart-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: false)
    path = url.path
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  /// A new document.
  func make(_ name: String = "bees", timeout: Duration = .milliseconds(200)) throws -> DocumentFile {
    let file = DocumentFile("\(path)/\(name).emojiart", timeout: timeout)
    var random = SystemRandomNumberGenerator()
    _ = try file.create(canvas: .standard, using: &random)
    return file
  }

  /// The location of the journals of a folder's documents.
  static func journal(of file: DocumentFile) -> JournalLocation { .folder(journalFolder(of: file)) }

  static func journalFolder(of file: DocumentFile) -> JournalFolder {
    JournalFolder("\(FilePath(file.path).folder)/journal")
  }

  /// Opens the document as a new program.
  static func open(
    _ file: DocumentFile, _ policy: AutosavePolicy = AutosavePolicy(), clock: ManualClock = ManualClock()
  ) async throws -> Document {
    try await Document.open(
      file, journal: journal(of: file), autosave: policy, refreshInterval: nil, clock: clock)
  }

  /// Moves a file within the folder.
  static func move(_ from: String, to: String) throws {
    try FileManager.default.moveItem(atPath: from, toPath: to)
  }
}

extension Action {
  /// Adds one bee at a place.
  static func bee(x: Double = 10, y: Double = 20) throws -> Action {
    .add([try EmojiText("🐝")], at: .point(x: x, y: y), size: .standard)
  }
}

extension Document {
  /// Has saves wait for locks as long as it takes: on a busy machine a test may hold one for a while.
  func waitForLocks() { saveTimeout = .seconds(600) }
}

extension DocumentEvents {
  /// The events up to and including the first that matches.
  func until(_ isLast: (DocumentEvent) -> Bool) async throws -> [DocumentEvent] {
    try await elements(until: "an event of a document", isLast)
  }
}
