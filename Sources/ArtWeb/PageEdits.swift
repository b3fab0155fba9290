// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtProtocol
import ArtWorkspace

extension PageMessage {
  /// The request to the open document; nil for what a document does not do by itself.
  var documentRequest: DocumentRequest? {
    switch body {
    case .edit(let edit): .edit(edit)
    case .takeBack(let edit): .takeBack(edit)
    case .backTo(let revision, let head): .revert(to: revision, head: head)
    case .request(let request): request.documentRequest
    default: nil
    }
  }

  /// The answer in the form of the request.
  func outcome(_ answer: DocumentAnswer) -> ProtocolAnswer.Outcome {
    switch body {
    case .request(let request): ProtocolAnswer.Outcome(answer, to: request)
    case .takeBack:
      .stepped(
        ProtocolAnswer.Stepped(
          answer.entries.map(\.title), lost: answer.lost.count, unsaved: answer.unsaved,
          isRepeated: answer.isRepeated))
    default: .edited(ProtocolAnswer.Edited(unsaved: answer.unsaved, isRepeated: answer.isRepeated))
    }
  }

  /// The error for a caption whose box the page made up: only copies of captions that were measured are taken.
  func falseBox(in content: DocumentContent) -> ArtError? {
    guard case .edit(let edit) = body else { return nil }
    let texts = edit.changes.compactMap(\.caption)
    guard !texts.isEmpty else { return nil }
    var known = Set(content.unorderedEmojis.lazy.map(\.text).filter(\.isCaption))
    for entry in content.log {
      for change in entry.edit.changes { if let text = change.caption { known.insert(text) } }
      for change in entry.inverse { if let text = change.caption { known.insert(text) } }
    }
    guard texts.allSatisfy(known.contains) else {
      return ArtError(.badValue, "a caption whose words were not measured; ask for caption or setText")
    }
    return nil
  }
}

extension Change {
  /// The caption that the change puts into the document; nil for all else.
  fileprivate var caption: EmojiText? {
    switch self {
    case .add(let emoji): emoji.text.isCaption ? emoji.text : nil
    case .set(_, .text(let text)): text.isCaption ? text : nil
    default: nil
    }
  }
}
