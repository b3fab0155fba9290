// SPDX-License-Identifier: Apache-2.0

import Glibc

/// A limit on the address space of a program that is started by `prlimit`.
package enum MemoryLimit {
  /// Whether there can be one: the shadow memory of the address sanitizer takes more than any.
  package static let isPossible = dlsym(nil, "__asan_init") == nil

  /// The words of `prlimit` before those of the program.
  package static func words(mebibytes: Int) -> [String] {
    (isPossible ? ["--as=\(mebibytes << 20)"] : []) + ["--core=0", "--"]
  }

  /// Whether a test of the limit is possible; says what is not tried if not.
  package static func isPossible(for what: String) -> Bool {
    if !isPossible { Skip("address sanitizer")(what) }
    return isPossible
  }
}
