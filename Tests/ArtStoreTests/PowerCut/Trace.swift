// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A successful system call, as `strace -xx` prints it.
struct TracedCall {
  let name: String
  /// As printed: strings are hexadecimal, so that no character in them looks like a separator.
  let arguments: [String]
  let result: Int
  /// The process that owns the descriptors.
  private(set) var process: String
  /// The number of calls of the trace that had ended when this one began. Calls of other threads may end meanwhile.
  let began: Int

  /// Whether a program that the traced one started makes it: what that writes to its stdout is no answer.
  private var isOfHelper = false

  /// Whether it writes to stdout.
  var isAnswer: Bool { name == "write" && arguments.first == "1" && !isOfHelper }

  /// Whether it counts from its beginning: the reader may have an answer, and another thread the number of a descriptor, before the
  /// call ends.
  private var isEarly: Bool { isAnswer || name == "close" }

  /// A new thread shares the descriptors of its process.
  private var isNewThread: Bool {
    Self.beginnings.contains(name) && arguments.contains { $0.contains("CLONE_THREAD") }
  }

  func number(_ index: Int) throws -> Int {
    guard let number = Int(arguments[index]) else { throw TraceError(what: "\(name): \(arguments[index])") }
    return number
  }

  /// The bytes of a string.
  func bytes(_ index: Int) throws -> [UInt8] {
    let text = arguments[index]
    // A string that strace cut short ends with dots.
    guard text.first == "\"", text.last == "\"" else { throw TraceError(what: "\(name): \(text.prefix(60))") }
    // \x and two digits each.
    let digits = Array(text.utf8.dropFirst().dropLast())
    return stride(from: 0, to: digits.count, by: 4).map {
      Self.value(digits[$0 + 2]) << 4 | Self.value(digits[$0 + 3])
    }
  }

  private static func value(_ digit: UInt8) -> UInt8 { digit < 0x3A ? digit - 0x30 : digit - 0x61 + 10 }

  func path(_ index: Int) throws -> String { String(decoding: try bytes(index), as: UTF8.self) }

  /// Every call by which files change, become durable, or get and lose descriptors.
  static let names = [
    "open", "openat", "openat2", "creat", "close", "dup", "dup2", "dup3", "lseek", "write", "writev",
    "pwrite64",
    "pwritev", "pwritev2", "truncate", "ftruncate", "fallocate", "copy_file_range", "sendfile", "fsync",
    "fdatasync", "unlink", "unlinkat", "rename", "renameat", "renameat2", "link", "linkat", "mkdir",
    "mkdirat",
  ]

  /// The calls that begin threads and processes.
  private static let beginnings = ["clone", "clone3", "fork", "vfork"]

  /// Runs a program under strace. Returns its calls in the order of their ends, or of their beginnings for calls that count early.
  static func of(_ program: String, _ arguments: [String], environment: [String: String]) throws -> [Self] {
    let trace = "\(FileManager.default.temporaryDirectory.path)/emojiart-trace.\(UUID().uuidString)"
    defer { unlink(trace) }
    let ended = try run(
      "strace",
      [
        "-f", "-qq", "-xx", "-s", "4194304", "-o", trace, "-e", "signal=none", "-e",
        "trace=\((names + beginnings).joined(separator: ","))",
        program,
      ] + arguments, environment: environment)
    guard ended.status == 0 else {
      throw TraceError(what: "\(program) \(arguments.prefix(3)): \(ended.status) \(ended.errors)")
    }
    return try parse(String(contentsOfFile: trace, encoding: .utf8))
  }

  /// The calls of a trace, in that order.
  static func parse(_ trace: String) throws -> [Self] {
    var calls: [Self] = []
    var unfinished: [String: (text: String, began: Int)] = [:]
    // The thread that started each thread: the first lines of a thread may come before the end of the call that started it.
    var starters: [String: String] = [:]
    var helpers: Set<String> = []
    for line in trace.components(separatedBy: "\n") where !line.isEmpty {
      let thread = String(line.prefix { $0 != " " })
      var text = String(line.dropFirst(thread.count).drop { $0 == " " })
      var began = calls.count
      if text.hasPrefix("+++") || text.hasPrefix("---") { continue }
      // The thread was killed before its call had ended.
      if text.hasSuffix(" <detached ...>") {
        unfinished[thread] = nil
        continue
      }
      if text.hasSuffix(" <unfinished ...>") {
        text.removeLast(" <unfinished ...>".count)
        unfinished[thread] = (text, began)
        if let call = try Self(text + ") = 0", thread, began: began), call.isEarly { calls.append(call) }
        continue
      }
      let isResumed = text.hasPrefix("<... ")
      if isResumed {
        guard let start = unfinished.removeValue(forKey: thread), let end = text.range(of: " resumed>") else {
          throw TraceError(what: String(line.prefix(100)))
        }
        text = start.text + text[end.upperBound...]
        began = start.began
      }
      guard let call = try Self(text, thread, began: began) else { continue }
      if call.isNewThread {
        starters[String(call.result)] = thread
      } else if beginnings.contains(call.name) {
        helpers.insert(String(call.result))
      }
      if !beginnings.contains(call.name), !(isResumed && call.isEarly) { calls.append(call) }
    }
    return calls.map { call in
      var call = call
      while let starter = starters[call.process] { call.process = starter }
      call.isOfHelper = helpers.contains(call.process)
      return call
    }
  }

  /// nil for a call that failed, and for one during which the process ended: no caller received its result.
  private init?(_ text: String, _ thread: String, began: Int) throws {
    guard let equals = text.range(of: " = ", options: .backwards), let open = text.firstIndex(of: "("),
      let close = text[..<equals.lowerBound].lastIndex(of: ")")
    else { throw TraceError(what: String(text.prefix(100))) }
    guard text[equals.upperBound...] != "?" else { return nil }
    let answer = text[equals.upperBound...].prefix { $0.isNumber || $0 == "-" }
    guard let result = Int(answer) else { throw TraceError(what: String(text.suffix(100))) }
    guard result >= 0 else { return nil }
    name = String(text[..<open])
    arguments = text[text.index(after: open)..<close].components(separatedBy: ", ")
    self.result = result
    process = thread
    self.began = began
  }
}

/// A trace that cannot be recorded.
struct TraceError: Error, CustomStringConvertible {
  let what: String
  var description: String { "strace: \(what)" }
}
