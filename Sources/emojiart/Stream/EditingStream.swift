// SPDX-License-Identifier: Apache-2.0

import ArtDocument
import ArtModel
import Glibc

/// A document that is edited by lines of JSON. One thread reads, asks the document, and writes:
///
///     stdin ──LineSplitter──▶ lines of one read ──▶ Document, one call for a run of edits ──▶ answers ──▶ stdout
///                                                   Document ──events──▶ Outbox ──between answers────────────┘
///
/// Nothing grows without bound: while stdout takes nothing, nothing is read.
struct EditingStream {
  let document: Document
  let outbox: Outbox
  let bell: Bell
  private var input = LineSplitter()
  private var answers = AnswerWriter(isPending: false)

  init(_ document: Document, _ outbox: Outbox, _ bell: Bell) {
    self.document = document
    self.outbox = outbox
    self.bell = bell
  }

  /// Reads and answers to the end of the input.
  mutating func run() throws(ArtError) {
    while true {
      var ready = [
        pollfd(fd: 0, events: Int16(POLLIN), revents: 0),
        pollfd(fd: bell.ear, events: Int16(POLLIN), revents: 0),
      ]
      guard poll(&ready, 2, -1) >= 0 || errno == EINTR else { throw .streamInput() }
      if ready[1].revents != 0 { bell.hush() }
      try flush()
      guard ready[0].revents != 0 else { continue }
      guard try take() else { return }
    }
  }

  /// Answers the lines of one read. False at the end of the input.
  private mutating func take() throws(ArtError) -> Bool {
    var lines: [StreamLine] = []
    let count = input.read(from: 0) { line in
      switch line {
      case .line(let bytes): if let line = StreamLine(json: bytes) { lines.append(line) }
      case .tooLong: lines.append(StreamLine(request: .bad(.lineTooLong())))
      }
    }
    if count < 0, errno != EINTR, errno != EAGAIN { throw .streamInput() }
    try answer(lines)
    return count != 0
  }

  private mutating func answer(_ lines: [StreamLine]) throws(ArtError) {
    var rest = lines[...]
    while let first = rest.first {
      switch first.request {
      case .save: try save(first)
      case .show: try show(first)
      case .edit, .bad:
        let run = rest.prefix { $0.isInRun }
        rest = rest.dropFirst(run.count)
        try edit(run)
        continue
      }
      rest = rest.dropFirst()
    }
    try flush()
  }

  /// Edits, and lines that are none, in one call.
  private mutating func edit(_ run: ArraySlice<StreamLine>) throws(ArtError) {
    let requests = run.compactMap { line -> DocumentRequest? in
      if case .edit(let request) = line.request { request } else { nil }
    }
    let document = document
    var results = Outcome { await document.perform(requests) }.wait().makeIterator()
    for line in run {
      switch line.request {
      case .edit:
        switch results.next() {
        case .success(let answer): answers.ok(answer, to: line)
        case .failure(let error): answers.failure(error, to: line)
        case nil: break
        }
      case .bad(let error): answers.failure(error, to: line)
      case .save, .show: break
      }
    }
  }

  private mutating func save(_ line: StreamLine) throws(ArtError) {
    try flush()
    let document = document
    let outcome = Outcome { () -> Result<(Int, Int), ArtError> in
      do throws(ArtError) {
        try await document.save()
        return .success((await document.content.revision, await document.unsavedChanges))
      } catch {
        return .failure(error)
      }
    }
    switch outcome.wait() {
    case .success(let (revision, unsaved)): answers.saved(revision: revision, unsaved: unsaved, to: line)
    case .failure(let error): answers.failure(error, to: line)
    }
  }

  private mutating func show(_ line: StreamLine) throws(ArtError) {
    let document = document
    let (content, unsaved) = Outcome { (await document.content, await document.unsavedChanges) }.wait()
    try answers.show(content, unsaved: unsaved, to: line) { (piece) throws(ArtError) in try Self.write(piece)
    }
  }

  /// Writes the answers, and what happened meanwhile behind them.
  mutating func flush() throws(ArtError) {
    let (lines, waiters) = outbox.take()
    answers.append(lines)
    defer { for waiter in waiters { waiter.signal() } }
    guard !answers.json.bytes.isEmpty else { return }
    try Self.write(answers.json.bytes)
    answers.removeAll()
  }

  private static func write(_ bytes: [UInt8]) throws(ArtError) {
    guard let number = Output.write(bytes[...], to: 1) else { return }
    throw ArtError(.inputOutput, "cannot write the answers to stdout: \(String(cString: strerror(number)))")
  }
}

extension StreamLine {
  /// Whether the line is answered together with its neighbours.
  var isInRun: Bool {
    switch request {
    case .edit, .bad: true
    case .save, .show: false
    }
  }
}

extension ArtError {
  static func streamInput() -> ArtError {
    ArtError(.inputOutput, "cannot read the lines from stdin: \(String(cString: strerror(errno)))")
  }

  static func lineTooLong() -> ArtError {
    ArtError(.tooLarge, "a line of more than \(LineSplitter.limit) bytes; it was passed over")
  }
}
