// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtSystem
import Dispatch
import Synchronization
import TestSupport
import Testing

/// What a worker said, kept for a test that waits for it.
final class Heard: Sendable {
  private struct Kept {
    var lines: [[UInt8]] = []
    var read = 0
    var end: HelperEnd?
    var afterEnd = 0
  }

  private let kept = Mutex(Kept())
  private let news = DispatchSemaphore(value: 0)

  /// For `onLine`.
  func line(_ bytes: [UInt8]) {
    kept.withLock {
      $0.lines.append(bytes)
      if $0.end != nil { $0.afterEnd += 1 }
    }
    news.signal()
  }

  /// For `onEnd`.
  func end(_ end: HelperEnd) {
    kept.withLock {
      if $0.end != nil { $0.afterEnd += 1 }
      $0.end = end
    }
    news.signal()
  }

  /// All lines so far.
  var lines: [String] { kept.withLock { $0.lines.map { String(decoding: $0, as: UTF8.self) } } }

  /// How often something came after the end.
  var afterEnd: Int { kept.withLock { $0.afterEnd } }

  /// The next line; fails the test when the worker has ended.
  func next(_ location: SourceLocation = #_sourceLocation) throws -> String {
    String(decoding: try nextBytes(location), as: UTF8.self)
  }

  /// The same with the bytes as they are.
  func nextBytes(_ location: SourceLocation = #_sourceLocation) throws -> [UInt8] {
    while true {
      let (line, ended) = kept.withLock { kept -> ([UInt8]?, Bool) in
        guard kept.read < kept.lines.count else { return (nil, kept.end != nil) }
        defer { kept.read += 1 }
        return (kept.lines[kept.read], false)
      }
      if let line { return line }
      try #require(!ended, "the worker has ended", sourceLocation: location)
      try news.wait(for: "a line of a worker at \(location)")
    }
  }

  /// How it ended.
  func ended(_ location: SourceLocation = #_sourceLocation) throws -> HelperEnd {
    while true {
      if let end = kept.withLock({ $0.end }) { return end }
      try news.wait(for: "the end of a worker at \(location)")
    }
  }
}

extension HelperLimits {
  /// Limits that no test meets by accident.
  static let wide = HelperLimits(memory: 256 << 20, processorSeconds: nil, line: 1 << 16)
}

extension HelperProcess {
  /// Starts a program whose words are kept.
  convenience init(_ path: String, _ arguments: [String], _ heard: Heard, _ limits: HelperLimits = .wide)
    throws
  {
    try self.init(
      starting: HelperProgram(path: path), arguments: arguments, limits: limits,
      onLine: { heard.line($0) }, onEnd: { heard.end($0) })
  }

  /// Starts a shell with a script.
  static func shell(_ script: String, _ heard: Heard, _ limits: HelperLimits = .wide) throws -> HelperProcess
  {
    try HelperProcess("/bin/sh", ["-c", script], heard, limits)
  }

  /// Sends text.
  func send(_ text: String) throws { try send(Array(text.utf8)) }
}
