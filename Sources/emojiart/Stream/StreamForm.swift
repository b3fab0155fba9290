// SPDX-License-Identifier: Apache-2.0

import ArtDocument
import ArtModel
import ArtProtocol
import ArtSystem
import ArtWorkspace
import Glibc

/// How a stream is read and answered: as lines of JSON, as the commands' words, or at a prompt.
protocol StreamForm: SendableMetatype {
  /// Reads once from stdin, which has something, and gives the lines that are complete; nil at the end of the input.
  /// Throws `inputOutput`.
  mutating func take() throws(ArtError) -> [StreamLine]?
  /// Whether there are lines without more input.
  var hasLines: Bool { get }
  /// Whether stdin may be read.
  var mayRead: Bool { get }
  /// Milliseconds without input after which `wake` is to be called; -1 for never.
  var timeout: Int32 { get }
  /// Nothing came in for so long.
  mutating func wake()

  /// An edit, an undo or a redo was done.
  mutating func done(_ answer: DocumentAnswer, of line: StreamLine) throws(ArtError)
  /// The document was saved.
  mutating func saved(revision: Int, unsaved: Int, of line: StreamLine) throws(ArtError)
  /// The document as it is.
  mutating func show(_ snapshot: DocumentSnapshot, unsaved: Int, of line: StreamLine) throws(ArtError)
  /// How something is used.
  mutating func help(_ text: String) throws(ArtError)
  /// A background is being fetched, or a person's own picture looked at; what it is, for people.
  mutating func fetching(_ what: String, of line: StreamLine) throws(ArtError)
  /// The background was cleared, or is to be fetched later.
  mutating func edited(unsaved: Int, of line: StreamLine) throws(ArtError)
  /// What the line asked for came to nothing.
  mutating func failed(_ error: ArtError, _ line: StreamLine) throws(ArtError)

  /// Bytes of answers that wait to be written.
  var size: Int { get }
  /// Writes the answers, those that were long in coming, and then what happened, in whole lines.
  mutating func write(_ late: [UInt8], with news: [UInt8]) throws(ArtError)

  /// Whether `update` is wanted.
  var showsState: Bool { get }
  /// The document and its state, and how many edits no save holds; whether the terminal may have become another.
  mutating func update(
    _ document: Document, _ state: DocumentState, unsaved: Int, isTerminalNew: Bool)

  /// What happened to the document, in whole lines; nothing where it is not worth telling.
  static func news(of event: DocumentEvent) -> [UInt8]
  /// A turn in the program's life.
  static func news(of event: LifeCycleEvent) -> [UInt8]
  /// How well others' edits are heard of.
  static func news(of event: DocumentWatch.Event) -> [UInt8]
  /// What became of a background, to be put into the outbox; what is worth a warning is told by that.
  static func tell(_ event: DocumentBackgrounds.Event, by outbox: Outbox)
  /// Tells what a person should know although the work was done.
  static func notice(_ text: String, by outbox: Outbox)
}

extension StreamForm {
  mutating func write(with news: [UInt8]) throws(ArtError) { try write([], with: news) }
  var hasLines: Bool { false }
  var mayRead: Bool { true }
  var timeout: Int32 { -1 }
  func wake() {}
  static func notice(_ text: String, by outbox: Outbox) { Output.complain(text) }
  var showsState: Bool { false }
  func update(_ document: Document, _ state: DocumentState, unsaved: Int, isTerminalNew: Bool) {}
}

/// A line of the input, and what its answer needs to know of it.
struct StreamLine {
  /// What it asks for.
  var request: Request
  /// The caller's own mark.
  var tag: ProtocolTag?
  /// What the caller knew to be saved when it first asked; nil where it does not say.
  var since: KnownHead?
  /// Whether it may be about any number of emoji.
  var isAboutSeveral = false
  /// How an emoji that it is about is told in words.
  var words: ((Emoji) -> String)?

  enum Request {
    case edit(DocumentRequest)
    case save
    case show
    case history
    case background(BackgroundLine)
    /// To be answered with that.
    case help(String)
    case quit
    /// The line cannot be read.
    case bad(ArtError)
  }
}

extension StreamLineReader {
  /// Reads once from stdin. Nil at the end of the input, unless it ends with a line. Throws `inputOutput`.
  mutating func take(
    _ read: (UnsafeBufferPointer<UInt8>) -> StreamLine?
  ) throws(ArtError) -> [StreamLine]? {
    var lines: [StreamLine] = []
    let count = self.read(from: 0) { line in
      switch line {
      case .line(let bytes): if let line = read(bytes) { lines.append(line) }
      case .tooLong: lines.append(StreamLine(request: .bad(.lineTooLong())))
      }
    }
    if count < 0, errno != EINTR, errno != EAGAIN { throw .streamInput() }
    return count == 0 && lines.isEmpty ? nil : lines
  }
}

extension ArtError {
  /// Nobody reads what is written.
  static let brokenPipe = notWritten(to: "stdout", EPIPE)

  static func streamInput() -> ArtError {
    ArtError(.inputOutput, "cannot read the lines from stdin: \(SystemError.text(of: errno))")
  }

  static func lineTooLong() -> ArtError {
    ArtError(.tooLarge, "a line of more than \(StreamLineReader.limit) bytes; it was passed over")
  }
}
