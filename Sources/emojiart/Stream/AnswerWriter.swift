// SPDX-License-Identifier: Apache-2.0

import ArtDocument
import ArtModel

/// Answers as JSON Lines.
struct AnswerWriter {
  private(set) var json = JSONWriter(reserving: 1 << 17)
  /// Whether every answer says that nothing is kept before the end.
  let isPending: Bool

  init(isPending: Bool) { self.isPending = isPending }

  mutating func removeAll() { json.removeAll() }

  /// Whole lines of JSON.
  mutating func append(_ lines: [UInt8]) {
    guard !lines.isEmpty else { return }
    json.verbatim(lines.dropLast())
    json.endLine()
  }

  /// An edit's answer.
  mutating func ok(_ answer: DocumentAnswer, to line: StreamLine) {
    respond(to: line) { (json, isPending) in
      if case .edit(.action) = line.request {
        if line.isAboutSeveral {
          json.key("ids")
          json.array { json in for emoji in answer.emojis { json.string(emoji.id.description) } }
        } else if let emoji = answer.emojis.first {
          json.key("id")
          json.string(emoji.id.description)
        }
      } else {
        json.key("done")
        json.array { json in for entry in answer.entries { json.string(entry.title) } }
        let left = answer.entries.reduce(0) { $0 + $1.dropped.count }
        if left > 0 {
          json.key("left")
          json.integer(left)
        }
      }
      if isPending {
        json.key("pending")
        json.boolean(true)
      }
      json.key("unsaved")
      json.integer(answer.unsaved)
    }
  }

  /// The answer to `save`, after it.
  mutating func saved(revision: Int, unsaved: Int, to line: StreamLine) {
    respond(to: line) { json, _ in
      json.key("revision")
      json.integer(revision)
      json.key("unsaved")
      json.integer(unsaved)
    }
  }

  /// The answer to `show`; `sink` is handed what comes before the last piece.
  mutating func show(
    _ content: DocumentContent, unsaved: Int, to line: StreamLine,
    emptying sink: ([UInt8]) throws(ArtError) -> Void
  ) throws(ArtError) {
    try json.object { (json) throws(ArtError) in
      json.key("ok")
      try json.object { (json) throws(ArtError) in
        json.key("document")
        try content.write(to: &json, emptying: sink)
        json.key("unsaved")
        json.integer(unsaved)
      }
      Self.tag(line, &json)
    }
    json.endLine()
  }

  /// The answer to a line that came to nothing.
  mutating func failure(_ error: ArtError, to line: StreamLine) {
    json.object { json in
      json.key("error")
      json.object { json in
        json.key("code")
        json.string(error.code.rawValue)
        json.key("message")
        json.string(error.message)
      }
      Self.tag(line, &json)
    }
    json.endLine()
  }

  private mutating func respond(to line: StreamLine, _ members: (inout JSONWriter, Bool) -> Void) {
    json.object { json in
      json.key("ok")
      json.object { members(&$0, isPending) }
      Self.tag(line, &json)
    }
    json.endLine()
  }

  private static func tag(_ line: StreamLine, _ json: inout JSONWriter) {
    guard !line.tag.isEmpty else { return }
    json.key("tag")
    json.verbatim(line.tag)
  }
}
