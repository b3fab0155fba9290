// SPDX-License-Identifier: Apache-2.0

import ArtWorkspace
import ArtModel

/// What happened to a document since a revision that somebody has seen.
enum SinceRevision {
  /// A notice for each save; one for all where the log does not reach back, or the document is at a lower revision; none
  /// where nothing happened.
  static func notices(
    since revision: Int, in content: DocumentContent, of document: String
  ) -> [WatchNotice] {
    guard content.revision != revision else { return [] }
    guard content.revision > revision else {
      return [.behind(document, revision: content.revision, since: revision)]
    }
    var rest = content.log.drop { $0.revision <= revision }
    guard rest.first?.revision == revision + 1 else { return [.resync(document, revision: content.revision)] }
    let texts = texts(of: rest, in: content)
    var notices: [WatchNotice] = []
    while let first = rest.first {
      let save = rest.prefix { $0.save == first.save }
      rest = rest.dropFirst(save.count)
      let change = DocumentChange(
        edits: Array(save), texts: texts, revision: save.last?.revision ?? first.revision, isComplete: true)
      notices.append(.changed(document, change, isWholeAgain: false))
    }
    return notices
  }

  /// The texts of the emoji that edits are about: of those that are there, and of those that the edits know.
  private static func texts(
    of edits: some Sequence<LoggedEdit>, in content: DocumentContent
  ) -> [EmojiID: String] {
    var texts: [EmojiID: String] = [:]
    for entry in edits {
      for change in entry.inverse + entry.edit.changes {
        if case .add(let emoji) = change { texts[emoji.id] = emoji.text.string }
        if let id = change.field.emoji, let emoji = content.emoji(id) { texts[id] = emoji.text.string }
      }
    }
    return texts
  }
}
