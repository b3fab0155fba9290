// SPDX-License-Identifier: Apache-2.0

import ArtDocument
import ArtModel
import ArtStore

/// The emoji that a client added, until they are kept for the palette `recent`: with each answer to a person, or at the end,
/// because a program that adds thousands a second should not wait for this.
public struct RecentAdditions: Sendable {
  private var added: [EmojiText] = []
  private static let most = 256

  /// Nothing was added yet.
  public init() {}

  /// Takes note of an edit that was answered.
  public mutating func note(_ request: DocumentRequest) {
    guard case .action(.add(let texts, _, _)) = request, texts.count > 1 || texts.last != added.last else {
      return
    }
    added += texts
    guard added.count >= Self.most else { return }
    var recent = RecentEmoji()
    recent.add(added)
    added = recent.emojis.reversed()
  }

  /// Keeps them.
  public mutating func keep() {
    guard !added.isEmpty else { return }
    RecentStore().add(added)
    added.removeAll()
  }
}
