// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import ArtModel

@Suite("Warnings of a refused background")
struct WarningTests {
  struct Row: CustomTestStringConvertible {
    var choice: WarningChoice?
    var isStopped: Bool
    var wasShown: Bool
    var isAskedAgain: Bool
    let decision: WarningDecision

    init(_ choice: WarningChoice?, stopped: Bool, shown: Bool, again: Bool, _ decision: WarningDecision) {
      self.choice = choice
      isStopped = stopped
      wasShown = shown
      isAskedAgain = again
      self.decision = decision
    }

    var testDescription: String {
      "\(choice?.rawValue ?? "no choice"), stopped \(isStopped), shown \(wasShown), again \(isAskedAgain)"
    }
  }

  /// The first condition that holds decides; a row does not depend on the conditions after it.
  static let rows: [Row] =
    all { again, stopped, shown in Row(.never, stopped: stopped, shown: shown, again: again, .silent) }
    + all { again, stopped, shown in
      Row(.always, stopped: stopped, shown: shown, again: again, .shown(asks: false))
    }
    + [WarningChoice.once, nil].flatMap { choice in
      [
        Row(choice, stopped: false, shown: false, again: true, .shown(asks: true)),
        Row(choice, stopped: false, shown: true, again: true, .shown(asks: true)),
        Row(choice, stopped: true, shown: false, again: true, .shown(asks: false)),
        Row(choice, stopped: true, shown: true, again: true, .shown(asks: false)),
        Row(choice, stopped: true, shown: false, again: false, .silent),
        Row(choice, stopped: true, shown: true, again: false, .silent),
        Row(choice, stopped: false, shown: true, again: false, .silent),
        Row(choice, stopped: false, shown: false, again: false, .shown(asks: true)),
      ]
    }

  private static func all(_ row: (Bool, Bool, Bool) -> Row) -> [Row] {
    (0..<8).map { row($0 & 4 != 0, $0 & 2 != 0, $0 & 1 != 0) }
  }

  @Test(
    "B22 a warning is silent with never, shown with always and for a repeated request, silent when it was stopped, and else shown once",
    arguments: rows)
  func decide(_ row: Row) {
    var record = WarningRecord()
    record.isStopped = row.isStopped
    record.wasShown = row.wasShown
    #expect(WarningDecision.decide(row.choice, record, isAskedAgain: row.isAskedAgain) == row.decision)
  }

  @Test("B22 the table has every case once")
  func complete() {
    let cases = Set(
      Self.rows.map { "\($0.choice?.rawValue ?? "-") \($0.isStopped) \($0.wasShown) \($0.isAskedAgain)" })
    #expect(Self.rows.count == 32 && cases.count == 32)
  }
}
