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

  /// The captions of an edit whose boxes the document does not know: new words, and boxes that the page made up.
  func unmeasured(in content: DocumentContent) -> [EmojiText] {
    guard case .edit(let edit) = body else { return [] }
    let texts = Set(edit.changes.compactMap(\.caption))
    guard !texts.isEmpty else { return [] }
    var known = Set(content.unorderedEmojis.lazy.map(\.text).filter(\.isCaption))
    for entry in content.log {
      for change in entry.edit.changes { if let text = change.caption { known.insert(text) } }
      for change in entry.inverse { if let text = change.caption { known.insert(text) } }
    }
    return Array(texts.subtracting(known))
  }

  /// The message with the boxes that the server has measured, in place of those of the page. Throws what measuring throws.
  func measured(_ texts: [EmojiText], by session: Session) async throws(ArtError) -> PageMessage {
    guard case .edit(var edit) = body else { return self }
    var measured: [EmojiText: EmojiText] = [:]
    for (text, result) in zip(texts, await session.measured(try texts.map(Words.init(of:)))) {
      measured[text] = try result.get()
    }
    edit.changes = edit.changes.map { change in
      guard let text = change.caption.flatMap({ measured[$0] }) else { return change }
      return change.with(text)
    }
    var message = self
    message.body = .edit(edit)
    return message
  }
}

extension Words {
  /// The words of a caption.
  fileprivate init(of caption: EmojiText) throws(ArtError) { try self.init(caption.string) }
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

  /// The same change with another text.
  fileprivate func with(_ text: EmojiText) -> Change {
    switch self {
    case .add(var emoji):
      emoji.text = text
      return .add(emoji)
    case .set(let id, .text): return .set(id, .text(text))
    default: return self
    }
  }
}
