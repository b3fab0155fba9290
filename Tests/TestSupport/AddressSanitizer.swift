// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The address sanitizer, with which `scripts/dev sanitize` compiles what is C.
///
/// Its shadow memory takes more than any limit, and it makes calls that the sandbox of a drawing forbids.
package enum AddressSanitizer {
  private static let isOn = dlsym(nil, "__asan_init") != nil

  /// Whether it keeps a test from being run; says what is not tried then.
  package static func prevents(_ what: String) -> Bool {
    if isOn { Skip("address sanitizer")(what) }
    return isOn
  }

  /// The words of `prlimit`, before those of the program, that limit its address space where that is possible.
  package static func limit(mebibytes: Int) -> [String] {
    (isOn ? [] : ["--as=\(mebibytes << 20)"]) + ["--core=0", "--"]
  }
}
