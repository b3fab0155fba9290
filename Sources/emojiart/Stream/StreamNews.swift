// SPDX-License-Identifier: Apache-2.0

import ArtDocument
import ArtModel
import ArtWorkspace

/// What happens to a document that is open, in words.
enum StreamNews {
  /// A line, or several; empty for what a prompt shows otherwise.
  static func text(of event: DocumentEvent) -> String {
    switch event {
    case .saved, .state(.open), .state(.saving), .state(.closed): ""
    case .state(.error(let error)): "not saved: \(error.message)"
    case .state(.editingDisabled(let reason)): "it can only be looked at: \(reason)"
    case .changed(let change) where change.cause.isOwn: ""
    case .changed(let change) where !change.isComplete: "others changed much; `show` shows the document"
    case .changed(let change):
      change.edits.map { "\($0.author ?? "\($0.id.origin)"): \($0.title)" }.joined(separator: "\n")
    case .dropped(_, let changes):
      changes.count == 1
        ? "1 change of yours was left out: somebody else changed the same, or removed it"
        : "\(changes.count) changes of yours were left out: somebody else changed the same, or removed it"
    case .renamed(let old, let new): "\(old) is now \(new): somebody else had added an emoji by that id"
    case .resync: "much happened meanwhile; `show` shows the document"
    }
  }

  /// A line.
  static func text(of event: DocumentWatch.Event) -> String {
    switch event {
    case .degraded(let reason): "others' edits are heard of every two seconds: \(reason)"
    case .watching: "others' edits are heard of at once again"
    }
  }

  /// A line; what became of a background.
  static func text(of event: DocumentBackgrounds.Event) -> String {
    switch event.outcome {
    case .set(let background, _):
      "background set: \(background.mediaType), \(background.size.width)x\(background.size.height)"
    case .rejected(let refusal): ArtError.refused(refusal).message
    case .failed(let error): "no background: \(error.message)"
    }
  }
}
