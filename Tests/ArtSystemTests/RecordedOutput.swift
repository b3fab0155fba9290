// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtSystem
import Dispatch
import Synchronization
import TestSupport
import Testing

/// The output of a worker, recorded for a test that waits for it.
final class RecordedOutput: Sendable {
  private struct Recording {
    var lines: [[UInt8]] = []
    var read = 0
    var end: HelperEnd?
    var afterEnd = 0
  }

  private let recording = Mutex(Recording())
  private let arrivals = DispatchSemaphore(value: 0)

  /// For `onLine`.
  func line(_ bytes: [UInt8]) {
    recording.withLock {
      $0.lines.append(bytes)
      if $0.end != nil { $0.afterEnd += 1 }
    }
    arrivals.signal()
  }

  /// For `onEnd`.
  func end(_ end: HelperEnd) {
    recording.withLock {
      if $0.end != nil { $0.afterEnd += 1 }
      $0.end = end
    }
    arrivals.signal()
  }

  /// All lines so far.
  var lines: [String] { recording.withLock { $0.lines.map { String(decoding: $0, as: UTF8.self) } } }

  /// How many lines and ends came after the end.
  var afterEnd: Int { recording.withLock { $0.afterEnd } }

  /// The next line; fails the test if the worker has ended.
  func next(_ location: SourceLocation = #_sourceLocation) throws -> String {
    String(decoding: try nextBytes(location), as: UTF8.self)
  }

  /// The next line as bytes.
  func nextBytes(_ location: SourceLocation = #_sourceLocation) throws -> [UInt8] {
    while true {
      let (line, ended) = recording.withLock { recording -> ([UInt8]?, Bool) in
        guard recording.read < recording.lines.count else { return (nil, recording.end != nil) }
        defer { recording.read += 1 }
        return (recording.lines[recording.read], false)
      }
      if let line { return line }
      try #require(!ended, "the worker has ended", sourceLocation: location)
      try arrivals.wait(for: "a line of a worker at \(location)")
    }
  }

  /// Waits for the end of the worker.
  func ended(_ location: SourceLocation = #_sourceLocation) throws -> HelperEnd {
    while true {
      if let end = recording.withLock({ $0.end }) { return end }
      try arrivals.wait(for: "the end of a worker at \(location)")
    }
  }
}

extension HelperLimits {
  /// Limits that no test reaches by accident.
  static let wide = HelperLimits(memory: 256 << 20, processorSeconds: nil, line: 1 << 16)
}

extension HelperProcess {
  /// Starts a program whose output is recorded.
  convenience init(
    _ path: String, _ arguments: [String], _ recorded: RecordedOutput, _ limits: HelperLimits = .wide
  )
    throws
  {
    try self.init(
      starting: HelperProgram(path: path), arguments: arguments, limits: limits,
      onLine: { recorded.line($0) }, onEnd: { recorded.end($0) })
  }

  /// Starts a shell with a script.
  static func shell(_ script: String, _ recorded: RecordedOutput, _ limits: HelperLimits = .wide) throws
    -> HelperProcess
  {
    try HelperProcess("/bin/sh", ["-c", script], recorded, limits)
  }

  /// Sends a text.
  func send(_ text: String) throws { try send(Array(text.utf8)) }
}
