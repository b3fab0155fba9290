// SPDX-License-Identifier: Apache-2.0

import ArtTerminal
import ArtWorker
import Testing

@testable import emojiart

@Suite("The line of a transfer")
struct TransferLineTests {
  private func drawn(
    _ steps: [(milliseconds: Int, received: Int?)], total: Int? = 3_400_000, name: String = "bees",
    columns: Int = 80
  ) -> [String?] {
    var line = TransferLine(name: name)
    return steps.map { step in
      let progress = step.received.map { FetchProgress(received: $0, total: total) }
      return line.drawing(progress, at: .milliseconds(step.milliseconds), columns: columns)
    }
  }

  @Test("the line shows the received and total bytes, and the rate")
  func amounts() {
    let lines = drawn([(250, nil), (300, 0), (400, 56_000), (1_300, 560_000), (5_300, 3_400_000)])
    #expect(
      lines == [
        "\rbees: / connecting", "\rbees: 0 B of 3.4 MB",
        "\rbees: 56 kB of 3.4 MB, 560 kB/s", "\rbees: 560 kB of 3.4 MB, 560 kB/s",
        "\rbees: 3.4 MB of 3.4 MB, 680 kB/s",
      ])
    #expect(
      [0, 999, 1_000, 999_999, 1_000_000, 20_971_520].map(TransferLine.size) == [
        "0 B", "999 B", "1 kB", "999 kB", "1.0 MB", "20.9 MB",
      ])
  }

  @Test("a transfer of unknown size shows a spinner")
  func spinner() {
    let lines = drawn([(200, 1_000), (300, 2_000), (400, 3_000), (500, 4_000), (600, 5_000)], total: nil)
    let turned = lines.compactMap { $0 }.map { $0.dropFirst("\rbees: ".count).prefix(1) }
    #expect(turned == ["/", "-", "\\", "|", "/"])
    #expect(lines.last == "\rbees: / 5 kB, 10 kB/s")
  }

  @Test("a transfer of less than 200 ms has no line, and a line is cleared once")
  func timeout() {
    var line = TransferLine(name: "bees")
    #expect(line.clearing() == "")
    #expect(line.drawing(FetchProgress(received: 1, total: 2), at: .milliseconds(199), columns: 80) == nil)
    #expect(line.clearing() == "")
    #expect(line.drawing(FetchProgress(received: 1, total: 2), at: .milliseconds(200), columns: 80) != nil)
    let cleared = line.clearing()
    #expect(cleared == "\r" + String(repeating: " ", count: "bees: 1 B of 2 B, 0 B/s".count) + "\r")
    #expect(line.clearing() == "")
  }

  @Test("the line fits every terminal, whatever the document's name")
  func widths() {
    var tried = 0
    for name in ["bees", "a very long name for a document", "🐝🌸🐝🌸", "e\u{1B}[2Jvil"] {
      for columns in 1...60 {
        for total in [3_400_000, nil] {
          let steps = drawn(
            [(250, nil), (300, 1_000), (2_300, 1_200_000)], total: total, name: name, columns: columns)
          for text in steps.compactMap({ $0 }) {
            tried += 1
            let line = text.drop { $0 == "\r" }
            // Spaces at the end only overwrite the old line.
            let width = LineView.width(Array(line)[...])
            let isWiped = line.hasSuffix(" ")
            #expect(isWiped || width < max(columns, 2), "\(columns) columns: \(line)")
            #expect(!line.unicodeScalars.contains("\u{1B}"))
          }
        }
      }
    }
    print("lines of a transfer: \(tried) drawn")
    #expect(drawn([(250, 1_200_000)], columns: 20) == ["\r1.2 MB of 3.4 MB"], "the name is left out first")
    #expect(drawn([(250, 1_200_000)], columns: 10) == ["\r1.2 MB"])
  }

  @Test("a rate that no number holds does not trap")
  func extremes() {
    let lines = drawn([(200, 0), (201, Int.max), (300, Int.max)], total: .max)
    #expect(lines.count == 3)
    #expect(drawn([(200, 5), (300, 1)]).last == "\rbees: 1 B of 3.4 MB")
  }
}
