// SPDX-License-Identifier: Apache-2.0

import ArtDocument
import ArtModel
import ArtWorkspace

/// Requests and answers as JSON Lines.
struct JSONForm: StreamForm {
  private var input = StreamLineReader()
  private var json = JSONWriter(reserving: 1 << 18, urls: .shown)
  /// Whether every answer says that nothing is kept before the end.
  private let isPending: Bool

  init(isPending: Bool) { self.isPending = isPending }

  mutating func take() throws(ArtError) -> [StreamLine]? { try input.take(StreamLine.init(json:)) }

  mutating func done(_ answer: DocumentAnswer, of line: StreamLine) {
    let isPending = isPending
    respond(to: line) { (json) in
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
        let left = answer.left
        if left > 0 {
          json.key("left")
          json.integer(left)
        }
        if !answer.lost.isEmpty {
          json.key("lost")
          json.integer(answer.lost.count)
        }
      }
      if isPending {
        json.key("pending")
        json.boolean(true)
      }
      if answer.isRepeated {
        json.key("repeated")
        json.boolean(true)
      }
      json.key("unsaved")
      json.integer(answer.unsaved)
    }
  }

  mutating func saved(revision: Int, unsaved: Int, of line: StreamLine) {
    respond(to: line) { json in
      json.key("revision")
      json.integer(revision)
      json.key("unsaved")
      json.integer(unsaved)
    }
  }

  mutating func fetching(_ what: String, of line: StreamLine) {
    json.object { json in
      json.key("fetching")
      json.object { json in
        json.key("url")
        json.string(what)
      }
      Self.tag(line, &json)
    }
    json.endLine()
  }

  mutating func edited(unsaved: Int, of line: StreamLine) {
    let isPending = isPending
    respond(to: line) { json in
      if isPending {
        json.key("pending")
        json.boolean(true)
      }
      json.key("unsaved")
      json.integer(unsaved)
    }
  }

  mutating func show(_ snapshot: DocumentSnapshot, unsaved: Int, of line: StreamLine) throws(ArtError) {
    try respond(to: line) { (json) throws(ArtError) in
      json.key("document")
      try snapshot.content.write(to: &json) { (piece) throws(ArtError) in try Output.writeAnswers(piece) }
      json.key("saved")
      EventWriter.write(snapshot.saved, to: &json)
      json.key("unsaved")
      json.integer(unsaved)
      json.key("version")
      json.integer(snapshot.version)
    }
  }

  /// No line of JSON asks for it.
  func help(_ text: String) {}

  mutating func failed(_ error: ArtError, _ line: StreamLine) {
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

  private mutating func respond<Failure>(
    to line: StreamLine, _ members: (inout JSONWriter) throws(Failure) -> Void
  ) throws(Failure) {
    try json.object { (json) throws(Failure) in
      json.key("ok")
      try json.object(members)
      Self.tag(line, &json)
    }
    json.endLine()
  }

  private static func tag(_ line: StreamLine, _ json: inout JSONWriter) {
    guard !line.tag.isEmpty else { return }
    json.key("tag")
    json.verbatim(line.tag)
  }

  var size: Int { json.bytes.count }

  /// What was long in coming is among the news.
  mutating func write(_ late: [UInt8], with news: [UInt8]) throws(ArtError) {
    if !news.isEmpty {
      json.verbatim(news.dropLast())
      json.endLine()
    }
    defer { json.removeAll() }
    try Output.writeAnswers(json.bytes)
  }

  static func news(of event: DocumentEvent) -> [UInt8] { EventWriter.lines(event) }

  static func news(of event: LifeCycleEvent) -> [UInt8] { EventWriter.line(event) }

  static func news(of event: DocumentWatch.Event) -> [UInt8] { EventWriter.line(event) }

  static func tell(_ event: DocumentBackgrounds.Event, by outbox: Outbox) {
    outbox.put(EventWriter.line(event))
  }
}

extension DocumentAnswer {
  /// Changes that an undo or redo left out, because later edits were about the same.
  var left: Int { entries.reduce(0) { $0 + $1.dropped.count } }

  /// What is pending by these edits.
  var pending: PendingBackground? {
    for entry in entries.reversed() {
      for case .setPending(let pending) in entry.edit.changes.reversed() { return pending }
    }
    return nil
  }
}

extension Output {
  /// Writes at once. Throws `brokenPipe` when nobody reads.
  static func writeAnswers(_ bytes: [UInt8]) throws(ArtError) {
    if let number = write(bytes[...], to: 1) { throw .notWritten(to: "stdout", number) }
  }
}
