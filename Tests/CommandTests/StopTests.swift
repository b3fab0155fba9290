// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import Synchronization
import TestSupport
import Testing

@Suite("Programs that stop themselves", .serialized)
struct StopTests {
  /// The locks on a file, of one process or of all, as the kernel lists them.
  private static func locks(on path: String, of process: Int32? = nil) throws -> [String] {
    var status = stat()
    try #require(stat(path, &status) == 0)
    return try String(contentsOfFile: "/proc/locks", encoding: .utf8).split(separator: "\n").filter { line in
      let words = line.split(separator: " ")
      guard let place = words.firstIndex(where: { $0.hasSuffix(":\(status.st_ino)") }), place > 0 else {
        return false
      }
      return process.map { words[place - 1] == "\($0)" } ?? true
    }
    .map(String.init)
  }

  /// Waits until a child of this process is stopped.
  private static func waitUntilStopped(_ process: Int32) throws {
    var what = siginfo_t()
    try wait(for: "a stop of the process \(process)") {
      let result = waitid(P_PID, id_t(process), &what, WSTOPPED | WEXITED | WNOWAIT | WNOHANG)
      guard result == 0 || errno == EINTR else { throw Project.Missing(what: "a child \(process)") }
      return result == 0 && what.si_code != 0
    }
    guard what.si_code == CLD_STOPPED else {
      throw Project.Missing(what: "a stop of \(process), which ended")
    }
    _ = waitid(P_PID, id_t(process), &what, WSTOPPED | WNOHANG)
  }

  /// Runs a body with a document of this number of emoji, which another stream edits until the body returns. Each save of that
  /// stream is signalled.
  private func withLoad(
    emojis: Int, _ body: @escaping @Sendable (CommandRun, String, DispatchSemaphore) throws -> Void
  ) async throws {
    let run = try CommandRun()
    let adding = (0..<emojis).map { #"{"add":{"text":"🐝","x":\#($0 % 900),"y":1}}"# }.joined(separator: "\n")
    _ = try await run.output(
      of: "emojiart new bees; emojiart add bees 🐛; echo '\(adding)' | emojiart edit bees --json >/dev/null")
    let isOver = Mutex(false)
    let saved = DispatchSemaphore(value: 0)
    async let load: Void = onThread {
      let other = try StreamProcess(in: run, ["--autosave-changes", "1"])
      var round = 0
      while !isOver.withLock(\.self) {
        round += 1
        try other.send(#"{"move":{"ref":"🐛","to":[\#(round % 900),5]}}"#)
        _ = try other.lines(until: #""saved""#)
        saved.signal()
      }
      other.endInput()
      _ = try other.rest()
      #expect(other.end() == 0)
    }
    try await onThread {
      defer { isOver.withLock { $0 = true } }
      try body(run, run.place.appending(path: "work/bees.emojiart").path, saved)
    }
    try await load
    try run.remove()
  }

  @Test("D11 the control: the kernel's list of locks has a lock that is held")
  func control() async throws {
    let run = try CommandRun()
    _ = try await run.output(of: "emojiart new bees")
    let path = run.place.appending(path: "work/bees.emojiart").path
    #expect(try Self.locks(on: path).isEmpty)
    let lock = try FileLock(path)
    #expect(try !Self.locks(on: path).isEmpty)
    lock.release()
    #expect(try Self.locks(on: path).isEmpty)
    try run.remove()
  }

  @Test("D11 a stream that stops itself, at any moment and under load, holds no lock of its document")
  func stream() async throws {
    let campaign = Campaign("stops-of-a-stream", smoke: 10)
    let stops = campaign.count
    try await withLoad(emojis: 20) { run, path, _ in
      let stream = try StreamProcess(in: run, ["--autosave-changes", "3"])
      var random = campaign.random(campaign.seed)
      var held: [String] = []
      for round in 1...stops {
        let batch = 40
        try stream.send(
          String(repeating: #"{"add":{"text":"🌸","x":1,"y":2}}"# + "\n", count: batch - 1)
            + #"{"add":{"text":"🌸","x":\#(round),"y":2}}"#)
        var answered = 0
        // Sometimes between answers, sometimes when all edits are answered and the event of a save is about to come.
        let goal = Int.random(in: 0...batch + 10, using: &random)
        while answered < min(goal, batch), let line = try stream.line() {
          if line.contains(#""ok""#) { answered += 1 }
        }
        stream.signal(SIGTSTP)
        try Self.waitUntilStopped(stream.processID)
        held += try Self.locks(on: path, of: stream.processID)
        stream.signal(SIGCONT)
        while answered < batch, let line = try stream.line() {
          if line.contains(#""ok""#) { answered += 1 }
        }
        _ = try stream.lines(until: #""active""#)
      }
      stream.endInput()
      _ = try stream.rest()
      #expect(stream.end() == 0)
      print("D11 stops: \(stops) tried, \(held.count) held a lock")
      campaign.report(tried: stops)
      #expect(held.isEmpty)
    }
  }

  @Test("D11 a stream that is continued before it has stopped goes on")
  func continuedEarly() async throws {
    let run = try CommandRun()
    _ = try await run.output(of: "emojiart new bees")
    let path = run.place.appending(path: "work/bees.emojiart").path
    try await onThread {
      let stream = try StreamProcess(in: run, ["--autosave-delay", "60"])
      try stream.send(#"{"add":{"text":"🌸","x":1,"y":2}}"#)
      _ = try stream.lines(until: #""ok""#)
      // It saves before it stops, and waits for the lock.
      let lock = try FileLock(path)
      stream.signal(SIGTSTP)
      _ = try stream.lines(until: "inactive")
      stream.signal(SIGCONT)
      lock.release()
      try stream.send(#"{"add":{"text":"🌸","x":3,"y":4}}"#)
      _ = try stream.lines(until: #""ok""#)
      stream.endInput()
      _ = try stream.rest()
      #expect(stream.end() == 0)
    }
    try run.remove()
  }

  @Test("D11 a watcher that stops itself, at any moment and under load, holds no lock of a document")
  func watcher() async throws {
    let campaign = Campaign("stops-of-a-watcher", smoke: 10)
    let stops = campaign.count
    try await withLoad(emojis: 500) { run, path, saved in
      let watch = try StreamProcess(in: run, command: ["watch", "--json"])
      var random = campaign.random(campaign.seed)
      var held: [String] = []
      for _ in 1...stops {
        while saved.wait(timeout: .now()) == .success {}
        for _ in 0..<Int.random(in: 1...4, using: &random) {
          try saved.wait(for: "a save of the other stream")
        }
        watch.signal(SIGTSTP)
        try Self.waitUntilStopped(watch.processID)
        held += try Self.locks(on: path, of: watch.processID)
        watch.signal(SIGCONT)
        watch.discardOutput()
      }
      // SIGTERM may be blocked in a process that a test's thread starts, so the watcher is killed.
      watch.signal(SIGKILL)
      #expect(watch.end() == -SIGKILL)
      print("D11 stops: \(stops) tried, \(held.count) held a lock")
      campaign.report(tried: stops)
      #expect(held.isEmpty)
    }
  }

  /// The threads of a process that receive a signal: they do not have it blocked, or wait for it.
  private static func threads(of process: Int32, receiving signal: Int32) throws -> [Int32] {
    let folder = "/proc/\(process)/task"
    return try FileManager.default.contentsOfDirectory(atPath: folder).compactMap { thread in
      // A thread may have ended meanwhile.
      guard let status = try? String(contentsOfFile: "\(folder)/\(thread)/status", encoding: .utf8) else {
        return nil
      }
      let field = status.split(separator: "\n").first { $0.hasPrefix("SigBlk:") }
      let mask = try #require(field.flatMap { UInt64($0.dropFirst(8), radix: 16) })
      return mask & 1 << (signal - 1) == 0 ? Int32(thread) : nil
    }
  }

  @Test(
    "D11 in a program with several threads only the one that closes the gate first receives SIGTSTP",
    arguments: [["watch", "--json", "--merge"], ["serve"], ["sync", "."]])
  func masks(command: [String]) async throws {
    let run = try CommandRun()
    _ = try await run.output(of: "emojiart new bees")
    // A store that takes the connection and does not answer.
    let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    defer { close(listener) }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(INADDR_LOOPBACK).bigEndian
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isListening = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(listener, $0, size) == 0 && listen(listener, 8) == 0 && getsockname(listener, $0, &size) == 0
      }
    }
    try #require(isListening)
    let isSync = command[0] == "sync"
    let endpoint = "http://127.0.0.1:\(in_port_t(bigEndian: address.sin_port))"
    let words = isSync ? command + ["s3://bucket", "--endpoint", endpoint] : command + ["."]
    let environment = ["AWS_ACCESS_KEY_ID": "id", "AWS_SECRET_ACCESS_KEY": "key"]
    try await onThread {
      // A thread of Dispatch blocks signals, and a program inherits that.
      var (none, before) = (sigset_t(), sigset_t())
      sigemptyset(&none)
      pthread_sigmask(SIG_SETMASK, &none, &before)
      let program = try StreamProcess(in: run, command: words, adding: environment)
      pthread_sigmask(SIG_SETMASK, &before, nil)
      defer { program.signal(SIGKILL) }
      // The program has begun its threads then.
      if isSync { try waitUntilReadable(listener, for: "a request of sync") } else { _ = try program.line() }
      // The control: where whoever started the program has blocked all signals, the threads say nothing.
      try #require(try !Self.threads(of: program.processID, receiving: SIGUSR1).isEmpty)
      let threads = try Self.threads(of: program.processID, receiving: SIGTSTP)
      #expect(threads.count == 1 && threads != [program.processID])
      #expect(try Self.threads(of: program.processID, receiving: SIGCONT) == threads)
    }
    try run.remove()
  }
}
