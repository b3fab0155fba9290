// SPDX-License-Identifier: Apache-2.0

import ArtDocument
import ArtModel
import Glibc

/// How the lines of a stream are read and answered: as JSON, or in the words of the commands.
protocol StreamForm: SendableMetatype {
  /// What a line asks for; nil for one that is passed over.
  mutating func read(_ line: UnsafeBufferPointer<UInt8>) -> StreamLine?

  /// An edit, an undo or a redo was done.
  mutating func done(_ answer: DocumentAnswer, of line: StreamLine) throws(ArtError)
  /// The document was saved.
  mutating func saved(revision: Int, unsaved: Int, of line: StreamLine) throws(ArtError)
  /// The document as it is.
  mutating func show(_ content: DocumentContent, unsaved: Int, of line: StreamLine) throws(ArtError)
  /// Tells how a word is used.
  mutating func help(_ word: String) throws(ArtError)
  /// What the line asked for came to nothing.
  mutating func failed(_ error: ArtError, _ line: StreamLine) throws(ArtError)

  /// Bytes of answers that wait to be written.
  var size: Int { get }
  /// Writes the answers, and then what happened, which `news` tells in lines.
  mutating func write(with news: [UInt8]) throws(ArtError)

  /// What happened to the document, in whole lines; nothing where it is not worth telling.
  static func news(of event: DocumentEvent) -> [UInt8]
  /// A turn in the program's life.
  static func news(of event: LifeCycleEvent) -> [UInt8]
}

/// A line of the input, and what its answer needs to know of it.
struct StreamLine {
  /// What it asks for.
  var request: Request
  /// The caller's own mark, JSON text; empty where there is none.
  var tag: [UInt8] = []
  /// Whether it may be about any number of emoji.
  var isAboutSeveral = false
  /// How an emoji that it is about is told in words.
  var words: ((Emoji) -> String)?

  enum Request {
    case edit(DocumentRequest)
    case save
    case show
    case history
    case help(String)
    case quit
    /// The line cannot be read.
    case bad(ArtError)
  }
}

extension ArtError {
  /// Nobody reads what is written.
  static let brokenPipe = streamOutput(EPIPE)

  static func streamOutput(_ number: Int32) -> ArtError {
    ArtError(.inputOutput, "cannot write the answers to stdout: \(String(cString: strerror(number)))")
  }

  static func streamInput() -> ArtError {
    ArtError(.inputOutput, "cannot read the lines from stdin: \(String(cString: strerror(errno)))")
  }

  static func lineTooLong() -> ArtError {
    ArtError(.tooLarge, "a line of more than \(LineSplitter.limit) bytes; it was passed over")
  }
}
