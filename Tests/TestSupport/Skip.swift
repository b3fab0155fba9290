// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Why this machine cannot try something.
///
/// The only way to skip: `scripts/test` counts the lines `not tried: REASON: WHAT` by their reasons, and fails for a reason that
/// `EMOJIART_SKIPS` does not allow.
package struct Skip: Sendable {
  private let reason: String

  /// - Parameter reason: A few words without a colon, the same for everything that fails for it. What a machine lacks is
  ///   named as by `Fixtures/bin/lacks`.
  package init(_ reason: String) {
    precondition(!reason.contains(":"), "a reason has no colon")
    self.reason = reason
  }

  /// Says what is not tried.
  package func callAsFunction(_ what: String) {
    // One write of its own, so that no line of another thread or of the test runner comes between.
    fflush(nil)
    FileHandle.standardOutput.write(Data("not tried: \(reason): \(what)\n".utf8))
  }
}

/// Whether the tests run as root, who can give files away and become somebody else; says what is not tried if not.
package func isRoot(for what: String) -> Bool {
  if geteuid() == 0 { return true }
  Skip("no root")(what)
  return false
}
