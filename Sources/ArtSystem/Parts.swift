// SPDX-License-Identifier: Apache-2.0

// What is looked for in texts and bytes, without the standard library's string processing: a static program that calls one function of that has
// all of it, which is 1 MB. See docs/decisions/0048-small-programs.md.

extension Collection where Element: Equatable {
  /// The first place of a part that is not empty; nil without one. Takes steps in proportion to the product of both lengths.
  package func firstRange(ofPart part: some Collection<Element>) -> Range<Index>? {
    var start = startIndex
    while start < endIndex {
      var (end, next) = (start, part.startIndex)
      while next < part.endIndex, end < endIndex, self[end] == part[next] {
        formIndex(after: &end)
        part.formIndex(after: &next)
      }
      if next == part.endIndex { return start..<end }
      formIndex(after: &start)
    }
    return nil
  }

  /// Whether a part that is not empty is in this.
  package func contains(part: some Collection<Element>) -> Bool { firstRange(ofPart: part) != nil }

  /// What is between the places of a part that is not empty, in order; one piece without the part.
  package func pieces(separatedBy part: some Collection<Element>) -> [SubSequence] {
    var (pieces, rest) = ([SubSequence](), self[...])
    while let place = rest.firstRange(ofPart: part) {
      pieces.append(rest[..<place.lowerBound])
      rest = rest[place.upperBound...]
    }
    return pieces + [rest]
  }
}

extension StringProtocol {
  /// The text with another text in all places of a part that is not empty.
  package func replacing(part: String, with other: String) -> String {
    pieces(separatedBy: part).map { String($0) }.joined(separator: other)
  }
}
