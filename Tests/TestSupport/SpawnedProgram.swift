// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A program that a test sends lines to and kills. It starts faster than Foundation's `Process`.
package final class SpawnedProgram {
  package let id: pid_t
  private var input: Int32
  private let output: Int32
  private var pending: [UInt8] = []
  private var hasEnded = false

  /// Starts a program. Its stderr is appended to the file `errors`. It gets `passed` as descriptors from 3.
  package init(
    _ program: String, _ arguments: [String], environment: [String: String], errors: String,
    passing passed: [Int32] = []
  ) throws {
    // Sockets can be closed to other programs at once, and a write to one whose reader has ended is an error here, without a
    // signal.
    var (stdin, stdout): ([Int32], [Int32]) = ([0, 0], [0, 0])
    let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
    guard socketpair(AF_UNIX, kind, 0, &stdin) == 0, socketpair(AF_UNIX, kind, 0, &stdout) == 0 else {
      throw ProgramError(what: "no sockets")
    }
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    // The threads of a test block signals, which the program must not inherit.
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var none = sigset_t()
    sigemptyset(&none)
    posix_spawnattr_setsigmask(&attributes, &none)
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK))
    posix_spawn_file_actions_adddup2(&actions, stdin[0], 0)
    posix_spawn_file_actions_adddup2(&actions, stdout[1], 1)
    posix_spawn_file_actions_addopen(&actions, 2, errors, O_WRONLY | O_CREAT | O_APPEND, 0o600)
    // First out of the way: one of these descriptors may have the number that another one gets.
    let copies = passed.map { fcntl($0, F_DUPFD_CLOEXEC, Int32(3 + passed.count)) }
    defer { for copy in copies where copy >= 0 { close(copy) } }
    for (index, copy) in copies.enumerated() {
      guard posix_spawn_file_actions_adddup2(&actions, copy, Int32(3 + index)) == 0 else {
        throw ProgramError(what: "no descriptor to pass")
      }
    }
    // Pipes that other tests made with Foundation would be inherited, and their readers would never reach the end.
    try Self.closeFrom(Int32(3 + passed.count), &actions)
    var words: [UnsafeMutablePointer<CChar>?] = ([program] + arguments).map { strdup($0) } + [nil]
    var variables: [UnsafeMutablePointer<CChar>?] =
      environment.map { strdup("\($0.key)=\($0.value)") } + [nil]
    defer { for text in words + variables { free(text) } }
    var id: pid_t = 0
    let code = posix_spawn(&id, program, &actions, &attributes, &words, &variables)
    close(stdin[0])
    close(stdout[1])
    (self.id, input, output) = (id, stdin[1], stdout[0])
    guard code == 0 else {
      hasEnded = true
      throw ProgramError(what: "cannot start \(program): \(String(cString: strerror(code)))")
    }
  }

  /// posix_spawn_file_actions_addclosefrom_np, which Glibc's module lacks.
  private static func closeFrom(_ first: Int32, _ actions: inout posix_spawn_file_actions_t) throws {
    typealias Function = @convention(c) (UnsafeMutablePointer<posix_spawn_file_actions_t>, Int32) -> Int32
    guard let symbol = dlsym(nil, "posix_spawn_file_actions_addclosefrom_np"),
      unsafeBitCast(symbol, to: Function.self)(&actions, first) == 0
    else { throw ProgramError(what: "no way to close what is inherited") }
  }

  deinit {
    kill()
    reap()
    endInput()
    close(output)
  }

  /// Writes all bytes. Those that an ended program does not read are dropped.
  package func send(_ bytes: [UInt8]) {
    var written = 0
    while written < bytes.count {
      let count = bytes.withUnsafeBytes {
        Foundation.send(
          input, $0.baseAddress.map { $0 + written }, bytes.count - written, Int32(MSG_NOSIGNAL))
      }
      guard count > 0 else { return }
      written += count
    }
  }

  package func endInput() {
    if input >= 0 { close(input) }
    input = -1
  }

  /// The whole lines of one read; nil at the end. Bytes after the last line break are no line.
  package func lines() throws -> [String]? {
    try waitUntilReadable(output, for: "a line of the process \(id)")
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    let count = read(output, &buffer, buffer.count)
    guard count > 0 else { return nil }
    pending += buffer[..<count]
    guard let last = pending.lastIndex(of: 0x0A) else { return [] }
    let text = String(decoding: pending[..<last], as: UTF8.self)
    pending.removeSubrange(...last)
    return text.components(separatedBy: "\n")
  }

  package func kill() { if !hasEnded { Foundation.kill(id, SIGKILL) } }

  /// The exit status; nil when a signal ended the program.
  @discardableResult
  package func wait() throws -> Int32? {
    guard !hasEnded else { return nil }
    var status: Int32 = 0
    try TestSupport.wait(for: "the end of the process \(id)") { waitpid(id, &status, WNOHANG) != 0 }
    hasEnded = true
    return status & 0x7F == 0 ? (status >> 8) & 0xFF : nil
  }

  /// Collects a killed program.
  private func reap() {
    guard !hasEnded else { return }
    var status: Int32 = 0
    while waitpid(id, &status, 0) < 0, errno == EINTR {}
  }
}

/// A reason why a harness cannot continue.
package struct ProgramError: Error, CustomStringConvertible {
  package let what: String
  package init(what: String) { self.what = what }
  package var description: String { what }
}
