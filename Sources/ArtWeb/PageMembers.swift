// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtWorkspace

// The members of the messages to a page. Each function writes one member as JSON.

extension JSONWriter {
  /// The last edits of a document, the newest first, as a client sees them.
  mutating func history(of content: DocumentContent, last count: Int, for client: DocumentClient) {
    var reverted: Set<EditID> = []
    key("history")
    array { json in
      for entry in content.log.suffix(count).reversed() {
        let stands = !reverted.contains(entry.id)
        if stands, let id = entry.kind.revertedID { reverted.insert(id) }
        json.object { json in
          json.key("by")
          json.string(entry.author ?? entry.id.origin.description)
          json.key("id")
          json.string(entry.id.description)
          json.key("isMine")
          json.boolean(entry.session == client.session)
          json.key("isStep")
          json.boolean(entry.kind.isStep)
          json.key("isUndone")
          json.boolean(!stands)
          json.key("revision")
          json.integer(entry.revision)
          json.key("time")
          json.integer(entry.time)
          json.key("what")
          json.string(entry.title)
        }
      }
    }
  }

  /// Emoji that a search has found. The font lacks the skin tones of those in `untoned`.
  mutating func found(_ emojis: [NamedEmoji], untoned: Set<String>) {
    key("found")
    array { json in
      for emoji in emojis {
        json.object { json in
          json.key("name")
          json.string(emoji.name)
          json.key("text")
          json.string(emoji.emoji)
          if untoned.contains(emoji.emoji) {
            json.key("untoned")
            json.boolean(true)
          }
        }
      }
    }
  }

  /// The names of emoji in a language; null for a text that has none.
  mutating func names(of texts: [String], in language: EmojiLanguage) {
    key("names")
    array { json in for text in texts { json.string(orNull: EmojiSearch.name(of: text, in: language)) } }
  }

  /// The user's palettes, and the emoji that were added last.
  mutating func palettes(_ palettes: Palettes) {
    key("palettes")
    array { json in
      for palette in palettes.all {
        json.object { json in
          json.key("emoji")
          json.array { json in for text in palette.emojis { json.string(text.string) } }
          json.key("name")
          json.string(palette.name.description)
        }
      }
    }
    key("recent")
    array { json in for text in palettes.recent { json.string(text.string) } }
  }

  /// The conflict copies of the open document that wait for somebody to ask for their merge.
  mutating func copies(_ paths: [String]) {
    key("copies")
    array { json in for path in paths { json.string(path) } }
  }

  /// How many edits of copies were merged into a document, and in how many places both had changed the same.
  mutating func merged(edits: Int, conflicts: Int) {
    key("merged")
    object { json in
      json.key("conflicts")
      json.integer(conflicts)
      json.key("edits")
      json.integer(edits)
    }
  }

  /// Which edits of killed programs were restored when a document was opened, and which could not be.
  mutating func restored(_ outcomes: [RecoveryOutcome]) {
    key("restored")
    array { json in
      for outcome in outcomes {
        json.object { json in
          switch outcome {
          case .restored(let report):
            json.key("edits")
            json.integer(report.edits)
            json.key("modified")
            json.integer(report.modified)
          case .kept(let error):
            json.key("kept")
            json.string(error.cause)
          }
        }
      }
    }
  }

  /// The warning of a background that was refused, and whether it has a question.
  mutating func warning(_ warning: RefusalWarning) {
    key("warning")
    object { json in
      json.key("detail")
      json.string(warning.refusal.detail)
      json.key("question")
      json.boolean(warning.question != nil)
      json.key("reason")
      json.string(warning.refusal.reason.rawValue)
    }
  }

  /// How much of a background has come.
  mutating func fetched(_ progress: FetchProgress) {
    key("fetched")
    object { json in
      json.key("bytes")
      json.integer(progress.received)
      if let total = progress.total {
        json.key("of")
        json.integer(total)
      }
    }
  }

  /// What undo and redo would revert; null where there is nothing.
  mutating func can(_ names: UndoNames) {
    key("can")
    object { json in
      json.key("redo")
      json.string(orNull: names.redo)
      json.key("undo")
      json.string(orNull: names.undo)
    }
  }

  /// Why a request failed: the members of an error.
  mutating func error(_ error: ArtError) {
    key("code")
    string(error.code.rawValue)
    key("message")
    string(error.cause)
  }

  /// A text, or null.
  mutating func string(orNull text: String?) {
    if let text { string(text) } else { null() }
  }
}

/// What a client's next undo and redo would revert.
struct UndoNames: Equatable {
  var undo: String?
  var redo: String?

  init() {}

  /// Throws what reading the log throws.
  init(in content: DocumentContent, by client: DocumentClient) throws(ArtError) {
    guard let session = client.session else { return }
    undo = try UndoPlan.undo(in: content, by: .session(session))?.name
    redo = try UndoPlan.redo(in: content, by: .session(session))?.name
  }
}
