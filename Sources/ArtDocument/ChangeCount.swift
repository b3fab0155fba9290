// SPDX-License-Identifier: Apache-2.0

/// How a change came about, as UIDocument counts them.
enum ChangeKind {
  /// An edit was made.
  case done
  /// An edit was taken back.
  case undone
  /// An edit was made again.
  case redone
  /// All changes are as good as saved.
  case cleared
}

/// The changes made until some moment. A save takes one at its start: changes made while it runs are not among them.
public struct SaveToken: Sendable, Hashable {
  fileprivate let made: Int

  /// Whether these changes are among the other's, too.
  func isCovered(by other: SaveToken) -> Bool { made <= other.made }
}

/// How many changes a document has seen, and how many of them are saved.
struct ChangeCount: Equatable {
  private var made = 0
  private var saved = 0

  /// Changes that no save holds yet.
  var unsaved: Int { made - saved }

  mutating func update(_ kind: ChangeKind) {
    switch kind {
    case .done, .undone, .redone: made += 1
    case .cleared: saved = made
    }
  }

  /// The changes until now.
  var token: SaveToken { SaveToken(made: made) }

  /// A save that holds the token's changes succeeded.
  mutating func clear(upTo token: SaveToken) { saved = max(saved, token.made) }

  /// Whether a save holds the token's changes.
  func isSaved(_ token: SaveToken) -> Bool { token.made <= saved }
}
