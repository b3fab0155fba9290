// SPDX-License-Identifier: Apache-2.0

/// The progress bar of an import: `[#####---------------] 512 of 2048 files`.
///
/// Times are since the start of the import. The bar appears after 200 ms, so that short imports show none.
package struct ImportProgress {
  private let total: Int
  private var drawn: Duration?
  private var width = 0

  package init(total: Int) { self.total = total }

  private static let timeout = Duration.milliseconds(200)
  /// The time between two drawings.
  private static let pause = Duration.milliseconds(100)
  private static let length = 20

  /// Whether the bar must be drawn now.
  package func isDue(at time: Duration) -> Bool {
    total > 1 && time >= (drawn.map { $0 + Self.pause } ?? Self.timeout)
  }

  /// The output for the terminal.
  package mutating func drawing(_ done: Int, at time: Duration, columns: Int) -> String {
    drawn = time
    let count = "\(done) of \(total)"
    let filled = total > 0 ? min(done * Self.length / total, Self.length) : 0
    let bar = String(repeating: "#", count: filled) + String(repeating: "-", count: Self.length - filled)
    let available = max(columns - 1, 0)
    let forms = ["[\(bar)] \(count) files", count]
    let text = forms.first { $0.count <= available } ?? String(count.prefix(available))
    let gap = String(repeating: " ", count: max(width - text.count, 0))
    width = text.count
    return "\r\(text)\(gap)"
  }

  /// The output that clears the bar; empty where there is none.
  package mutating func clearing() -> String {
    defer { width = 0 }
    return width == 0 ? "" : "\r\(String(repeating: " ", count: width))\r"
  }
}
