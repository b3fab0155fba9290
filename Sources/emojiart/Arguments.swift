// SPDX-License-Identifier: Apache-2.0

import ArtSystem

/// The words that this program was begun with, its own name first.
enum Arguments {
  /// All of them. What is no UTF-8 has replacement characters in it.
  static let all = OwnProcess.arguments

  /// The first that is no UTF-8 text, with its replacement characters.
  static var notText: String? { OwnProcess.firstArgumentThatIsNoText.map { all[$0] } }
}
