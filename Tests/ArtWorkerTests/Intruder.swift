// SPDX-License-Identifier: Apache-2.0

import ArtModel
import ArtSystem
import Foundation
import TestSupport
import Testing

/// `Fixtures/sandbox/intruder.c`, built once: injected code that replaces a decoder or libcurl.
struct Intruder {
  /// The outcome of an attempt.
  enum Outcome: Equatable {
    case succeeded
    /// The system refused it with this error number.
    case refused(Int32)
    /// The signal that ended the process.
    case killed(Int32)
    /// Anything else; no attempt should end so.
    case unknown(String)
  }

  /// What the simulated system does not have.
  enum Lack: String, CaseIterable {
    case nothing, landlock, seccomp, neither, threads
  }

  private static let built = Result { try Intruder() }

  /// The intruder of this process.
  static var shared: Intruder { get throws { try built.get() } }

  let program: String
  let library: String
  /// The names of its attempts.
  let attempts: [String]

  private init() throws {
    let source = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().appendingPathComponent("Fixtures/sandbox/intruder.c").path
    let folder = FileManager.default.temporaryDirectory.resolvingSymlinksInPath()
      .appendingPathComponent("emojiart-intruder-\(UUID())").path
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
    (program, library) = ("\(folder)/intruder", "\(folder)/intruder.so")
    // The compiler that builds the package's C code.
    _ = try Self.output(of: "/usr/bin/env", ["clang", "-w", "-o", program, source])
    _ = try Self.output(
      of: "/usr/bin/env", ["clang", "-w", "-shared", "-fPIC", "-DLIBRARY", "-o", library, source])
    attempts = try Self.output(of: program, ["list"]).split(separator: "\n").map(String.init)
  }

  /// Runs a program to its end and returns its output. Throws if the program fails.
  static func output(
    of path: String, _ arguments: [String], input: [UInt8] = [], environment: [String: String]? = nil
  ) throws -> String {
    let process = Process()
    let (stdin, stdout) = (Pipe.unshared(), Pipe.unshared())
    process.executableURL = URL(fileURLWithPath: path)
    process.arguments = arguments
    process.environment = environment
    process.standardInput = stdin
    process.standardOutput = stdout
    try process.start()
    // A process that has already ended reads nothing.
    try? stdin.fileHandleForWriting.write(contentsOf: input)
    try stdin.fileHandleForWriting.close()
    let output = stdout.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    try #require(process.terminationReason == .exit && process.terminationStatus == 0, "\(path) \(arguments)")
    return String(decoding: output, as: UTF8.self)
  }

  /// Makes an attempt without a sandbox.
  func control(_ attempt: String, in target: IntruderTarget) throws -> Outcome {
    try outcome([program, "try", attempt], [], target.environment)
  }

  /// Makes an attempt in the worker, in place of the function that gets the first untrusted bytes.
  func attempt(
    _ attempt: String, in target: IntruderTarget, verb: WorkerVerb, input: [UInt8],
    lacking lack: Lack = .nothing
  ) throws -> Outcome {
    let worker = try HelperPrograms.installed.program("emojiart-worker").path
    var environment = target.environment
    environment["INTRUDER_ATTEMPT"] = attempt
    environment["INTRUDER_LIBRARY"] = library
    let lacking = lack == .nothing ? [] : [program, "lacking", lack.rawValue]
    return try outcome(lacking + [worker] + verb.arguments, input, environment)
  }

  private func outcome(_ words: [String], _ input: [UInt8], _ environment: [String: String]) throws -> Outcome
  {
    let output = try Self.output(
      of: program, ["parent"] + words, input: input, environment: environment)
    // Lines of the worker itself are JSON objects.
    let lines = output.split(separator: "\n").filter { !$0.hasPrefix("{") }
    let reply = lines.first?.split(separator: " ") ?? []
    switch (reply.first, reply.dropFirst().first, lines.count) {
    case ("succeeded", _, 2): return .succeeded
    case ("failed", let number?, 2): return .refused(Int32(number) ?? -1)
    case ("ended", "signal", 1): return .killed(reply.last.flatMap { Int32($0) } ?? -1)
    default: return .unknown(output)
    }
  }
}

/// What attempts are made on: a folder in place of the user's home, and servers that count connections.
final class IntruderTarget {
  static let files = ["id_rsa", ".bashrc", "bees.emojiart", "to-remove", "to-rename", "to-truncate"]

  let path: String
  private let internet: Int32
  private let local: Int32
  private let abstract: Int32
  private let abstractName = "emojiart-\(UUID())"
  private let port: UInt16

  init() throws {
    path =
      FileManager.default.temporaryDirectory.resolvingSymlinksInPath()
      .appendingPathComponent("home-\(UUID().uuidString.prefix(8))").path
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
    for file in Self.files {
      try #require(FileManager.default.createFile(atPath: "\(path)/\(file)", contents: Data("secret\n".utf8)))
      try #require(chmod("\(path)/\(file)", 0o600) == 0)
    }
    (internet, port) = try Self.listenOnLoopback()
    local = try Self.listen(on: Array("\(path)/socket".utf8))
    abstract = try Self.listen(on: [0] + Array(abstractName.utf8))
  }

  deinit {
    for descriptor in [internet, local, abstract] { close(descriptor) }
    // A folder that cannot be removed fails no test.
    try? FileManager.default.removeItem(atPath: path)
  }

  var environment: [String: String] {
    [
      "INTRUDER_HOME": path, "INTRUDER_PORT": "\(port)", "INTRUDER_ABSTRACT": abstractName,
      "SECRET": "secret",
    ]
  }

  /// Whether no server has a connection, and the folder has exactly its files, unchanged.
  func isUnchanged() throws -> Bool {
    for descriptor in [internet, local, abstract] where accept(descriptor, nil, nil) >= 0 { return false }
    let names = try FileManager.default.contentsOfDirectory(atPath: path).sorted()
    guard names == (Self.files + ["socket"]).sorted() else { return false }
    return Self.files.allSatisfy { file in
      var status = stat()
      guard stat("\(path)/\(file)", &status) == 0, status.st_mode == S_IFREG | 0o600, status.st_nlink == 1
      else { return false }
      return FileManager.default.contents(atPath: "\(path)/\(file)") == Data("secret\n".utf8)
    }
  }

  private static func listenOnLoopback() throws -> (Int32, UInt16) {
    let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
    let descriptor = socket(AF_INET, kind, 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isBound = withUnsafeMutablePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(descriptor, $0, length) == 0 && getsockname(descriptor, $0, &length) == 0
      }
    }
    try #require(isBound && Glibc.listen(descriptor, 8) == 0)
    return (descriptor, UInt16(bigEndian: address.sin_port))
  }

  private static func listen(on name: [UInt8]) throws -> Int32 {
    let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
    let descriptor = socket(AF_UNIX, kind, 0)
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    try #require(name.count < MemoryLayout.size(ofValue: address.sun_path))
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: name) }
    let length = socklen_t(MemoryLayout<sa_family_t>.size + name.count)
    let isBound = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(descriptor, $0, length) == 0 }
    }
    try #require(isBound && Glibc.listen(descriptor, 8) == 0)
    return descriptor
  }
}
