// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Replaces random parts of an output by names in the order of their first appearance: `<id1>`, `<mark1>`, `<time>`, `<here>`.
///
/// Values are learned only where a random value must stand, and only learned values are replaced, so that a wrong id is still a
/// difference:
/// - ids, 8 characters of Crockford's base32: a line of its own (`add`), the first word of a line (`move` and, with a hyphen,
/// `show`), `"id":"…"`, the candidates of an ambiguous REF, ids in the output of `check`, the changes that `restore` left out, the
/// changes of `edit`, and the removed ones of an effect;
/// - marks, 12 characters: of an origin in `history` and `edit` (also of a head), of a file in the quarantine `/kept/…-`, of a
/// journal;
/// - times, in the three forms that commands write, and only from the time of the run;
/// - the folder of the run.
struct Normaliser {
  private var names: [(value: String, name: String)] = []
  private var counts: [String: Int] = [:]
  private let ran: ClosedRange<Date>

  init(here: String, place: String, _ ran: ClosedRange<Date>) {
    names = [(here, "<here>"), (place, "<place>")]
    self.ran = ran
  }

  private static let letter = "[0-9a-hjkmnp-tv-z]"

  /// The places of random values, in the first group of each pattern.
  private static let ids = [
    "(?m)^(\(letter){8})(?= |$)", "(?m)^((?=[^\\n-]{1,7}-)[0-9a-hjkmnp-tv-z-]{9}) ",
    "\"id\":\"(\(letter){8})\"",
    "(?:several emoji: |, )(\(letter){8})(?= )", "emoji (\(letter){8}) \\(now",
    "(?:left out|leftOut).*?(?:move|remove|resize) (\(letter){8})\\b",
    "\\[\"(?:add|remove|move|resize|text|order)\",\"(\(letter){8})\"",
    "\"removed\":\\[\"(\(letter){8})\"",
  ]
  private static let marks = [
    "\"id\":\"(\(letter){12}):\\d+\"", "\"journal\":\"(\(letter){12})\"",
    "(?m)^ *\\d+  \\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d:\\d\\d  (\(letter){12})  ",
    "/(?:aside|kept)/(\(letter){12})-", "/journal/(\(letter){12})\\b",
    "\\b(\(letter){12})/\(letter){12}-\\d{6}\\.journal",
    "\\b(\(letter){12})-\\d{6}\\.journal",
    "\"edit\":\"(\(letter){12}):\\d+\"", "\"head\":\"(\(letter){12}):\\d+\"",
  ]
  private static let times = [
    "\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z", "\\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d:\\d\\d",
    "\\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d(?!:)",
  ]

  mutating func learn(_ output: String) {
    for (kind, patterns) in [("id", Self.ids), ("mark", Self.marks)] {
      let found = patterns.flatMap { matches(of: $0, in: output) }.sorted { $0.lowerBound < $1.lowerBound }
      for range in found { learn(output[range].filter { $0 != "-" }, as: kind) }
    }
  }

  private mutating func learn(_ value: String, as kind: String) {
    guard !names.contains(where: { $0.value == value }) else { return }
    counts[kind, default: 0] += 1
    names.append((value, "<\(kind)\(counts[kind, default: 0])>"))
  }

  func plain(_ output: String) -> String {
    var output = output
    for (value, name) in names {
      output = output.replacingOccurrences(of: value, with: name)
      guard name.hasPrefix("<id") else { continue }
      // The hyphen after the unique beginning of an id stands at a random place.
      for length in 1..<value.count {
        output = output.replacingOccurrences(
          of: "\(value.prefix(length))-\(value.dropFirst(length))", with: name)
      }
    }
    for pattern in Self.times {
      for range in matches(of: pattern, group: 0, in: output).reversed() where isNow(String(output[range])) {
        output.replaceSubrange(range, with: "<time>")
      }
    }
    return output
  }

  /// Whether a time is from the run of the case, as exactly as it is written.
  private func isNow(_ text: String) -> Bool {
    let digits = text.split(whereSeparator: { !$0.isNumber }).compactMap { Int($0) }
    guard digits.count >= 5 else { return false }
    var parts = DateComponents()
    parts.timeZone = TimeZone(identifier: "UTC")
    (parts.year, parts.month, parts.day, parts.hour, parts.minute) = (
      digits[0], digits[1], digits[2], digits[3], digits[4]
    )
    parts.second = digits.count > 5 ? digits[5] : 0
    guard let date = Calendar(identifier: .gregorian).date(from: parts) else { return false }
    let unit = digits.count > 5 ? 1.0 : 60.0
    return date > ran.lowerBound - unit - 1 && date <= ran.upperBound + 1
  }

  private func matches(of pattern: String, group: Int = 1, in text: String) -> [Range<String.Index>] {
    guard let expression = try? NSRegularExpression(pattern: pattern) else { return [] }
    return expression.matches(in: text, range: NSRange(text.startIndex..., in: text))
      .compactMap { Range($0.range(at: group), in: text) }
  }
}
