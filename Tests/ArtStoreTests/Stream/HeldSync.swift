// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

/// Holds up the first sync of a file by each thread of a program until the test releases it, by means of `strace`.
struct HeldSync {
  /// The command that starts the program under strace. The program stays a child of its parent.
  let wrapper: [String]
  private let trace: String

  init(of path: String, tracing trace: String) {
    self.trace = trace
    wrapper = [
      "strace", "-D", "-f", "-qq", "-o", trace, "-P", path, "-e",
      "inject=fdatasync:delay_enter=600000000:when=1",
    ]
  }

  /// Waits until a sync is held up: strace writes a call's name before it delays the call.
  func waitUntilHeld() throws {
    try wait(for: "a sync that is held up") {
      guard access(trace, F_OK) == 0 else { return false }
      return try String(contentsOfFile: trace, encoding: .utf8).contains("fdatasync(")
    }
  }

  /// Lets the program continue, without strace.
  func release(for program: pid_t) throws {
    let status = try String(contentsOfFile: "/proc/\(program)/status", encoding: .utf8)
    let line = try #require(status.split(separator: "\n").first { $0.hasPrefix("TracerPid:") })
    let tracer = try #require(pid_t(line.dropFirst(10).trimmingCharacters(in: .whitespaces)))
    try #require(tracer > 0 && kill(tracer, SIGKILL) == 0)
  }
}
