// SPDX-License-Identifier: Apache-2.0

import ArtModel

/// The changes of a document since a revision.
public enum ChangesSince {
  /// A notice for each save; a single one if the log does not reach back or the document is at a lower revision; none without
  /// changes.
  public static func notices(
    since revision: Int, in content: DocumentContent, of document: String
  ) -> [FolderNotice] {
    guard content.revision != revision else { return [] }
    guard content.revision > revision else {
      return [.behind(document, revision: content.revision, since: revision)]
    }
    let rest = content.log.drop { $0.revision <= revision }
    guard rest.first?.revision == revision + 1 else { return [.resync(document, revision: content.revision)] }
    let texts = EditTexts.of(rest, in: content)
    return Comparison.saves(Array(rest)).map { save in
      let change = DocumentChange(
        edits: save, texts: texts, revision: save.last?.revision ?? content.revision, isComplete: true)
      return .changed(document, change, isWholeAgain: false)
    }
  }
}

/// The texts of the emoji that edits refer to.
enum EditTexts {
  /// The texts in the document; for removed emoji, the last texts in the edits or the log.
  static func of(_ edits: some Sequence<LoggedEdit>, in content: DocumentContent) -> [EmojiID: String] {
    var wanted: Set<EmojiID> = []
    for edit in edits {
      for change in edit.edit.changes { if let id = change.field.emoji { wanted.insert(id) } }
    }
    var texts: [EmojiID: String] = [:]
    for id in wanted { texts[id] = content.emoji(id)?.text.label }
    guard texts.count < wanted.count else { return texts }
    for entry in content.log.reversed() {
      for case .add(let emoji) in entry.inverse where wanted.contains(emoji.id) && texts[emoji.id] == nil {
        texts[emoji.id] = emoji.text.label
      }
    }
    return texts
  }
}
