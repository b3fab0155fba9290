// SPDX-License-Identifier: Apache-2.0

import ArtDocument
import ArtModel
import ArtProtocol
import ArtWorkspace

/// Requests and answers as JSON Lines: those of `ArtProtocol`.
struct JSONForm: StreamForm {
  private var input = StreamLineReader()
  private var json = JSONWriter(reserving: 1 << 18, urls: .shown)
  /// Whether every answer says that nothing is kept before the end.
  private let isPending: Bool
  /// Whether a document that is shown has what effects are applied to.
  private let isFollowed: Bool

  init(isPending: Bool, isFollowed: Bool) { (self.isPending, self.isFollowed) = (isPending, isFollowed) }

  mutating func take() throws(ArtError) -> [StreamLine]? { try input.take(StreamLine.init(json:)) }

  mutating func done(_ answer: DocumentAnswer, of line: StreamLine) throws(ArtError) {
    guard case .edit(let request) = line.request else { return }
    try respond(
      ProtocolAnswer.Outcome(
        answer, to: request, isAboutSeveral: line.isAboutSeveral, isPending: isPending), to: line)
  }

  mutating func saved(revision: Int, unsaved: Int, of line: StreamLine) throws(ArtError) {
    try respond(.saved(revision: revision, unsaved: unsaved), to: line)
  }

  mutating func fetching(_ what: String, of line: StreamLine) throws(ArtError) {
    try respond(.fetching(what), to: line)
  }

  mutating func edited(unsaved: Int, of line: StreamLine) throws(ArtError) {
    try respond(.edited(ProtocolAnswer.Edited(unsaved: unsaved, isPending: isPending)), to: line)
  }

  mutating func show(_ snapshot: DocumentSnapshot, unsaved: Int, of line: StreamLine) throws(ArtError) {
    try respond(.shown(Shown(snapshot, unsaved: unsaved, hasZ: isFollowed)), to: line)
  }

  /// No line of JSON asks for it.
  func help(_ text: String) {}

  mutating func failed(_ error: ArtError, _ line: StreamLine) throws(ArtError) {
    try respond(.failed(error), to: line)
  }

  private mutating func respond(_ outcome: ProtocolAnswer.Outcome, to line: StreamLine) throws(ArtError) {
    try ProtocolAnswer(outcome, tag: line.tag).write(to: &json) { (piece) throws(ArtError) in
      try Output.writeAnswers(piece)
    }
    json.endLine()
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

  static func news(of event: DocumentEvent) -> [UInt8] { ProtocolEvent(event).line }

  static func news(of event: LifeCycleEvent) -> [UInt8] { ProtocolEvent.lifeCycle(event).line }

  static func news(of event: DocumentWatch.Event) -> [UInt8] { ProtocolEvent(event).line }

  static func tell(_ event: DocumentBackgrounds.Event, by outbox: Outbox) {
    outbox.put(ProtocolEvent(event).line)
  }
}

extension StreamLine {
  /// Reads a line of JSON; nil for a line of blanks.
  fileprivate init?(json: UnsafeBufferPointer<UInt8>) {
    do throws(ProtocolRequest.Unreadable) {
      guard let request = try ProtocolRequest(json) else { return nil }
      self.init(
        request: Request(request), tag: request.tag, since: request.since,
        isAboutSeveral: request.isAboutSeveral)
    } catch {
      self.init(request: .bad(error.error), tag: error.tag)
    }
  }
}

extension StreamLine.Request {
  fileprivate init(_ request: ProtocolRequest) {
    switch request.body {
    case .action(let action): self = .edit(.action(action))
    case .undo(let count): self = .edit(.undo(count))
    case .redo(let count): self = .edit(.redo(count))
    case .save: self = .save
    case .show: self = .show
    case .background(let background): self = .background(.request(background))
    }
  }
}

extension Output {
  /// Writes at once. Throws `brokenPipe` when nobody reads.
  static func writeAnswers(_ bytes: [UInt8]) throws(ArtError) {
    if let number = write(bytes[...], to: 1) { throw .notWritten(to: "stdout", number) }
  }
}
