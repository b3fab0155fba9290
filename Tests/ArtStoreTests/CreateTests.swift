// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@testable import ArtModel
@testable import ArtStore

@Suite struct CreateTests {
  @Test("F12 a new document never replaces a file or a link")
  func neverReplaces() throws {
    let folder = try Workspace()
    try write(Array("a letter".utf8), to: folder["bees.emojiart"])
    #expect(failure { try folder.document() }?.code == .exists)
    #expect(try bytes(folder["bees.emojiart"]) == Array("a letter".utf8))
    symlink("/nowhere/at/all", folder["link.emojiart"])
    #expect(failure { try folder.document("link.emojiart") }?.code == .exists)
    #expect(failure { try folder.document("no/such/folder.emojiart") }?.code == .noSuchDocument)
    #expect(try folder.names == ["bees.emojiart", "link.emojiart"])
  }

  @Test(
    "F12 of two programs that create one document at once, one succeeds and the other gets the error that it exists"
  )
  func twoAtOnce() async throws {
    let folder = try Workspace()
    for round in 0..<20 {
      let path = folder["race\(round).emojiart"]
      let outcomes = await withTaskGroup(of: ArtError?.self) { group in
        for seed in UInt64(1)...2 {
          group.addTask {
            var random = SplitMix64(seed: seed)
            return failure { try DocumentFile(path).create(canvas: .standard, using: &random) }
          }
        }
        return await group.reduce(into: []) { $0.append($1) }
      }
      #expect(outcomes.count { $0 == nil } == 1)
      #expect(outcomes.count { $0?.code == .exists } == 1)
      #expect(try DocumentFile(path).read().emojiCount == 0)
    }
    #expect(try folder.names.count == 20)
  }

  @Test("F11 a file that is not a document is refused with its kind")
  func kinds() throws {
    let folder = try Workspace()
    mkdir(folder["folder.emojiart"], 0o755)
    mkfifo(folder["pipe.emojiart"], 0o644)
    try write([], to: folder["empty.emojiart"])
    try write(Array(#"{"emojis":[]}"#.utf8), to: folder["json.emojiart"])
    try write(Array("Dear all".utf8), to: folder["text.emojiart"])
    try shell(folder["other.emojiart"], "CREATE TABLE t(a)")
    for (name, words) in [
      ("folder", "it is a folder"), ("pipe", "it is a pipe"), ("empty", "it is empty"),
      ("json", "as JSON"),
      ("text", "it is text"), ("other", "another program"),
    ] {
      let file = DocumentFile(folder["\(name).emojiart"])
      for error in [
        failure { try file.read() }, failure { try file.add(seed: 1) }, failure { try file.check() },
        failure { try file.summary() },
      ] {
        #expect(
          error?.code == .notADocument && error?.cause.contains(words) == true, "\(name): \(error as Any)")
        #expect((error?.remedy == .importFile) == ["empty", "json"].contains(name))
      }
    }
    #expect(failure { try DocumentFile("/dev/null").read() }?.cause.contains("device") == true)
    // A pipe is no document, and is not suggested.
    let missing = failure { try DocumentFile(folder["pipes.emojiart"]).read() }
    #expect(missing?.code == .noSuchDocument && missing?.cause.contains("did you mean") == false)
  }

  @Test("F11 symbolic links are followed, and an edit of a file with two names reports a notice")
  func links() throws {
    let folder = try Workspace()
    let file = try folder.document()
    symlink("bees.emojiart", folder["link.emojiart"])
    try DocumentFile(folder["link.emojiart"]).add(seed: 1)
    #expect(try file.read().emojiCount == 1)
    #expect(try DocumentFile(folder["link.emojiart"]).summary().emojiCount == 1)
    link(file.path, folder["second.emojiart"])
    let notices = NoticeLog()
    try DocumentFile(file.path, notice: { notices.append("\($0)") }).add(seed: 2)
    #expect(notices.lines.count == 1 && notices.lines.first?.contains("2 names") == true)
    #expect(try DocumentFile(folder["second.emojiart"]).read().emojiCount == 2)
  }
}

/// Collects notices.
final class NoticeLog: @unchecked Sendable {
  // Guarded by the lock.
  private var gathered: [String] = []
  private let lock = NSLock()
  func append(_ line: String) { lock.withLock { gathered.append(line) } }
  var lines: [String] { lock.withLock { gathered } }
}
