// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

/// A system call that strace can tamper with, by its number among the calls of its name in its thread.
struct SystemCall: CustomStringConvertible {
  let name: String
  let number: Int
  /// Whether it changes files.
  let isWriting: Bool
  /// The number of calls that change files and ended before it.
  let written: Int
  /// The line of strace.
  let text: String
  var description: String { "\(name) \(number), \(text.prefix(160))" }
}

extension [SystemCall] {
  /// Those from the first one about a folder on.
  func from(_ folder: String) -> [SystemCall] {
    Array(drop { $0.name == "execve" || !$0.text.contains(folder) })
  }
}

/// Expects that each outcome occurred in a smoke test. The parts of a campaign are added up by `scripts/dev torture`, which has the least
/// of each.
func expectEach(
  _ outcomes: [String: Int], _ campaign: Campaign, sourceLocation: SourceLocation = #_sourceLocation
) {
  guard !campaign.isRunning else { return }
  let missing = outcomes.filter { $0.value == 0 }.keys.sorted()
  #expect(missing == [], "\(campaign.name) has outcomes that do not occur", sourceLocation: sourceLocation)
}

/// The trace of a run.
struct CallTrace {
  /// The calls in order. Of calls in several threads with the same name and number, only the first.
  private(set) var calls: [SystemCall] = []
  /// The number of calls that change files and have ended.
  private(set) var written = 0
  /// The number of calls in all threads.
  var count: Int { counts.values.reduce(0, +) }
  /// The calls that strace made fail.
  private(set) var injected: [String] = []
  /// The exit status; nil when the program was killed, or strace does not print it.
  private(set) var status: Int32?
  private var counts: [String: Int] = [:]
  /// Calls that have begun, by thread.
  private var pending: [Substring: Bool] = [:]

  init(_ path: String) throws {
    var seen: Set<String> = []
    for line in try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n") {
      let thread = line.prefix { $0 != " " }
      let text = line.dropFirst(thread.count).drop { $0 == " " }
      if text.contains("(INJECTED") { injected.append(String(text)) }
      if text.hasPrefix("+++ exited with ") { status = Int32(text.dropFirst(16).prefix { $0.isNumber }) }
      guard let call = take(text, of: thread), seen.insert("\(call.name) \(call.number)").inserted else {
        continue
      }
      calls.append(call)
    }
  }

  private mutating func take(_ text: Substring, of thread: Substring) -> SystemCall? {
    if text.hasPrefix("<...") {
      if pending.removeValue(forKey: thread) == true, Self.isDone(text) { written += 1 }
      return nil
    }
    let name = text.prefix { $0 != "(" }
    guard !name.isEmpty, name.allSatisfy({ $0.isLetter || $0.isNumber || $0 == "_" }) else { return nil }
    let isWriting = Self.isWriting(name, text)
    let before = written
    if text.hasSuffix("<unfinished ...>") {
      pending[thread] = isWriting
    } else if isWriting, Self.isDone(text) {
      written += 1
    }
    let count = (counts["\(thread) \(name)"] ?? 0) + 1
    counts["\(thread) \(name)"] = count
    return SystemCall(
      name: String(name), number: count, isWriting: isWriting, written: before, text: String(text))
  }

  private static let writing: Set<Substring> = [
    "write", "pwrite64", "ftruncate", "fsync", "fdatasync", "unlink", "rename", "linkat", "fchown", "fchmod",
    "mkdir",
  ]

  private static func isWriting(_ name: Substring, _ text: Substring) -> Bool {
    writing.contains(name) || name.hasPrefix("openat") && text.contains("O_CREAT")
  }

  private static func isDone(_ text: Substring) -> Bool {
    guard let result = text.range(of: #"\) *= "#, options: [.regularExpression, .backwards]) else {
      return false
    }
    return !text[result.upperBound...].hasPrefix("-1") && !text[result.upperBound...].hasPrefix("?")
  }
}
