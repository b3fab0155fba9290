// SPDX-License-Identifier: Apache-2.0

/// The candidates whose edit distance is at most a third of the word's length, or which begin with the word; nearest
/// first, at most two.
package func nearest(
  to word: String, among words: [String], preferring weight: (String) -> Int = { _ in 0 }
) -> [String] {
  let target = Array(word.lowercased())
  guard !target.isEmpty else { return [] }
  let reach = max(1, target.count / 3)
  return
    words.compactMap { candidate -> (distance: Int, word: String)? in
      let letters = Array(candidate.lowercased())
      if letters.starts(with: target) { return (letters.count == target.count ? 0 : 1, candidate) }
      guard abs(letters.count - target.count) <= reach else { return nil }
      let distance = editDistance(target, letters)
      return distance <= reach ? (distance, candidate) : nil
    }
    .sorted { ($0.distance, -weight($0.word), $0.word) < ($1.distance, -weight($1.word), $1.word) }
    .prefix(2).map(\.word)
}

/// The number of insertions, removals, replacements and swaps of neighbours between two words (restricted
/// Damerau–Levenshtein distance).
private func editDistance(_ left: [Character], _ right: [Character]) -> Int {
  var beforeLast: [Int] = []
  var last = Array(0...right.count)
  for (i, a) in left.enumerated() {
    var row = [i + 1]
    for (j, b) in right.enumerated() {
      var best = min(row[j] + 1, last[j + 1] + 1, last[j] + (a == b ? 0 : 1))
      if i > 0, j > 0, a == right[j - 1], left[i - 1] == b { best = min(best, beforeLast[j - 1] + 1) }
      row.append(best)
    }
    beforeLast = last
    last = row
  }
  return last[right.count]
}
