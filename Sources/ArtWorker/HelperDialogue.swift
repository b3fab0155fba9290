// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtSystem

/// What is to be done about what a helper program said.
enum DialogueEffect<News: Sendable> {
  case nothing
  /// Send the request.
  case ask
  /// Tell whoever waits.
  case tell(News)
  /// So many raw bytes come next.
  case take(Int)
  /// Kill it.
  case kill
}

extension DialogueEffect: Equatable where News: Equatable {}

/// What this program and a helper program say to each other about one request, as a machine without time and processes.
protocol HelperDialogue: Sendable {
  /// What is told while it goes on.
  associatedtype News: Sendable
  /// What the request comes to.
  associatedtype Answer: Sendable
  /// Why it comes to nothing.
  associatedtype Failure: Error

  /// Hears a line.
  mutating func heard(line: [UInt8]) -> DialogueEffect<News>
  /// Hears raw bytes, as many as it had taken.
  mutating func heard(bytes: [UInt8]) -> DialogueEffect<News>
  /// What it came to, by how the program ended.
  func outcome(of end: HelperEnd) -> Result<Answer, Failure>
  /// What it came to when the program was killed because its time was up.
  func outcome(after deadline: Duration) -> Failure

  /// Somebody gave it up.
  static var cancelled: Failure { get }
  /// The program is not there, or cannot be started.
  static func failed(_ error: ArtError) -> Failure
}

extension HelperEnd {
  /// Whether what was said before it counts. Where this process ignores SIGCHLD nobody knows how it ended.
  var isGood: Bool { !isCutOff && [.exit(0), .exit(-1)].contains(cause) }

  /// Whether the program ended because it could get no more memory, by the words of those that end it then: GLib and Swift's
  /// runtime, and that of C++.
  var lacksMemory: Bool {
    guard case .signal = cause else { return false }
    return errors.contains("failed to allocate") || errors.contains("std::bad_alloc")
  }
}

extension WorkerReply {
  /// Reads a line.
  init(line: [UInt8]) throws(ArtError) {
    self = try line.withUnsafeBufferPointer { (bytes) throws(ArtError) in
      try JSONReader.read(bytes) { (reader) throws(ArtError) in try WorkerReply(from: &reader) }
    }
  }

  /// What it is called in an error.
  var name: String {
    switch self {
    case .hello: "hello"
    case .progress: "progress"
    case .body: "body"
    case .picture: "picture"
    case .refused: "refusal"
    case .part: "part"
    case .drawn: "drawn"
    case .notDrawn: "refusal to draw"
    case .sandbox: "sandbox"
    }
  }
}
