// SPDX-License-Identifier: Apache-2.0

import ArtSystem
import ArtWorker
import Foundation
import TestSupport
import Testing

/// A worker that is a shell script, in a folder that is removed after the test. All of its processes hold a FIFO open.
final class ScriptedWorker: Sendable {
  /// Greets and reads the request.
  static let greeting = """
    say '{"hello":7}'
    read -r request
    printf '%s\\n' "$request" >>"${0%/*}/requests"

    """
  static let goodFetch = "say '{\"body\":3}'; printf abc"
  static let picture =
    #"{"picture":{"isAnimated":false,"mediaType":"image/png","size":{"height":5,"width":7}}}"#
  static let goodDecode = "cat >/dev/null; say '\(picture)'"

  /// The report of a drawing.
  static let drawn = #"say '{"drawn":{"lacking":["🐝"],"lackingCount":1,"pictureFault":"why"}}'"#
  /// Greets, and reads the whole request for a drawing.
  static let drawingGreeting =
    "echo \"$@\" >\"${0%/*}/arguments\"; say '{\"hello\":7}'; cat >\"${0%/*}/requests\"\n"

  let path: String
  /// The pool for decoding, drawing and fetching: no test waits for another test's helper process.
  let pool: HelperPool
  private let alive: Int32
  private let own: Int32

  /// A worker with this script, and the number of processes that run at once.
  init(script: String, limit: Int = 16) throws {
    pool = HelperPool(limit: limit)
    let root = FileManager.default.temporaryDirectory.resolvingSymlinksInPath().path
    path = "\(root)/emojiart-scripted-\(UUID())"
    try #require(mkdir(path, 0o700) == 0 && mkfifo("\(path)/alive", 0o600) == 0)
    let project = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().path
    try #require(symlink("\(project)/Fixtures/bin/scripted-worker", "\(path)/worker") == 0)
    let prelude = """
      exec 9>"${0%/*}/alive"
      say() { printf '%s\\n' "$1"; }
      stage() { echo "$1" >&9; }
      forever() { exec sleep 1000; }

      """
    try (prelude + script).write(toFile: "\(path)/script", atomically: false, encoding: .utf8)
    alive = open("\(path)/alive", O_RDONLY | O_NONBLOCK | O_CLOEXEC)
    // Keeps a writer between the two processes of a fetch.
    own = open("\(path)/alive", O_WRONLY | O_CLOEXEC)
    try #require(alive >= 0 && own >= 0)
  }

  /// A worker that greets, and then runs the script for the request's verb.
  convenience init(fetch: String = goodFetch, decode: String = goodDecode, limit: Int = 16) throws {
    let cases = "case $request in\n'{\"fetch\"'*)\n\(fetch)\n;;\n'{\"decode\"'*)\n\(decode)\n;;\nesac\n"
    try self.init(script: Self.greeting + cases, limit: limit)
  }

  /// A worker that greets, reads the whole request for a drawing, and then runs the script.
  convenience init(draw: String, limit: Int = 16) throws {
    try self.init(script: Self.drawingGreeting + draw, limit: limit)
  }

  deinit {
    close(alive)
    try? FileManager.default.removeItem(atPath: path)
  }

  /// A fetcher with this worker, whose clock stands still: no timeout ends, however slow the machine is.
  var fetcher: BackgroundFetcher {
    BackgroundFetcher(helpers: helpers, pool: pool, fetchPool: pool, clock: ManualClock())
  }

  /// A renderer with this worker, whose clock stands still.
  var renderer: Renderer { Renderer(helpers: helpers, pool: pool, clock: ManualClock()) }

  /// The script as a program, under the name of the real one.
  var program: HelperProgram { HelperProgram(name: "emojiart-worker", path: "\(path)/worker") }

  /// Where the script is.
  var helpers: HelperPrograms { .worker(at: program.path) }

  /// The lines of a file that the script wrote.
  func lines(_ name: String) throws -> [String] {
    try String(contentsOfFile: "\(path)/\(name)", encoding: .utf8).split(separator: "\n").map(String.init)
  }

  /// Waits until the script reports a stage, and acts at once.
  func reaches(
    _ stage: String, _ location: SourceLocation = #_sourceLocation,
    then act: @escaping @Sendable () -> Void = {}
  ) async throws {
    let isThere = try await onThread { [alive] in
      let isThere = try Self.read(from: alive, until: stage) == .word
      if isThere { act() }
      return isThere
    }
    try #require(isThere, "the worker never reached the stage \(stage)", sourceLocation: location)
  }

  /// Waits until all processes of the worker have ended. To be called once, at the end.
  func hasEnded() async throws -> Bool {
    try await onThread { [alive, own] in
      close(own)
      return try Self.read(from: alive, until: nil) == .end
    }
  }

  private enum ReadResult { case word, end, nothing }

  /// Reads until the word was written, or the last writer has ended.
  private static func read(from alive: Int32, until word: String?) throws -> ReadResult {
    var text = ""
    var buffer = [UInt8](repeating: 0, count: 1 << 10)
    while true {
      try waitUntilReadable(alive, for: word.map { "the stage \($0) of a worker" } ?? "the end of a worker")
      let count = Glibc.read(alive, &buffer, buffer.count)
      guard count > 0 else { return count == 0 ? .end : .nothing }
      text += String(decoding: buffer[..<count], as: UTF8.self)
      if let word, text.split(separator: "\n").contains(Substring(word)) { return .word }
    }
  }
}

extension HelperPrograms {
  /// One program in place of `emojiart-worker`.
  static func worker(at path: String) -> HelperPrograms {
    HelperPrograms(folders: [], paths: ["emojiart-worker": path])
  }
}
