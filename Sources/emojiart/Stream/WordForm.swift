// SPDX-License-Identifier: Apache-2.0

import ArtDocument
import ArtModel
import ArtProtocol
import ArtWorkspace

/// The words of the commands, without `emojiart` and the document; the answers are what the commands print. Errors are
/// lines on stderr.
struct WordForm: StreamForm {
  private let path: String
  private var input = StreamLineReader()

  /// `path` is what the document is called.
  init(path: String) { self.path = path }

  mutating func take() throws(ArtError) -> [StreamLine]? { try input.take(StreamLine.init(words:)) }

  mutating func done(_ answer: DocumentAnswer, of line: StreamLine) throws(ArtError) {
    let direction: (UndoDirection, Int)? =
      switch line.request {
      case .edit(.undo(let count)): (.undo, count)
      case .edit(.redo(let count)): (.redo, count)
      default: nil
      }
    if let (direction, count) = direction {
      let notes =
        direction.notes(done: answer.entries.count, of: count, left: answer.left)
        + answer.lost.map { UndoRun.LostBackground($0, pending: answer.pending) }.map {
          $0.background.lossWords(isPending: $0.isPending)
        }
      if !notes.isEmpty { try Output.flush() }
      for note in notes { Output.complain(note) }
      for entry in answer.entries { try Output.line(safe(entry.title)) }
    } else if let words = line.words {
      for emoji in answer.emojis { try Output.line(words(emoji)) }
    }
  }

  mutating func saved(revision: Int, unsaved: Int, of line: StreamLine) throws(ArtError) {
    try Output.line("saved: revision \(revision)")
  }

  mutating func fetching(_ what: String, of line: StreamLine) throws(ArtError) {
    try Output.line("fetching \(safe(what))")
  }

  mutating func edited(unsaved: Int, of line: StreamLine) {}

  mutating func show(_ snapshot: DocumentSnapshot, unsaved: Int, of line: StreamLine) throws(ArtError) {
    if case .history = line.request { return try History.write(snapshot.content.log.reversed()) }
    try Show.write(snapshot.content, of: path)
  }

  mutating func help(_ text: String) throws(ArtError) { try Output.line(text) }

  mutating func failed(_ error: ArtError, _ line: StreamLine) throws(ArtError) {
    try Output.flush()
    Output.complain(error.message)
  }

  /// What is gathered is written by itself.
  var size: Int { 0 }

  mutating func write(_ late: [UInt8], with news: [UInt8]) throws(ArtError) {
    try Output.write(late)
    try Output.flush()
    if !news.isEmpty { Output.writeError(String(decoding: news, as: UTF8.self)) }
  }

  /// What did not go as the person who types expects.
  static func news(of event: DocumentEvent) -> [UInt8] {
    switch event {
    case .state(.error(let error)): line("not saved: \(error.message)")
    case .dropped, .renamed: line(StreamNews.text(of: event))
    case .state, .saved, .changed, .resync: []
    }
  }

  static func news(of event: LifeCycleEvent) -> [UInt8] { [] }

  static func news(of event: DocumentWatch.Event) -> [UInt8] { line(StreamNews.text(of: event)) }

  static func tell(_ event: DocumentBackgrounds.Event, by outbox: Outbox) {
    switch event.outcome {
    case .set where event.isRequested: outbox.putLate(Array("\(safe(StreamNews.text(of: event)))\n".utf8))
    case .failed: outbox.put(line(StreamNews.text(of: event)))
    case .set, .rejected: break
    }
  }

  private static func line(_ text: String) -> [UInt8] { Array("emojiart: \(safe(text))\n".utf8) }
}

extension DocumentAnswer {
  /// What is pending by these edits.
  fileprivate var pending: PendingBackground? {
    for entry in entries.reversed() {
      for case .setPending(let pending) in entry.edit.changes.reversed() { return pending }
    }
    return nil
  }
}
