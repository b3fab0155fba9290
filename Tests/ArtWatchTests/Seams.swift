// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtSystem
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import ArtWatch

/// The real helper, observed by a test: its processes, and a gate before what it writes.
final class ObservedHelper: Sendable {
  private let state = Mutex<[Int32]>([])
  private let passed = Mutex<Set<String>>([])
  let gate = Gate()

  /// The numbers of the processes that were started.
  var processes: [Int32] { state.withLock { $0 } }
  var last: Int32 { processes.last ?? 0 }

  var start: InotifyHelper.Start {
    { (program, onLine, onEnd) throws(ArtError) in
      let process = try InotifyHelper.start(
        program,
        {
          self.gate.pass()
          onLine($0)
          self.note($0)
        }, onEnd)
      self.state.withLock { $0.append(process.processID) }
      return process
    }
  }

  private func note(_ line: [UInt8]) {
    let words = String(decoding: line, as: UTF8.self).split(separator: " ")
    guard words.count == 5, words[0] == "event" else { return }
    _ = passed.withLock { $0.insert("\(words[2]) \(words[4])") }
  }

  /// Waits until the watcher has received an event, given as its mask and its name.
  func waitUntilReceived(_ event: String) async throws {
    try await until("the event \(event) of the helper") { passed.withLock({ $0.contains(event) }) }
  }

  /// How many inotify instances a process has; nil when the process has ended.
  static func instances(of process: Int32) -> Int? {
    guard let names = try? FileManager.default.contentsOfDirectory(atPath: "/proc/\(process)/fd") else {
      return nil
    }
    return names.count { name in
      (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/\(process)/fd/\(name)"))
        == "anon_inode:inotify"
    }
  }

  /// The processor time that a process has used, in ticks.
  static func ticks(of process: Int32) throws -> Int {
    let text = try String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8)
    let words = text.split(separator: " ")
    return (Int(words[13]) ?? 0) + (Int(words[14]) ?? 0)
  }
}

/// A gate that can be closed.
final class Gate: Sendable {
  private let lock = NSCondition()
  private let isOpen = Mutex(true)

  func pass() {
    lock.lock()
    while !isOpen.withLock({ $0 }) { lock.wait() }
    lock.unlock()
  }

  func set(open: Bool) {
    lock.lock()
    isOpen.withLock { $0 = open }
    lock.broadcast()
    lock.unlock()
  }
}

/// A helper that is simulated by a test.
final class SimulatedHelper: Sendable {
  struct State {
    var commands: [String] = []
    var starts = 0
    var ends = 0
    var next: Int32 = 0
    var onLine: (@Sendable ([UInt8]) -> Void)?
    var onEnd: (@Sendable (HelperEnd) -> Void)?
  }

  let state = Mutex(State())
  private let greeting: @Sendable (Int) -> String?
  private let answer: @Sendable (SimulatedHelper, String) -> String?

  /// `greeting` is the first line of each start, or nil for none; `answer` is the answer to a command.
  init(
    greeting: @escaping @Sendable (Int) -> String? = { _ in "emojiart-inotify 1" },
    answer: @escaping @Sendable (SimulatedHelper, String) -> String? = { $0.realAnswer(to: $1) }
  ) {
    self.greeting = greeting
    self.answer = answer
  }

  var starts: Int { state.withLock(\.starts) }
  var commands: [String] { state.withLock(\.commands) }

  /// The answer that the real helper would give.
  func realAnswer(to command: String) -> String? {
    let words = command.split(separator: " ").map(String.init)
    guard words.count == 2, words[0] != "unwatch", let path = EscapedBytes.read(Array(words[1].utf8)) else {
      return nil
    }
    var status = stat()
    guard lstat(String(decoding: path, as: UTF8.self), &status) == 0 else { return "failed watch 2" }
    guard status.st_mode & S_IFMT == S_IFDIR else { return "failed watch 20" }
    let number = state.withLock { state in
      state.next += 1
      return state.next
    }
    return "watching \(number) \(status.st_dev) \(status.st_ino)"
  }

  func say(_ line: String) { say([line]) }

  /// Writes lines of one helper: another one may be started before the last of them.
  func say(_ lines: [String]) {
    let onLine = state.withLock(\.onLine)
    for line in lines { onLine?(Array(line.utf8)) }
  }

  func die(_ cause: HelperEnd.Cause = .signal(9)) {
    let onEnd = state.withLock { state in
      defer { state.onEnd = nil }
      return state.onEnd
    }
    onEnd?(HelperEnd(cause, errors: ""))
  }

  var start: InotifyHelper.Start {
    { (program, onLine, onEnd) throws(ArtError) in
      let number = self.state.withLock { state in
        state.starts += 1
        state.onLine = onLine
        state.onEnd = onEnd
        return state.starts
      }
      guard program.path != "/nowhere" else { throw ArtError(.unavailable, "it is not there") }
      if let greeting = self.greeting(number) { self.say(greeting) }
      return InotifyHelper(
        processID: 0,
        send: { (bytes) throws(ArtError) in
          for line in String(decoding: bytes, as: UTF8.self).split(separator: "\n").map(String.init) {
            self.state.withLock { $0.commands.append(line) }
            if let answer = self.answer(self, line) { self.say(answer) }
          }
        },
        end: {
          self.state.withLock { $0.ends += 1 }
          self.die()
        })
    }
  }
}

extension FolderWatcher {
  /// A watcher with a simulated or observed helper, on the real clock.
  init(_ folder: String, _ settings: WatchSettings = .real(), start: @escaping InotifyHelper.Start) {
    self.init(
      folder, settings, clock: ContinuousClock(), start: start, remoteKind: { RemoteFileSystem.kind(of: $0) })
  }
}
