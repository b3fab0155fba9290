// SPDX-License-Identifier: Apache-2.0

import ArtDocument
import ArtModel
import ArtStore
import ArtWorker
import Foundation
import Synchronization
import Testing

@testable import ArtWorkspace

/// The notices of a use case.
final class Reports: Sendable {
  private let gathered = Mutex<[Recovery.Notice]>([])

  var all: [Recovery.Notice] { gathered.withLock(\.self) }

  func add(_ notice: Recovery.Notice) { gathered.withLock { $0.append(notice) } }

  /// The number of restored edits, and of edits that were read with a document.
  var restored: Int {
    all.reduce(0) { if case .restored(_, let report) = $1 { $0 + report.edits } else { $0 } }
  }
  var included: Int {
    all.reduce(0) { if case .included(_, let report) = $1 { $0 + report.edits } else { $0 } }
  }
  /// The number of edits that a duplicate has from its original.
  var duplicated: Int {
    all.reduce(0) { if case .duplicated(_, _, let report) = $1 { $0 + report.edits } else { $0 } }
  }
  var excluded: Int {
    all.reduce(0) { if case .excluded(_, let report) = $1 { $0 + report.edits } else { $0 } }
  }
}

extension WatchedFolder {
  /// The folder of the journals of these tests.
  var journals: JournalFolder { JournalFolder(self["state/journals"]) }

  /// A recovery by ada, with the journals of this folder.
  func recovery(_ reports: Reports = Reports()) -> Recovery {
    Recovery(author: "ada", journals: journals) { reports.add($0) }
  }

  /// A document that another program has open, and that is saved only on request.
  func opened(_ file: DocumentFile) async throws -> Document {
    try await Document.open(
      file, author: "bob", journal: .folder(journals),
      autosave: AutosavePolicy(changes: 1_000, delay: .seconds(3_600)), refreshInterval: nil)
  }

  /// Leaves orphaned edits: bees that a program added before it ended without saving.
  func orphan(_ count: Int, of file: DocumentFile) async throws {
    let document = try await opened(file)
    for _ in 0..<count { try await document.perform(Edit(name: "edit", changes: [.add(try Emoji.one())])) }
    await document.abandon()
  }

  /// The names of all files and folders.
  var everything: [String] {
    FileManager.default.enumerator(atPath: path)?.compactMap { $0 as? String }.sorted() ?? []
  }

  func text(_ name: String) throws -> String { String(decoding: try bytes(name), as: UTF8.self) }
}

/// A transfer that gives fixed answers.
struct CannedTransfer: PictureTransfer {
  let answer: @Sendable (PictureOrder) throws -> CheckedPicture

  func picture(_ order: PictureOrder, for document: String) throws -> CheckedPicture { try answer(order) }

  /// Answers each request with a picture of this size.
  static func picture(_ width: Int = 3, _ height: Int = 2) throws -> CannedTransfer {
    let picture = CheckedPicture(
      bytes: Array("picture \(width) x \(height)".utf8), mediaType: "image/png",
      size: try Canvas(width: width, height: height), isAnimated: false)
    return CannedTransfer { _ in picture }
  }

  /// Refuses each request for this reason.
  static func refusal(_ reason: Refusal.Reason) -> CannedTransfer {
    CannedTransfer { _ in throw Refusal(reason, "as the test says") }
  }
}

/// Waits without drawing.
struct BlockingWaiter: DrawingWaiter {
  func wait<Value: Sendable>(
    for work: @escaping @Sendable () async throws(DrawingFailure) -> Value
  ) throws(DrawingFailure) -> Value {
    try Outcome { () async -> Result<Value, DrawingFailure> in
      do throws(DrawingFailure) { return .success(try await work()) } catch { return .failure(error) }
    }.wait().get()
  }
}

/// The code of the error that the body throws; nil where it throws none.
func code<Value>(_ body: () throws -> Value) -> ArtError.Code? {
  do { _ = try body() } catch { return (error as? ArtError)?.code }
  return nil
}
