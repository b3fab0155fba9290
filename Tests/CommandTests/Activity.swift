// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

/// What a process did so far.
struct Activity: Equatable {
  /// Of all threads, in ticks of 10 ms.
  let processorTime: Int
  /// How often its first thread went to sleep, or had to give way.
  private let switches: Int

  /// Of the process of that number.
  init(of process: Int32) throws {
    let fields = try String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8).split(separator: ")")
      .last?
      .split(separator: " ").map(String.init)
    let status = try String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8)
    processorTime = try #require(Int(fields?[11] ?? "")) + #require(Int(fields?[12] ?? ""))
    switches = try status.split(separator: "\n").filter { $0.contains("ctxt_switches") }
      .reduce(0) { try $0 + #require(Int($1.split(separator: "\t").last ?? "")) }
  }

  /// Whether its first thread has slept since. libdispatch has a thread of its own that wakes once a second, and so uses some of the
  /// processor in any case.
  func isAsleep(since before: Activity) -> Bool { switches == before.switches }
}
