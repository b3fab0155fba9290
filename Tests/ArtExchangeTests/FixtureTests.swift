// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@testable import ArtExchange
@testable import ArtModel

/// Compares what is read from each file of `Fixtures/exchange` with the file of its name under `expected`.
@Suite("Documents of other programs")
struct FixtureTests {
  @Test(
    "X1 documents of every year and our own JSON are recognised by their content and read",
    arguments: try fixtureNames())
  func reading(name: String) throws {
    let expected = fixtures.appending(path: "expected/\(name).txt")
    let found = try lines(of: name).joined(separator: "\n") + "\n"
    try GoldenFiles.record("exchange") { try found.write(to: expected, atomically: false, encoding: .utf8) }
    #expect(try String(contentsOf: expected, encoding: .utf8) == found)
  }

  private func lines(of name: String) throws -> [String] {
    let bytes = try fixture(name)
    let art: ForeignArt
    do throws(ArtError) { art = try ForeignArt(bytes) } catch {
      return ["\(error.code): \(error.cause)"]
    }
    var lines = [art.dialect.rawValue]
    if let url = art.background?.url { lines.append("url \(url)") }
    if let bytes = art.background?.bytes { lines.append("picture of \(bytes.count) bytes") }
    let (content, report) = try art.content(pending: art.background?.url)
    lines += content.lines + report.lines
    #expect(art.emojisFound == content.emojiCount + report.emojisLeftOut)
    guard art.background != nil else { return lines }
    return lines + ["", "with its picture"]
      + (try art.content(picture: Canvas(width: 401, height: 300)).content.lines)
  }
}
