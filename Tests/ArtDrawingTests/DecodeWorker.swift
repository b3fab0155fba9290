// SPDX-License-Identifier: Apache-2.0

import ArtModel
import Foundation
import Glibc
import TestSupport

/// `emojiart-worker` under the limit on memory that emojiart gives it, decoding one picture after another.
final class DecodeWorker {
  enum Answer: Equatable {
    case reply(WorkerReply)
    /// The worker ended, or its answer is invalid.
    case ended
    /// The worker gave no answer: see `Hang`.
    case hung

    var picture: (mediaType: String, size: Canvas)? {
      guard case .reply(.picture(let mediaType, let size, _)) = self else { return nil }
      return (mediaType, size)
    }

    var refusal: Refusal? {
      guard case .reply(.refused(let refusal)) = self else { return nil }
      return refusal
    }
  }

  private let program = Process()
  private let requests = Pipe.unshared()
  private let answers = Pipe.unshared()
  private let errors = FileManager.default.temporaryDirectory.appendingPathComponent("errors-\(UUID())")
  private var rest: [UInt8] = []

  /// A folder of libraries for this worker only.
  private var libraries: URL?

  /// Makes a folder of files that are no libraries, under the names of those that a decoder opens.
  private static func brokenLibraries() throws -> URL {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("libraries-\(UUID())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
    for version in [15, 16] { try Data().write(to: folder.appendingPathComponent("libavif.so.\(version)")) }
    return folder
  }

  /// With `hidesLibraries` the worker finds no libraries to open.
  init(_ kinds: [PictureKind] = PictureKind.allCases, hidesLibraries: Bool = false) throws {
    let own = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
    let path = own.deletingLastPathComponent().appendingPathComponent("emojiart-worker").path
    let verb = WorkerVerb.decode(kinds)
    let limits = AddressSanitizer.limit(mebibytes: 300) + [path] + verb.arguments
    try Data().write(to: errors)
    program.executableURL = URL(fileURLWithPath: "/usr/bin/prlimit")
    program.arguments = limits
    if hidesLibraries {
      let folder = try Self.brokenLibraries()
      libraries = folder
      let variables = ["LD_LIBRARY_PATH": folder.path]
      program.environment = ProcessInfo.processInfo.environment.merging(variables) { $1 }
    }
    program.standardInput = requests
    program.standardOutput = answers
    program.standardError = try FileHandle(forWritingTo: errors)
    try program.start()
    guard case .reply(.hello) = answer() else { throw Failure() }
  }

  struct Failure: Error {}

  /// Requests one picture.
  func ask(_ bytes: [UInt8], _ limits: PictureLimits = PictureLimits()) -> Answer {
    var writer = JSONWriter()
    WorkerRequest.decode(bytes: bytes.count, limits).write(to: &writer)
    writer.endLine()
    do {
      try requests.fileHandleForWriting.write(contentsOf: writer.bytes + bytes)
    } catch {
      return .ended
    }
    return answer()
  }

  private func answer() -> Answer {
    let descriptor = answers.fileHandleForReading.fileDescriptor
    while true {
      if let end = rest.firstIndex(of: 0x0A) {
        let line = String(decoding: rest[..<end], as: UTF8.self)
        rest.removeSubrange(...end)
        let reply = try? JSONReader.read(line) { (reader) throws(ArtError) in try WorkerReply(from: &reader) }
        return reply.map(Answer.reply) ?? .ended
      }
      do { try waitUntilReadable(descriptor, for: "an answer") } catch { return .hung }
      var buffer = [UInt8](repeating: 0, count: 1 << 16)
      let count = read(descriptor, &buffer, buffer.count)
      guard count > 0 else { return .ended }
      rest += buffer[..<count]
    }
  }

  /// The names of the files that are mapped into the worker.
  var mapped: Set<String> {
    get throws {
      // A file without a size: only `readToEnd` gives all of it.
      let file = try FileHandle(
        forReadingFrom: URL(fileURLWithPath: "/proc/\(program.processIdentifier)/maps"))
      let maps = String(decoding: try file.readToEnd() ?? Data(), as: UTF8.self)
      return Set(maps.split(separator: "\n").compactMap { $0.split(separator: "/").last.map(String.init) })
    }
  }

  /// The number in a line of the worker's `status`, in KiB.
  func status(_ name: String) throws -> Int {
    let status = try String(contentsOfFile: "/proc/\(program.processIdentifier)/status", encoding: .utf8)
    let line = status.split(separator: "\n").first { $0.hasPrefix("\(name):") } ?? ""
    return line.split(whereSeparator: { !$0.isNumber }).first.flatMap { Int($0) } ?? 0
  }

  /// Ends the worker; gives what it wrote to standard error.
  func errorOutput() throws -> String {
    end()
    return try String(contentsOf: errors, encoding: .utf8)
  }

  func end() {
    // May be closed already, after `errorOutput`.
    try? requests.fileHandleForWriting.close()
    if program.isRunning { kill(program.processIdentifier, SIGKILL) }
    program.waitUntilExit()
  }

  deinit {
    end()
    // Files that cannot be removed fail no test.
    for place in [errors, libraries].compactMap(\.self) { try? FileManager.default.removeItem(at: place) }
  }
}
