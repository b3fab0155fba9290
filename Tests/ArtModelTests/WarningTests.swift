// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import ArtModel

@Suite("Whether a refused background is warned about")
struct WarningTests {
  struct Row: CustomTestStringConvertible {
    var choice: WarningChoice?
    var isStopped: Bool
    var wasShown: Bool
    var isAskedAgain: Bool
    let decision: WarningDecision

    init(_ choice: WarningChoice?, stopped: Bool, told: Bool, again: Bool, _ decision: WarningDecision) {
      self.choice = choice
      isStopped = stopped
      wasShown = told
      isAskedAgain = again
      self.decision = decision
    }

    var testDescription: String {
      "\(choice?.rawValue ?? "nothing said"), stopped \(isStopped), told \(wasShown), again \(isAskedAgain)"
    }
  }

  /// What stands first decides; a row says nothing of what stands behind it.
  static let rows: [Row] =
    all { again, stopped, told in Row(.never, stopped: stopped, told: told, again: again, .silent) }
    + all { again, stopped, told in
      Row(.always, stopped: stopped, told: told, again: again, .shown(asks: false))
    }
    + [WarningChoice.once, nil].flatMap { choice in
      [
        Row(choice, stopped: false, told: false, again: true, .shown(asks: true)),
        Row(choice, stopped: false, told: true, again: true, .shown(asks: true)),
        Row(choice, stopped: true, told: false, again: true, .shown(asks: false)),
        Row(choice, stopped: true, told: true, again: true, .shown(asks: false)),
        Row(choice, stopped: true, told: false, again: false, .silent),
        Row(choice, stopped: true, told: true, again: false, .silent),
        Row(choice, stopped: false, told: true, again: false, .silent),
        Row(choice, stopped: false, told: false, again: false, .shown(asks: true)),
      ]
    }

  private static func all(_ row: (Bool, Bool, Bool) -> Row) -> [Row] {
    (0..<8).map { row($0 & 4 != 0, $0 & 2 != 0, $0 & 1 != 0) }
  }

  @Test(
    "B22 a warning is silent with never, told with always, told again to whoever tries again, silent when it was stopped, else told once",
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
