// SPDX-License-Identifier: Apache-2.0

import ArtModel
import Glibc

/// Asks for a yes on the terminal. Throws `usage` where nobody can be asked, `notPermitted` where the answer is another.
///
/// `deed` is what wants the yes, `stays` what happens without it.
func confirm(_ question: String, _ deed: String, otherwise stays: String) throws(ArtError) {
  guard isatty(0) == 1, isatty(2) == 1 else { throw ArtError(.usage, "\(deed) wants a yes: add --yes") }
  Output.writeError("\(safe(question))? Type yes: ")
  guard readLine()?.lowercased() == "yes" else {
    throw ArtError(.notPermitted, "\(stays): the answer was not yes")
  }
}
