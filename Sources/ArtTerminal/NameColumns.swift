// SPDX-License-Identifier: Apache-2.0

/// Counts and names in columns, sorted downwards as `ls -C` does:
///
///      12 ants.emojiart     3 moths.emojiart
///       3 bees.emojiart   240 wasps.emojiart
///
/// A count stands before its name, because terminals disagree on the width of emoji in names.
package struct NameColumns {
  /// The blanks between two columns.
  private static let gap = 3

  /// The number of columns.
  package let count: Int
  /// The lines.
  package let lines: [String]

  /// As many columns of equal width as fit that many columns of a terminal, at least one.
  package init(_ entries: [(count: String, name: String)], columns: Int) {
    let number = entries.reduce(0) { max($0, $1.count.count) }
    let width = entries.reduce(0) { max($0, number + 1 + LineView.likelyWidth($1.name)) } + Self.gap
    let most = max((columns - 1 + Self.gap) / width, 1)
    let rows = max((entries.count + most - 1) / most, 1)
    count = (entries.count + rows - 1) / rows
    lines = (0..<min(rows, entries.count)).map { row in
      let line = stride(from: row, to: entries.count, by: rows).map { index in
        let (count, name) = entries[index]
        let text = String(repeating: " ", count: number - count.count) + "\(count) \(name)"
        let isLast = index + rows >= entries.count
        let rest = width - number - 1 - LineView.likelyWidth(name)
        return isLast ? text : text + String(repeating: " ", count: max(rest, Self.gap))
      }
      return line.joined()
    }
  }
}
