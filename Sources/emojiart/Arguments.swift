// SPDX-License-Identifier: Apache-2.0

import CArguments

/// The words that this program was begun with, its own name first. Not `CommandLine.arguments`, which is empty where
/// /proc/self/cmdline cannot be opened.
enum Arguments {
  /// All of them. What is no UTF-8 has replacement characters in it.
  static let all: [String] = (0..<arguments_count()).map { String(cString: argument_at($0)) }

  /// The first that is no UTF-8 text, with its replacement characters.
  static var notText: String? {
    all.indices.first { index in
      all[index].unicodeScalars.contains("\u{FFFD}")
        && String(validatingCString: argument_at(Int32(index))) == nil
    }
    .map { all[$0] }
  }
}
