// SPDX-License-Identifier: Apache-2.0

/// A time as JSON has it: `2026-11-21T08:30:05.123Z`, in the Gregorian calendar.
package enum UTCTime {
  /// The text of a time in milliseconds since 1970; nil outside of the years 0 to 9999.
  package static func text(milliseconds: Int) -> String? {
    let (days, rest) = divided(milliseconds, by: 86_400_000)
    guard (-719_528..<2_932_897).contains(days) else { return nil }
    let (year, month, day) = date(days)
    let (seconds, thousandths) = (rest / 1_000, rest % 1_000)
    return "\(padded(year, 4))-\(padded(month, 2))-\(padded(day, 2))T\(padded(seconds / 3_600, 2)):"
      + "\(padded(seconds / 60 % 60, 2)):\(padded(seconds % 60, 2)).\(padded(thousandths, 3))Z"
  }

  /// The milliseconds since 1970 of what `text` writes; nil for anything else.
  package static func milliseconds(_ text: String) -> Int? {
    let numbers = text.split { !$0.isNumber }.map { Int($0) ?? -1 }
    guard numbers.count == 7, numbers.allSatisfy((0...9_999).contains), (1...12).contains(numbers[1]) else {
      return nil
    }
    let days = days(year: numbers[0], month: numbers[1], day: numbers[2])
    let seconds = days * 86_400 + numbers[3] * 3_600 + numbers[4] * 60 + numbers[5]
    let milliseconds = seconds * 1_000 + numbers[6]
    return text == Self.text(milliseconds: milliseconds) ? milliseconds : nil
  }

  private static func divided(_ number: Int, by divisor: Int) -> (quotient: Int, rest: Int) {
    let (quotient, rest) = number.quotientAndRemainder(dividingBy: divisor)
    return rest < 0 ? (quotient - 1, rest + divisor) : (quotient, rest)
  }

  private static func padded(_ number: Int, _ width: Int) -> String {
    let digits = String(number)
    return String(repeating: "0", count: max(0, width - digits.count)) + digits
  }

  /// The date that many days after 1970-01-01 (https://howardhinnant.github.io/date_algorithms.html, `civil_from_days`).
  private static func date(_ days: Int) -> (year: Int, month: Int, day: Int) {
    let (era, dayOfEra) = divided(days + 719_468, by: 146_097)
    let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let month = (5 * dayOfYear + 2) / 153
    let isNextYear = month >= 10
    return (
      era * 400 + yearOfEra + (isNextYear ? 1 : 0), isNextYear ? month - 9 : month + 3,
      dayOfYear - (153 * month + 2) / 5 + 1
    )
  }

  /// The inverse of `date`.
  private static func days(year: Int, month: Int, day: Int) -> Int {
    let (era, yearOfEra) = divided(month <= 2 ? year - 1 : year, by: 400)
    let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
    return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
  }
}
