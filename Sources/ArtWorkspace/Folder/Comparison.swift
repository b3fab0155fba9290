// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtStore

/// What is to be told when a document that was known so is found so.
///
///     known          found                         told
///     nothing        whole                         added
///     never whole    whole                         added
///     not read yet   whole                         nothing: it was there when the folder was opened
///     whole          in that state                 nothing; after trouble changed, without edits
///                    further, the log holds all    changed, for each save
///                    further than the log goes     movedOn
///                    another state of itself       changed, not complete
///                    another document              removed, added
///     whatever       unreadable                    damaged, once for each kind of trouble
struct Comparison {
  let path: String
  let known: KnownDocument?

  /// The document is whole.
  func events(finding content: DocumentContent) -> [FolderEvent] {
    guard let base = known?.base else {
      if let known, known.trouble == nil { return [] }
      return [.added(path, revision: content.revision)]
    }
    guard base.id == content.id else { return [.removed(path), .added(path, revision: content.revision)] }
    guard let change = ExternalChange(in: content, since: base, besides: nil) else {
      return known?.trouble == nil ? [] : [changed([], to: content, isComplete: true)]
    }
    guard change.isComplete else {
      let isFurther = content.revision > base.revision
      let isForgotten = content.log.first.map { $0.revision > base.revision } ?? true
      if isFurther, isForgotten { return [.movedOn(path, revision: content.revision)] }
      return [changed([], to: content, isComplete: false)]
    }
    return Self.saves(change.edits).map { changed($0, to: content, isComplete: true) }
  }

  /// The document cannot be read.
  func events(findingTrouble error: ArtError) -> [FolderEvent] {
    known?.trouble?.code == error.code ? [] : [.damaged(path, reason: error.message)]
  }

  private func changed(_ edits: [LoggedEdit], to content: DocumentContent, isComplete: Bool) -> FolderEvent {
    let revision = edits.last?.revision ?? content.revision
    return .changed(
      path,
      DocumentChange(
        edits: edits, texts: EditTexts.of(edits, in: content), revision: revision, isComplete: isComplete))
  }

  /// The edits of each save, in their order.
  static func saves(_ edits: [LoggedEdit]) -> [[LoggedEdit]] {
    var saves: [[LoggedEdit]] = []
    for edit in edits {
      if let last = saves.last?.last, last.save == edit.save {
        saves[saves.count - 1].append(edit)
      } else {
        saves.append([edit])
      }
    }
    return saves
  }
}
