// SPDX-License-Identifier: Apache-2.0

/// The bar on a terminal that tells how far an import is: `[#####---------------] 512 of 2048 files`.
///
/// Time comes in as a value, since the import began. In the first 200 ms there is no bar, for what is over by then.
package struct ImportProgress {
  private let total: Int
  private var drawn: Duration?
  private var width = 0

  package init(total: Int) { self.total = total }

  private static let timeout = Duration.milliseconds(200)
  /// Between two drawings.
  private static let pause = Duration.milliseconds(100)
  private static let length = 20

  /// Whether the bar is to be drawn now.
  package func isDue(at time: Duration) -> Bool {
    total > 1 && time >= (drawn.map { $0 + Self.pause } ?? Self.timeout)
  }

  /// What the terminal gets.
  package mutating func drawing(_ done: Int, at time: Duration, columns: Int) -> String {
    drawn = time
    let count = "\(done) of \(total)"
    let filled = total > 0 ? min(done * Self.length / total, Self.length) : 0
    let bar = String(repeating: "#", count: filled) + String(repeating: "-", count: Self.length - filled)
    let room = max(columns - 1, 0)
    let forms = ["[\(bar)] \(count) files", count]
    let text = forms.first { $0.count <= room } ?? String(count.prefix(room))
    let gap = String(repeating: " ", count: max(width - text.count, 0))
    width = text.count
    return "\r\(text)\(gap)"
  }

  /// What takes the bar away; empty where there is none.
  package mutating func clearing() -> String {
    defer { width = 0 }
    return width == 0 ? "" : "\r\(String(repeating: " ", count: width))\r"
  }
}
